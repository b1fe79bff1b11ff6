#!/usr/bin/python3
"""The binary Tree-LSTM of the benchmarks with PyTorch, as a peer.

usage: torch_treelstm.py natural|level FOLDER

natural  the way one would write it: a recursive Python function, one call of the cell
         per node, gradients by autograd, one loss per node
level    the way an expert would write it to be fast: all leaves of the mini-batch, then
         all nodes of a height, as one product each, states written in place into
         buffers, the backward pass by hand, the gradient of a weight as one product

FOLDER holds job.json and parameters.bin. One request per line on standard input, one
reply per line on standard output; see package benchmarks/peer.
"""

import json
import os
import sys
import time

try:
    import numpy
    import torch
    import torch.nn.functional as F
except ImportError as e:
    sys.exit(str(e))


def load(folder):
    """Returns the job and the parameters, leaves of autograd, by their names."""
    with open(os.path.join(folder, "job.json")) as f:
        job = json.load(f)
    values = numpy.fromfile(os.path.join(folder, "parameters.bin"), dtype="<f4")
    parameters, at = {}, 0
    for p in job["Parameters"]:
        size = int(numpy.prod(p["Shape"]))
        value = values[at : at + size].reshape(p["Shape"]).copy()
        parameters[p["Name"]] = torch.from_numpy(value).requires_grad_()
        at += size
    if at != len(values):
        raise ValueError("parameters.bin does not fit job.json")
    return job, parameters


class Natural:
    """One call of the cell per node, of rows [1, size]."""

    def __init__(self, job, p):
        self.p, self.trees = p, [self.tree(t) for t in job["Trees"]]

    @staticmethod
    def tree(t):
        labels = [torch.tensor([k]) for k in t["Label"]]
        words = [torch.tensor([w]) for w in t["Word"]]
        return t["Left"], t["Right"], words, labels

    def subtree(self, tree, i, losses):
        p, (left, right, words, labels) = self.p, tree
        if left[i] < 0:
            x = F.embedding(words[i], p["E"], sparse=True)
            i_, o, u = F.linear(x, p["W"], p["bW"]).chunk(3, 1)
            c = torch.sigmoid(i_) * torch.tanh(u)
        else:
            hl, cl = self.subtree(tree, left[i], losses)
            hr, cr = self.subtree(tree, right[i], losses)
            i_, fl, fr, o, u = F.linear(torch.cat([hl, hr], 1), p["U"], p["bU"]).chunk(5, 1)
            c = torch.sigmoid(i_) * torch.tanh(u) + torch.sigmoid(fl) * cl + torch.sigmoid(fr) * cr
        h = torch.sigmoid(o) * torch.tanh(c)
        logits = F.linear(h, p["Ws"], p["bs"])
        losses.append(F.cross_entropy(logits, labels[i], reduction="sum"))
        return h, c

    def loss(self, batch):
        losses = []
        for k in batch:
            tree = self.trees[k]
            self.subtree(tree, len(tree[0]) - 1, losses)
        return torch.stack(losses).sum()

    def gradients(self, batch):
        loss = self.loss(batch)
        loss.backward()
        return loss.item()


