"""The model of docs/tutorial.md in PyTorch, for docs/coming-from.md."""

import random
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class Tree:
    word: list
    left: list
    right: list
    label: list


class TreeRNN(nn.Module):
    def __init__(self, words, d, classes):
        super().__init__()
        self.embedding = nn.Embedding(words, d)
        self.inner = nn.Linear(2 * d, d)
        self.head = nn.Linear(d, classes, bias=False)

    def subtree(self, t, i, losses):
        if t.left[i] < 0:
            h = self.embedding(torch.tensor(t.word[i]))
        else:
            l, r = self.subtree(t, t.left[i], losses), self.subtree(t, t.right[i], losses)
            h = torch.tanh(self.inner(torch.cat([l, r])))
        if t.label[i] >= 0:
            losses.append(F.cross_entropy(self.head(h)[None], torch.tensor(t.label[i : i + 1])))
        return h

    def forward(self, t):
        losses = []
        root = self.subtree(t, len(t.word) - 1, losses)
        return self.head(root), sum(losses)


def fit(model, trees, epochs, batch=20):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.002)
    for _ in range(epochs):
        random.shuffle(trees)
        for at in range(0, len(trees), batch):
            examples = trees[at : at + batch]
            loss = sum(model(t)[1] for t in examples) / len(examples)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5)
            optimizer.step()


if __name__ == "__main__":
    random.seed(1)
    torch.manual_seed(1)
    # The label of a node is 1 when its subtree has an odd number of leaves with word 1.
    trees = []
    for _ in range(200):
        a, b, c = (random.randrange(2) for _ in range(3))
        trees.append(Tree([a, b, -1, c, -1], [-1, -1, 0, -1, 2], [-1, -1, 1, -1, 3], [a, b, a ^ b, c, a ^ b ^ c]))
    model = TreeRNN(words=2, d=16, classes=2)
    fit(model, trees, epochs=15)
    right = sum(int(model(t)[0].argmax()) == t.label[-1] for t in trees)
    print(f"{right} of {len(trees)} are right")
