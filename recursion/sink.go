package recursion

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// LossOp adds its input, a float scalar, to the objective of the run.
type LossOp struct{}

var (
	_ graph.Differentiable = LossOp{}
	_ graph.Sink           = LossOp{}
)

// Loss adds the scalar x to the objective of the run, whose gradient training
// follows. It may be used in any body, once per invocation or more.
//
//	run.loss += x
func Loss(x graph.Value) { graph.ApplyAll(LossOp{}, x) }

// Name implements graph.Op.
func (LossOp) Name() string { return "loss" }

// Attrs implements graph.Op.
func (LossOp) Attrs() []graph.Attr { return nil }

// Sink implements graph.Sink.
func (LossOp) Sink() {}

// Infer implements graph.Op.
func (LossOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if len(in) != 1 {
		return nil, fmt.Errorf("%w: %d inputs, want the loss", graph.ErrShape, len(in))
	}
	if err := mismatch(in[0], graph.T(graph.Float32)); err != nil {
		return nil, fmt.Errorf("%w: the loss is %v, want f32", err, in[0])
	}
	return nil, nil
}

// Gradient implements graph.Differentiable: the objective grows as its terms do.
func (LossOp) Gradient(n *graph.Node, _ graph.Value) []graph.Value {
	return []graph.Value{graph.ModuleOf(n.In[0]).Float(1)}
}

// CollectOp adds a row to the table called Table: integer keys, then values.
type CollectOp struct{ Table string }

var _ graph.Tabular = CollectOp{}

// Collect adds a row to a table of the run: the key, an integer scalar such as a
// node's id, and a value of fixed extents. All rows of a table have the same
// type; Build refuses others. The table of a run lists its rows by key; equal keys are ordered by value.
//
//	run.table[name] = append(run.table[name], row{key, x})
func Collect(name string, key, x graph.Value) { graph.ApplyAll(CollectOp{name}, key, x) }

// Name implements graph.Op.
func (CollectOp) Name() string { return "collect" }

// Attrs implements graph.Op.
func (o CollectOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "table", Value: o.Table}} }

// Sink implements graph.Sink.
func (CollectOp) Sink() {}

// Row implements graph.Tabular.
func (o CollectOp) Row(in []graph.Type) (table string, row graph.Type) { return o.Table, in[1] }

// Infer implements graph.Op.
func (CollectOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if len(in) != 2 {
		return nil, fmt.Errorf("%w: %d inputs, want a key and a value", graph.ErrShape, len(in))
	}
	if err := mismatch(in[0], graph.T(graph.Int32)); err != nil {
		return nil, fmt.Errorf("%w: the key is %v, want i32", err, in[0])
	}
	if in[1].IsList() {
		return nil, fmt.Errorf("%w: cannot collect the list %v", graph.ErrShape, in[1])
	}
	return nil, nil
}
