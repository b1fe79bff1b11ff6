package ops

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/graph"
)

// MatMulOp is the operator of the matrix products. TransA and TransB transpose
// the last two axes of an operand first; a vector a cannot be transposed.
type MatMulOp struct{ TransA, TransB bool }

// MatMul returns the matrix product of a and b:
//
//	a [d],     b [d h]   -> [h]
//	a [n d],   b [d h]   -> [n h]
//	a [k n d], b [k d h] -> [k n h]   k products
//	a [? d],   b [d h]   -> [? h]     for every element of a
//	a [? n d], b [d h]   -> [? n h]
//	a [d],     b [? d h] -> [? h]     for every element of b
//	a [? d],   b [? d h] -> [? h]     element by element
//	a [? n d], b [? n h] -> ...       likewise with matrices
//
// The operator with TransA also multiplies two lists of vectors: a [? d],
// b [? h] -> [d h], the sum of the outer products of their elements.
//
// Gradient: da = ct·bᵀ, db = aᵀ·ct, summed over the elements for which an
// operand was used.
func MatMul(a, b graph.Value) graph.Value { return apply(MatMulOp{}, a, b) }

// MatMulT is MatMul with the last two axes of b transposed: a [n d], b [h d] ->
// [n h].
func MatMulT(a, b graph.Value) graph.Value { return apply(MatMulOp{TransB: true}, a, b) }

// MatVec returns the product of a matrix and a vector: w [h d], x [d] -> [h],
// and that with each element of a list x [? d] -> [? h].
func MatVec(w, x graph.Value) graph.Value {
	op, m := MatMulOp{TransB: true}, graph.ModuleOf(w, x)
	if !m.Check("matvec", w, x) {
		return graph.Poisoned()
	}
	wt, xt := w.Type(), x.Type()
	if _, err := op.Infer([]graph.Type{xt, wt}); err != nil {
		// The message of the product would name the operands the other way round.
		kind := graph.ErrShape
		if errors.Is(err, graph.ErrDType) {
			kind = graph.ErrDType
		}
		return m.Errorf("matvec", "%w: w %v, x %v: want f32 w [h d], x [d] or [? d]", kind, wt, xt)
	}
	return apply(op, x, w)
}

// Name implements graph.Op.
func (MatMulOp) Name() string { return "matmul" }

// Attrs implements graph.Op.
func (o MatMulOp) Attrs() []graph.Attr {
	return []graph.Attr{{Key: "trans_a", Value: o.TransA}, {Key: "trans_b", Value: o.TransB}}
}

// Infer implements graph.Op.
func (o MatMulOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 2); err != nil {
		return nil, err
	}
	if err := wantFloat(in...); err != nil {
		return nil, err
	}
	a, b := in[0], in[1]
	if o.overLists(a, b) {
		return []graph.Type{graph.T(a.DType, a.Shape[1], b.Shape[1])}, nil
	}
	if err := o.checkRanks(a, b); err != nil {
		return nil, err
	}
	p := o.product(rowType(a).Shape, rowType(b).Shape)
	if bd := o.inner(rowType(b).Shape); p.d != bd {
		return nil, fmt.Errorf("%w: a %v, b %v: want a %s", graph.ErrShape, a, b, o.wanted(a, bd))
	}
	out := graph.Type{DType: a.DType}
	switch rowType(a).Rank() {
	case 1:
		out.Shape = graph.Shape{p.h}
	case 2:
		out.Shape = graph.Shape{p.n, p.h}
	default:
		if a.Shape[0] != b.Shape[0] {
			return nil, fmt.Errorf("%w: a %v, b %v: %d products and %d", graph.ErrShape, a, b, a.Shape[0], b.Shape[0])
		}
		out.Shape = graph.Shape{p.count, p.n, p.h}
	}
	if anyList(in) {
		out = graph.ListOf(out)
	}
	return []graph.Type{out}, nil
}

// overLists reports whether the operator sums the outer products of the elements
// of two lists of vectors.
func (o MatMulOp) overLists(a, b graph.Type) bool {
	return o.TransA && !o.TransB && a.IsList() && b.IsList() && a.Rank() == 2 && b.Rank() == 2
}

// checkRanks reports types that are not among those of MatMul.
func (o MatMulOp) checkRanks(a, b graph.Type) error {
	ra, rb := rowType(a).Rank(), rowType(b).Rank()
	lists := a.IsList() || b.IsList()
	switch {
	case ra == 1 && rb == 2 && o.TransA:
		return fmt.Errorf("%w: a %v, b %v: a vector cannot be transposed", graph.ErrShape, a, b)
	case ra == 1 && rb == 2, ra == 2 && rb == 2 && (a.IsList() || !b.IsList()), ra == 3 && rb == 3 && !lists:
		return nil
	}
	return fmt.Errorf("%w: a %v, b %v: want a [d], [n d], [? d] or [? n d] with b [d h], a [d] or [? d] or [? n d] with b [? d h], or a [k n d] with b [k d h]", graph.ErrShape, a, b)
}

// inner is the extent of b along which the product sums.
func (o MatMulOp) inner(b graph.Shape) int {
	if o.TransB {
		return b[len(b)-1]
	}
	return b[len(b)-2]
}

// wanted describes an operand a that would fit.
func (o MatMulOp) wanted(a graph.Type, d int) string {
	if o.TransA {
		return fmt.Sprintf("[.. %d %d]", d, a.Shape[a.Rank()-1])
	}
	return fmt.Sprintf("[.. %d]", d)
}

// Gradient implements graph.Differentiable.
func (o MatMulOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	a, b := n.In[0], n.In[1]
	at, bt := a.Type(), b.Type()
	switch {
	case o.overLists(at, bt):
		return []graph.Value{MatMulT(b, ct), MatMul(a, ct)}
	case rowType(at).Rank() == 1:
		return []graph.Value{sumTo(apply(MatMulOp{TransB: !o.TransB}, ct, b), a), o.vectorGradient(a, b, ct)}
	}
	return []graph.Value{o.leftGradient(a, b, ct), sumTo(o.rightGradient(a, ct), b)}
}

// vectorGradient is the contribution to b when rows of a are vectors.
func (o MatMulOp) vectorGradient(a, b, ct graph.Value) graph.Value {
	x, y := a, ct
	if o.TransB {
		x, y = ct, a
	}
	if a.Type().IsList() && !b.Type().IsList() {
		return apply(MatMulOp{TransA: true}, x, y)
	}
	return Outer(x, y)
}

// leftGradient is the contribution to a when its rows are matrices.
func (o MatMulOp) leftGradient(a, b, ct graph.Value) graph.Value {
	switch {
	case !o.TransA:
		return apply(MatMulOp{TransB: !o.TransB}, ct, b)
	case a.Type().IsList() && !b.Type().IsList():
		return Transpose(apply(MatMulOp{TransB: !o.TransB}, ct, b))
	}
	return apply(MatMulOp{TransA: o.TransB, TransB: true}, b, ct)
}

// rightGradient is the contribution to b, for every element of lists, when the
// rows of a are matrices.
func (o MatMulOp) rightGradient(a, ct graph.Value) graph.Value {
	if o.TransB {
		return apply(MatMulOp{TransA: true, TransB: o.TransA}, ct, a)
	}
	return apply(MatMulOp{TransA: !o.TransA}, a, ct)
}

var _ graph.Differentiable = MatMulOp{}
