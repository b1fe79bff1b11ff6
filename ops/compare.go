package ops

import (
	"cmp"

	"github.com/frondml/frond/graph"
)

// Less returns x < y, element-wise and broadcast, of f32 or i32 -> bool. As in
// every comparison but NotEqual, NaN gives false.
func Less(x, y graph.Value) graph.Value { return apply(less, x, y) }

// LessEqual returns x <= y, element-wise and broadcast, of f32 or i32 -> bool.
func LessEqual(x, y graph.Value) graph.Value { return apply(lessEqual, x, y) }

// Greater returns x > y, element-wise and broadcast, of f32 or i32 -> bool.
func Greater(x, y graph.Value) graph.Value { return apply(greater, x, y) }

// GreaterEqual returns x >= y, element-wise and broadcast, of f32 or i32 -> bool.
func GreaterEqual(x, y graph.Value) graph.Value { return apply(greaterEqual, x, y) }

// Equal returns x == y, element-wise and broadcast, of f32, i32 or bool -> bool.
func Equal(x, y graph.Value) graph.Value { return apply(equal, x, y) }

// NotEqual returns x != y, element-wise and broadcast, of f32, i32 or bool ->
// bool. NaN differs from everything.
func NotEqual(x, y graph.Value) graph.Value { return apply(notEqual, x, y) }

var (
	less         = comparison("less", lessElements[float32], lessElements[int32], isLess[float64], isLess[int32])
	lessEqual    = comparison("less_equal", lessEqualElements[float32], lessEqualElements[int32], isLessEqual[float64], isLessEqual[int32])
	greater      = comparison("greater", swapped(lessElements[float32]), swapped(lessElements[int32]), isGreater[float64], isGreater[int32])
	greaterEqual = comparison("greater_equal", swapped(lessEqualElements[float32]), swapped(lessEqualElements[int32]), isGreaterEqual[float64], isGreaterEqual[int32])
	equal        = equality("equal", equalElements[float32], equalElements[int32], isEqual[float64], isEqual[int32])
	notEqual     = equality("not_equal", notEqualElements[float32], notEqualElements[int32], isNotEqual[float64], isNotEqual[int32])
)

func comparison(name string, floats func(dst []int32, x, y []float32), ints func(dst, x, y []int32),
	evalFloat func(x, y float64) bool, evalInt func(x, y int32) bool) *predicate {
	return &predicate{name: name, floats: floats, ints: ints, numbers: true, evalFloat: evalFloat, evalInt: evalInt}
}

func equality(name string, floats func(dst []int32, x, y []float32), ints func(dst, x, y []int32),
	evalFloat func(x, y float64) bool, evalInt func(x, y int32) bool) *predicate {
	p := comparison(name, floats, ints, evalFloat, evalInt)
	p.truths = true
	return p
}

func swapped[T element](f func(dst []int32, x, y []T)) func(dst []int32, x, y []T) {
	return func(dst []int32, x, y []T) { f(dst, y, x) }
}

func lessElements[T element](dst []int32, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = truth(x[i] < y[i])
	}
}

func lessEqualElements[T element](dst []int32, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = truth(x[i] <= y[i])
	}
}

func equalElements[T element](dst []int32, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = truth(x[i] == y[i])
	}
}

func notEqualElements[T element](dst []int32, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = truth(x[i] != y[i])
	}
}

func isLess[T cmp.Ordered](x, y T) bool         { return x < y }
func isLessEqual[T cmp.Ordered](x, y T) bool    { return x <= y }
func isGreater[T cmp.Ordered](x, y T) bool      { return x > y }
func isGreaterEqual[T cmp.Ordered](x, y T) bool { return x >= y }
func isEqual[T cmp.Ordered](x, y T) bool        { return x == y }
func isNotEqual[T cmp.Ordered](x, y T) bool     { return x != y }
