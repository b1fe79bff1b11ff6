package optest_test

import (
	"fmt"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

// A case gives an operator the inputs that it needs; the suite does the rest.
func ExampleCheck() {
	fmt.Println(optest.Check(optest.Case{
		Name:    "an element of a list",
		Build:   func(_ *graph.Module, in []graph.Value) graph.Value { return ops.At(in[0], in[1]) },
		In:      []graph.Type{graph.T(graph.Float32, graph.Any, 3), graph.T(graph.Int32)},
		Lengths: [][]int{{1}, {4}},
		IntRange: func(_ int, lens []int) (lo, hi int) {
			return 0, lens[0] // an index into the list
		},
	}))
	// Output: <nil>
}