class Level:
    """Nodes are rows ordered by height; leaves are rows 0 to leaves-1. It computes where
    the parameters are."""

    def __init__(self, job, p):
        self.p, self.h, self.trees = p, job["Hidden"], []
        self.device = p["E"].device
        for t in job["Trees"]:
            left, right = t["Left"], t["Right"]
            height = [0] * len(left)
            for i, l in enumerate(left):
                if l >= 0:
                    height[i] = 1 + max(height[l], height[right[i]])
            self.trees.append([numpy.array(a) for a in (height, left, right, t["Word"], t["Label"])])

    def order(self, batch):
        trees = [self.trees[k] for k in batch]
        height, left, right, word, label = (numpy.concatenate(a) for a in zip(*trees))
        sizes = [len(t[0]) for t in trees]
        first = numpy.repeat(numpy.cumsum([0] + sizes[:-1]), sizes)
        order = numpy.argsort(height, kind="stable")
        row = numpy.empty_like(order)
        row[order] = numpy.arange(len(order))
        ends = numpy.cumsum(numpy.bincount(height))
        leaves, inner = int(ends[0]), order[ends[0] :]
        children = row[numpy.stack([left[inner] + first[inner], right[inner] + first[inner]], 1)].reshape(-1)
        tensor = lambda a: torch.from_numpy(a).to(self.device)
        children = tensor(children)
        levels = [(s, e, children[2 * (s - leaves) : 2 * (e - leaves)]) for s, e in zip(ends[:-1].tolist(), ends[1:].tolist())]
        return tensor(word[order[:leaves]]), tensor(label[order]), levels, leaves, len(order)

    def forward(self, schedule):
        words, labels, levels, leaves, n = schedule
        p, h = self.p, self.h
        rows = lambda count, width: torch.empty(count, width, device=self.device)
        x = p["E"].index_select(0, words)
        H, C, TC = rows(n, h), rows(n, h), rows(n, h)
        X, CC, G = rows(n - leaves, 2 * h), rows(n - leaves, 2 * h), rows(n - leaves, 5 * h)
        g = torch.addmm(p["bW"], x, p["W"].t())
        g[:, : 2 * h].sigmoid_()
        g[:, 2 * h :].tanh_()
        torch.mul(g[:, :h], g[:, 2 * h :], out=C[:leaves])
        torch.tanh(C[:leaves], out=TC[:leaves])
        torch.mul(g[:, h : 2 * h], TC[:leaves], out=H[:leaves])
        for s, e, children in levels:
            a, b = s - leaves, e - leaves
            torch.index_select(H, 0, children, out=X[a:b].view(-1, h))
            torch.index_select(C, 0, children, out=CC[a:b].view(-1, h))
            z = G[a:b]
            torch.addmm(p["bU"], X[a:b], p["U"].t(), out=z)
            z[:, : 4 * h].sigmoid_()
            z[:, 4 * h :].tanh_()
            c = C[s:e]
            torch.mul(z[:, :h], z[:, 4 * h :], out=c)
            c.addcmul_(z[:, h : 2 * h], CC[a:b, :h]).addcmul_(z[:, 2 * h : 3 * h], CC[a:b, h:])
            torch.tanh(c, out=TC[s:e])
            torch.mul(z[:, 3 * h : 4 * h], TC[s:e], out=H[s:e])
        logits = torch.addmm(p["bs"], H, p["Ws"].t())
        loss = F.cross_entropy(logits, labels, reduction="sum")
        return loss, (x, g, H, TC, X, CC, G, logits)

    def loss(self, batch):
        return self.forward(self.order(batch))[0]

    @torch.no_grad()
    def gradients(self, batch):
        schedule = self.order(batch)
        words, labels, levels, leaves, n = schedule
        loss, (x, g, H, TC, X, CC, G, logits) = self.forward(schedule)
        p, h = self.p, self.h
        dlogits = torch.softmax(logits, 1)
        dlogits[torch.arange(n, device=self.device), labels] -= 1
        dH, dC, dG = torch.mm(dlogits, p["Ws"]), torch.zeros(n, h, device=self.device), torch.empty_like(G)
        for s, e, children in reversed(levels):
            a, b = s - leaves, e - leaves
            z, d, dh, dc, tc = G[a:b], dG[a:b], dH[s:e], dC[s:e], TC[s:e]
            dc.addcmul_(dh * z[:, 3 * h : 4 * h], 1 - tc * tc)
            torch.mul(dc, z[:, 4 * h :], out=d[:, :h])
            torch.mul(dc, CC[a:b, :h], out=d[:, h : 2 * h])
            torch.mul(dc, CC[a:b, h:], out=d[:, 2 * h : 3 * h])
            torch.mul(dh, tc, out=d[:, 3 * h : 4 * h])
            gates = z[:, : 4 * h]
            d[:, : 4 * h].mul_(gates * (1 - gates))
            torch.mul(dc * z[:, :h], 1 - z[:, 4 * h :].square(), out=d[:, 4 * h :])
            forget = z[:, h : 3 * h].reshape(-1, 2, h)
            dC.index_copy_(0, children, (dc.unsqueeze(1) * forget).view(-1, h))
            dH.index_add_(0, children, torch.mm(d, p["U"]).view(-1, h))
        i, o, u = g.chunk(3, 1)
        dh, tc = dH[:leaves], TC[:leaves]
        dc = dC[:leaves].addcmul_(dh * o, 1 - tc * tc)
        d = torch.cat([dc * u * i * (1 - i), dh * tc * o * (1 - o), dc * i * (1 - u * u)], 1)
        p["Ws"].grad, p["bs"].grad = torch.mm(dlogits.t(), H), dlogits.sum(0)
        p["U"].grad, p["bU"].grad = torch.mm(dG.t(), X), dG.sum(0)
        p["W"].grad, p["bW"].grad = torch.mm(d.t(), x), d.sum(0)
        p["E"].grad = torch.sparse_coo_tensor(words.unsqueeze(0), torch.mm(d, p["W"]), p["E"].shape)
        return loss.item()


def blas():
    """Names the library of the matrix products: the plain one is many times slower."""
    try:
        with open("/proc/self/maps") as maps:
            files = {os.path.basename(line.split()[-1]) for line in maps if "/" in line}
    except OSError:
        return "unknown BLAS"
    for name in ("mkl", "openblas", "blis", "libblas"):
        found = sorted(f for f in files if name in f)
        if found:
            return os.path.basename(found[0])
    return "unknown BLAS"


def reply(**fields):
    print(json.dumps({"CPU": time.process_time(), **fields}), flush=True)


def serve(network, p, job, library, settle=lambda: None):
    """Answers requests. What was asked for is done when settle returns."""
    adagrad = torch.optim.Adagrad(p.values(), lr=job["Rate"], eps=job["Eps"])
    reply(Ready="PyTorch " + torch.__version__ + " with " + library)
    for line in sys.stdin:
        request = json.loads(line)
        if request["Do"] == "infer":
            with torch.no_grad():
                loss = network.loss(request["Batch"]).item()
        elif request["Do"] == "train":
            adagrad.zero_grad(set_to_none=True)
            loss = network.gradients(request["Batch"])
            adagrad.step()
        else:
            reply(Error="cannot " + request["Do"])
            continue
        settle()
        reply(Loss=loss)


def main():
    _, kind, folder = sys.argv
    job, p = load(folder)
    torch.set_num_threads(job["Workers"])
    sys.setrecursionlimit(100000)
    serve({"natural": Natural, "level": Level}[kind](job, p), p, job, blas())


if __name__ == "__main__":
    main()
