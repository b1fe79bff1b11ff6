package ops

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/graph"
)

// missing is the extent of an axis that a shape does not have.
const missing = -2

// extent returns the extent of the axis that is back axes before the end.
func extent(s graph.Shape, back int) int {
	if back > len(s) {
		return missing
	}
	return s[len(s)-back]
}

// broadcast returns the shape of the result of an element-wise operator on x
// and y. It is the only definition of which shapes fit.
func broadcast(x, y graph.Type) (graph.Shape, error) {
	out := make(graph.Shape, max(x.Rank(), y.Rank()))
	for back := 1; back <= len(out); back++ {
		a, b := extent(x.Shape, back), extent(y.Shape, back)
		d := a
		switch {
		case a == b, b == missing:
		case a == missing:
			d = b
		case a == 1 && b != graph.Any:
			d = b
		case b == 1 && a != graph.Any:
		default:
			return nil, fmt.Errorf("%w: x %v, y %v: extents %s and %s do not fit; aligned at the last axis, want equal ones, or 1 or none beside a known one",
				graph.ErrShape, x, y, extentString(a), extentString(b))
		}
		out[len(out)-back] = d
	}
	return out, nil
}

func extentString(d int) string {
	if d == graph.Any {
		return "?"
	}
	return fmt.Sprint(d)
}

// elements returns the type of the result of an element-wise operator whose
// operands have one element type: broadcast, with the element type kept.
func elements(in []graph.Type) (graph.Type, error) {
	out := in[0]
	for _, t := range in[1:] {
		if t.DType != out.DType {
			return out, fmt.Errorf("%w: x %v, y %v: want one element type; Cast converts", graph.ErrDType, out, t)
		}
		s, err := broadcast(out, t)
		if err != nil {
			return out, err
		}
		out.Shape = s
	}
	return out, nil
}

// wantInputs checks the number of inputs.
func wantInputs(in []graph.Type, n int) error {
	if len(in) != n {
		return fmt.Errorf("%w: %d inputs, want %d", graph.ErrInvalid, len(in), n)
	}
	return nil
}

// wantFloat checks that every type is a float type.
func wantFloat(in ...graph.Type) error {
	for i, t := range in {
		if !t.DType.IsFloat() {
			return fmt.Errorf("%w: input %d is %v, want f32", graph.ErrDType, i, t)
		}
	}
	return nil
}

// anyList reports whether one of the types is a list.
func anyList(in []graph.Type) bool {
	for _, t := range in {
		if t.IsList() {
			return true
		}
	}
	return false
}

// rowShapes returns the shapes of a row of every input and of the result, for an
// operator that works on every element of lists.
func rowShapes(in []graph.Type, out graph.Type) ([]graph.Shape, graph.Shape) {
	shapes := make([]graph.Shape, len(in))
	for i, t := range in {
		shapes[i] = rowType(t).Shape
	}
	return shapes, rowType(out).Shape
}

// rowType is the type of what a kernel's row holds: the value, or one element of a list.
func rowType(t graph.Type) graph.Type {
	if t.IsList() {
		return t.Elem()
	}
	return t
}

// sumTo brings ct, a cotangent of the type of a broadcast result, to the type of
// the operand x by summing over the axes along which x was repeated.
func sumTo(ct, x graph.Value) graph.Value {
	from, to := ct.Type().Shape, x.Type().Shape
	if from.Equal(to) {
		return ct
	}
	lacking := axisRange(0, len(from)-len(to))
	if lacking != 0 {
		ct = apply(sumOp{axes: lacking}, ct)
		from = from[len(from)-len(to):]
	}
	var ones axisSet
	for i := range to {
		if to[i] == 1 && from[i] != 1 {
			ones |= axisRange(i, i+1)
		}
	}
	if ones != 0 {
		ct = apply(sumOp{axes: ones, keep: true}, ct)
	}
	return ct
}

// expandLike repeats ct, whose shape is that of x without the given axes (or
// with extents of 1 elsewhere), to the shape of x. Of x only the shape matters;
// x is an input of the node only when its length is not known before.
func expandLike(ct, x graph.Value, axes axisSet) graph.Value {
	t := x.Type()
	op := &expandOp{axes: axes, dims: t.Shape}
	if t.IsList() && axes.has(0) {
		return apply(op, ct, x)
	}
	return apply(op, ct)
}

// BroadcastTo repeats x to the given extents, by the rules of broadcasting:
// x [150] to 25, 150 -> [25 150]. The first extent of a list is graph.Any.
func BroadcastTo(x graph.Value, dims ...int) graph.Value {
	if m := graph.ModuleOf(x); x.Node() != nil && len(dims) > 0 && dims[0] == graph.Any && !x.Type().IsList() {
		return m.Errorf("expand", "%w: x %v does not expand to %v, whose length is not known", graph.ErrShape, x.Type(), graph.Shape(dims))
	}
	lacking := max(0, len(dims)-x.Type().Rank())
	return apply(&expandOp{axes: axisRange(0, lacking), dims: slices.Clone(dims)}, x)
}

// ZerosLike returns zeros (false for truth values) of the type of x.
func ZerosLike(x graph.Value) graph.Value { return fullLike(x, 0) }

// OnesLike returns ones (true for truth values) of the type of x.
func OnesLike(x graph.Value) graph.Value { return fullLike(x, 1) }

func fullLike(x graph.Value, c int) graph.Value {
	m := x.Module()
	if m == nil {
		return apply(&expandOp{}, x)
	}
	var one graph.Value
	switch x.Type().DType {
	case graph.Int32:
		one = m.Int(c)
	case graph.Boolean:
		one = m.True(c != 0)
	default:
		one = m.Float(float64(c))
	}
	return expandLike(one, x, axisRange(0, x.Type().Rank()))
}
