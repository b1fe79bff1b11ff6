package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// pairwise is an element-wise operator of two operands with results of their
// element type. An operator with a gradient rule embeds it.
type pairwise struct {
	name   string
	floats func(dst, x, y []float32) // nil: not for floats
	ints   func(dst, x, y []int32)   // nil: not for integers
	// addFloats adds the result to dst; may be nil.
	addFloats func(dst, x, y []float32)
	// divides says that integers in y must not be 0.
	divides   bool
	evalFloat func(x, y float64) float64
	evalInt   func(x, y int32) int32
}

// Name implements graph.Op.
func (o *pairwise) Name() string { return o.name }

// Attrs implements graph.Op.
func (o *pairwise) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (o *pairwise) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 2); err != nil {
		return nil, err
	}
	out, err := elements(in)
	if err != nil {
		return nil, err
	}
	if d := out.DType; d.IsFloat() && o.floats == nil || d == graph.Int32 && o.ints == nil || d == graph.Boolean {
		return nil, fmt.Errorf("%w: x %v, y %v: not defined for %v", graph.ErrDType, in[0], in[1], d)
	}
	return []graph.Type{out}, nil
}

// Lower implements Op.
func (o *pairwise) Lower(in []graph.Type, out graph.Type) Lowering {
	shapes, row := rowShapes(in, out)
	a := align(row, shapes...)
	if out.DType.IsFloat() {
		l := Lowering{Rows: zipRows(a, floats, floats, o.floats)}
		if a.whole(0) && a.whole(1) {
			l.Elements = &Elements{Zip: o.floats, AddZip: o.addFloats}
		}
		return l
	}
	kernel := zipRows(a, ints, ints, o.ints)
	if !o.divides {
		return Lowering{Rows: kernel}
	}
	return Lowering{Rows: func(b *Batch) error {
		if err := nonzero(b, shapes[1].Size()); err != nil {
			return err
		}
		return kernel(b)
	}}
}

// nonzero checks that the n integers of every row of the second operand are not 0.
func nonzero(b *Batch, n int) error {
	for i := range b.N {
		for _, d := range b.In[1].Ints(i, n) {
			if d == 0 {
				return &RowError{i, ErrDivide}
			}
		}
	}
	return nil
}

// Eval implements Op.
func (o *pairwise) Eval(in []*Tensor) (*Tensor, error) {
	x, y := in[0], in[1]
	if x.DType.IsFloat() {
		return evalFloats(x, y, o.evalFloat)
	}
	if o.divides {
		for _, d := range y.I {
			if d == 0 {
				return nil, ErrDivide
			}
		}
	}
	return evalInts(x, y, o.evalInt)
}

// operands brings the cotangents that the operands of n would have if they were
// not broadcast to the operands' types.
func operands(n *graph.Node, cts ...graph.Value) []graph.Value {
	for i, ct := range cts {
		if !ct.IsZero() {
			cts[i] = sumTo(ct, n.In[i])
		}
	}
	return cts
}
