package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

var (
	and = connective("and", func(x, y int32) int32 { return x & y })
	or  = connective("or", func(x, y int32) int32 { return x | y })
	xor = connective("xor", func(x, y int32) int32 { return x ^ y })
)

// And returns whether x and y are true, element-wise and broadcast, of bool.
// Both are computed.
func And(x, y graph.Value) graph.Value { return apply(and, x, y) }

// Or returns whether x or y is true, element-wise and broadcast, of bool. Both
// are computed.
func Or(x, y graph.Value) graph.Value { return apply(or, x, y) }

// Xor returns whether one of x and y is true, element-wise and broadcast, of bool.
func Xor(x, y graph.Value) graph.Value { return apply(xor, x, y) }

// connective makes an operator on truth values from the function on 0 and 1.
func connective(name string, f func(x, y int32) int32) *predicate {
	return &predicate{
		name: name, truths: true,
		ints: func(dst, x, y []int32) {
			x, y = x[:len(dst)], y[:len(dst)]
			for i := range dst {
				dst[i] = f(x[i], y[i])
			}
		},
		evalInt: func(x, y int32) bool { return f(x, y) != 0 },
	}
}

type notOp struct{}

// Not returns whether x is false, element-wise, of bool.
func Not(x graph.Value) graph.Value { return apply(notOp{}, x) }

// Name implements graph.Op.
func (notOp) Name() string { return "not" }

// Attrs implements graph.Op.
func (notOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (notOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 1); err != nil {
		return nil, err
	}
	if in[0].DType != graph.Boolean {
		return nil, fmt.Errorf("%w: x %v, want bool", graph.ErrDType, in[0])
	}
	return in, nil
}

// Lower implements Op.
func (notOp) Lower(_ []graph.Type, out graph.Type) Lowering {
	row := rowType(out).Shape
	return Lowering{Rows: mapRows(align(row, row), ints, ints, notTruths)}
}

func notTruths(dst, x []int32) {
	for i, v := range x {
		dst[i] = v ^ 1
	}
}

// Eval implements Op.
func (notOp) Eval(in []*Tensor) (*Tensor, error) {
	z := in[0].Clone()
	for i, v := range z.I {
		z.I[i] = truth(v == 0)
	}
	return z, nil
}

var _ Op = notOp{}
