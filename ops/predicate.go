package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// predicate is an element-wise operator of two operands with truth values as
// results. It has no gradient rule: its result does not change where it is
// differentiable.
type predicate struct {
	name      string
	floats    func(dst []int32, x, y []float32) // nil: not for floats
	ints      func(dst []int32, x, y []int32)   // for integers and truth values
	numbers   bool                              // defined for i32
	truths    bool                              // defined for bool
	evalFloat func(x, y float64) bool
	evalInt   func(x, y int32) bool
}

// Name implements graph.Op.
func (o *predicate) Name() string { return o.name }

// Attrs implements graph.Op.
func (o *predicate) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (o *predicate) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 2); err != nil {
		return nil, err
	}
	out, err := elements(in)
	if err != nil {
		return nil, err
	}
	d := out.DType
	if d.IsFloat() && o.floats == nil || d == graph.Int32 && !o.numbers || d == graph.Boolean && !o.truths {
		return nil, fmt.Errorf("%w: x %v, y %v: not defined for %v", graph.ErrDType, in[0], in[1], d)
	}
	out.DType = graph.Boolean
	return []graph.Type{out}, nil
}

// Lower implements Op.
func (o *predicate) Lower(in []graph.Type, out graph.Type) Lowering {
	shapes, row := rowShapes(in, out)
	a := align(row, shapes...)
	if in[0].DType.IsFloat() {
		return Lowering{Rows: zipRows(a, floats, ints, o.floats)}
	}
	return Lowering{Rows: zipRows(a, ints, ints, o.ints)}
}

// Eval implements Op.
func (o *predicate) Eval(in []*Tensor) (*Tensor, error) {
	x, y := in[0], in[1]
	shape, err := evalShape(x, y)
	if err != nil {
		return nil, err
	}
	z := NewTensor(graph.Boolean, shape...)
	i := 0
	positions(shape, func(at []int) {
		var yes bool
		if x.DType.IsFloat() {
			yes = o.evalFloat(x.F[x.index(at)], y.F[y.index(at)])
		} else {
			yes = o.evalInt(x.I[x.index(at)], y.I[y.index(at)])
		}
		z.I[i] = truth(yes)
		i++
	})
	return z, nil
}

// truth is 1 for true and 0 for false, which compiles to no branch.
func truth(yes bool) int32 {
	var i int32
	if yes {
		i = 1
	}
	return i
}
