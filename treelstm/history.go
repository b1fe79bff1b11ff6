package main

import "github.com/frondml/frond/train"

// epochRecord is what was measured in one epoch. It holds nothing that depends on the
// machine, so that a run gives the same file wherever it was interrupted.
type epochRecord struct {
	Epoch int     `json:"epoch"`
	Step  int64   `json:"step"`
	Loss  float64 `json:"loss"` // on the training set
	Dev   scores  `json:"dev"`
	Best  bool    `json:"best"`
}

// scores is what was measured on a set of trees.
type scores struct {
	Loss        float64  `json:"loss"`
	Root        float64  `json:"root"`
	Nodes       float64  `json:"nodes"`
	BinaryRoot  *float64 `json:"binary_root,omitempty"` // where classes are grades of sentiment
	BinaryNodes *float64 `json:"binary_nodes,omitempty"`
}

func (a *accuracy) scores() scores {
	s := scores{Loss: a.loss, Root: a.roots.share(), Nodes: a.nodes.share()}
	if a.sentiment {
		root, nodes := a.binaryRoots.share(), a.binaryNodes.share()
		s.BinaryRoot, s.BinaryNodes = &root, &nodes
	}
	return s
}

func newEpochRecord(e train.EpochStats, step int64, dev *accuracy) epochRecord {
	return epochRecord{Epoch: e.Epoch, Step: step, Loss: e.Loss, Dev: dev.scores(), Best: e.Best}
}
