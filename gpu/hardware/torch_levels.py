#!/usr/bin/env python3
"""The binary Tree-LSTM of the benchmarks with PyTorch, level by level, on a CUDA device.

usage: torch_levels.py [--device DEVICE] [--tf32] FOLDER

It is the program "level" of benchmarks/peers/torch_treelstm.py, which lies beside this
file or there: all leaves of a mini-batch, then all nodes of a height, as one product
each, in place, with the backward pass by hand. The plan of a mini-batch, its levels and
index lists, is made and uploaded each time, as it must be for a new one. --tf32 lets
products round their factors as torch.backends.cuda.matmul.allow_tf32 does. It speaks the
protocol of package benchmarks/peer.
"""

import argparse
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "..", "benchmarks", "peers")]

import torch_treelstm

torch = torch_treelstm.torch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tf32", action="store_true")
    parser.add_argument("folder")
    arguments = parser.parse_args()
    device = torch.device(arguments.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        sys.exit("PyTorch " + torch.__version__ + " finds no CUDA device")
    torch.backends.cuda.matmul.allow_tf32 = arguments.tf32
    job, p = torch_treelstm.load(arguments.folder)
    torch.set_num_threads(job["Workers"])
    p = {name: value.detach().to(device).requires_grad_() for name, value in p.items()}
    if device.type == "cuda":
        library, settle = torch.cuda.get_device_name(device), torch.cuda.synchronize
    else:
        library, settle = torch_treelstm.blas(), lambda: None
    torch_treelstm.serve(torch_treelstm.Level(job, p), p, job, library, settle)


if __name__ == "__main__":
    main()
