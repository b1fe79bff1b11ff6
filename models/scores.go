package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Scores are the logits of the classes, [classes].
type Scores struct{ Logits graph.Value }

// classify adds the row of logits of node i, whose hidden state is h, and its loss, both
// of which no other node waits for.
func (head Linear) classify(i, h, labels graph.Value) {
	logits := head.Apply(h)
	recursion.Collect("logits", i, logits)
	recursion.Loss(crossEntropyIfKnown(logits, ops.At(labels, i)))
}

// crossEntropyIfKnown is 0 for a negative label.
func crossEntropyIfKnown(logits, label graph.Value) graph.Value {
	zero := logits.Module().Int(0)
	known := ops.Cast(ops.GreaterEqual(label, zero), graph.Float32)
	return ops.Mul(ops.CrossEntropy(logits, ops.Maximum(label, zero)), known)
}
