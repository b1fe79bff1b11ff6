package ops_test

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Operators return values, not errors. Build reports all mistakes at once, each at
// the line that made it; what follows from a mistake is not reported again.
func Example_mistakes() {
	m := graph.NewModule("model")
	w := m.Var("W", graph.F32(3, 4), graph.Xavier())
	layer := recursion.Declare(m, "layer", graph.F32(3), graph.F32(3))
	layer.Define(func(x graph.Value) graph.Value {
		y := ops.MatVec(w, x)
		z := ops.Tanh(ops.Add(y, x)) // no mistake of its own
		pair := ops.Concat(x, m.Int(1))
		third := ops.Slice(x, 0, 2, 5)
		return ops.Add(z, pair, third)
	})
	_, err := m.Build()
	fmt.Println(err)
	fmt.Println(errors.Is(err, graph.ErrShape), errors.Is(err, graph.ErrDType))
	// Output:
	// example_test.go:19: matvec: shape error: w f32[3 4], x f32[3]: want f32 w [h d], x [d] or [? d]
	// example_test.go:21: concat: element type error: input 0 is f32[3], input 1 i32: want one element type
	// example_test.go:22: slice: shape error: x f32[3]: want 0 <= 2 < 5 <= 3 along axis 0
	// true true
}
