"""A binary Tree-LSTM in PyTorch, whose weights and results the Go program compares.

Writes testdata/treelstm.safetensors, a state_dict, and testdata/expected.json: trees
with the logits of all their nodes, the loss, and the gradients of two parameters.

    apt-get install python3-torch && pip install safetensors
    python3 treelstm.py
"""

import json
import pathlib

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

VOCAB, EMBED, HIDDEN, CLASSES = 12, 6, 5, 4


class TreeLSTM(nn.Module):
    """Leaves are steps of an ordinary LSTM cell from the zero state."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, EMBED)
        self.leaf = nn.LSTMCell(EMBED, HIDDEN)  # gates: i, f, g, o
        self.weight_left = nn.Parameter(0.5 * torch.randn(HIDDEN, 5 * HIDDEN))  # used as h @ w
        self.weight_right = nn.Parameter(0.5 * torch.randn(HIDDEN, 5 * HIDDEN))
        self.bias = nn.Parameter(0.1 * torch.randn(5 * HIDDEN))  # gates: i, f_left, f_right, g, o
        self.classifier = nn.Linear(HIDDEN, CLASSES)

    def node(self, tree, i, logits):
        """Returns (h, c) of node i; logits of its subtree are entered on the way."""
        if tree["left"][i] < 0:
            word = torch.tensor([tree["word"][i]])
            h, c = self.leaf(self.embedding(word))
        else:
            hl, cl = self.node(tree, tree["left"][i], logits)
            hr, cr = self.node(tree, tree["right"][i], logits)
            gates = hl @ self.weight_left + hr @ self.weight_right + self.bias
            i_, fl, fr, g, o = gates.chunk(5, dim=1)
            c = i_.sigmoid() * g.tanh() + fl.sigmoid() * cl + fr.sigmoid() * cr
            h = o.sigmoid() * c.tanh()
        logits[i] = self.classifier(h)[0]
        return h, c

    def forward(self, tree):
        logits = [None] * len(tree["word"])
        self.node(tree, len(logits) - 1, logits)
        return torch.stack(logits)


def random_tree(leaves, rng):
    tree = {"word": [], "left": [], "right": [], "label": []}

    def add(n):
        split = 1 + int(torch.randint(n - 1, (1,), generator=rng)) if n > 1 else 0
        left, right = (add(split), add(n - split)) if n > 1 else (-1, -1)
        tree["word"].append(-1 if n > 1 else int(torch.randint(VOCAB, (1,), generator=rng)))
        tree["left"].append(left)
        tree["right"].append(right)
        tree["label"].append(int(torch.randint(CLASSES, (1,), generator=rng)))
        return len(tree["word"]) - 1

    add(leaves)
    return tree


def main():
    torch.manual_seed(1)
    rng = torch.Generator().manual_seed(2)
    model = TreeLSTM()
    trees, loss = [], 0
    for leaves in (1, 2, 3, 8, 20):
        tree = random_tree(leaves, rng)
        logits = model(tree)
        loss = loss + F.cross_entropy(logits, torch.tensor(tree["label"]), reduction="sum")
        trees.append({**tree, "logits": logits.tolist()})
    loss.backward()
    out = pathlib.Path(__file__).parent / "testdata"
    out.mkdir(exist_ok=True)
    save_file(model.state_dict(), out / "treelstm.safetensors")
    expected = {
        "torch": torch.__version__,
        "trees": trees,
        "loss": loss.item(),
        "gradients": {
            "embedding.weight": model.embedding.weight.grad.tolist(),
            "classifier.weight": model.classifier.weight.grad.tolist(),
        },
    }
    (out / "expected.json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
