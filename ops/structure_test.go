package ops_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

// structureCases are the conformance cases of the operators in
// registry_structure.go, and of what is composed of them.
var structureCases = slices.Concat(matmulCases, outerCases, bilinearCases, weightedSumCases,
	sliceCases, padCases, concatCases, stackCases, reshapeCases, transposeCases,
	atCases, scatterAtCases, lenCases, rangeCases, spanCases, listCases, joinCases)

func TestStructure(t *testing.T) {
	for _, c := range structureCases {
		optest.Run(t, c)
	}
}

// caseOf builds a case named after the operator and the types of its inputs.
func caseOf(name string, build func(in []graph.Value) graph.Value, in ...graph.Type) optest.Case {
	for _, t := range in {
		name += " " + t.String()
	}
	return optest.Case{
		Name:  name,
		Build: func(_ *graph.Module, in []graph.Value) graph.Value { return build(in) },
		In:    in,
	}
}

func noGradCase(c optest.Case) optest.Case {
	c.NoGrad = true
	return c
}

func lengths(c optest.Case, lens ...[]int) optest.Case {
	c.Lengths = lens
	return c
}

// eval computes a composition of operators on whole tensors.
func eval(t *testing.T, build func(in []graph.Value) graph.Value, in ...*ops.Tensor) *ops.Tensor {
	t.Helper()
	types := make([]graph.Type, len(in))
	for i, x := range in {
		types[i] = x.Type()
	}
	out, err := evalAs(build, types, in...)
	require.NoError(t, err)
	return out
}

// evalAs is eval for inputs of given types, lists among them.
func evalAs(build func(in []graph.Value) graph.Value, types []graph.Type, in ...*ops.Tensor) (*ops.Tensor, error) {
	m := graph.NewModule("eval")
	g := m.DeclareBody("eval", specs(types))
	g.DefineBody(nil, func(params []graph.Value) []graph.Value { return []graph.Value{build(params)} })
	if len(g.Results) != 1 || g.Results[0].IsPoison() {
		_, err := m.Build()
		return nil, err
	}
	out, err := optest.Eval(g, in)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// buildError returns the mistakes recorded when a graph applies build.
func buildError(build func(in []graph.Value) graph.Value, in ...graph.Type) error {
	m := graph.NewModule("mistakes")
	m.Declare("main", specs(in), nil).Define(nil, func(params []graph.Value) []graph.Value {
		build(params)
		return nil
	})
	_, err := m.Build()
	return err
}

func specs(types []graph.Type) []graph.Value {
	vs := make([]graph.Value, len(types))
	for i, t := range types {
		vs[i] = graph.Spec(t)
	}
	return vs
}

// mistake is a wrong use of an operator and a part of the message it must give.
type mistake struct {
	in   []graph.Type
	want string
	is   error
}

func testMistakes(t *testing.T, build func(in []graph.Value) graph.Value, mistakes ...mistake) {
	t.Helper()
	for _, m := range mistakes {
		err := buildError(build, m.in...)
		assert.ErrorContains(t, err, m.want, "%v", m.in)
		assert.ErrorIs(t, err, m.is, "%v", m.in)
		assert.ErrorContains(t, err, "_test.go:", "%v", m.in)
	}
}

// kernelError runs the batching rule on frames of which the last is wrong and
// asserts that it reports that frame.
func kernelError(t *testing.T, op ops.Op, is error, in []graph.Type, frames ...[]*ops.Tensor) {
	t.Helper()
	_, err := optest.Kernel(op, in, frames[:len(frames)-1]...)
	require.NoError(t, err)
	_, err = optest.Kernel(op, in, frames...)
	require.ErrorIs(t, err, is)
	var row *ops.RowError
	require.ErrorAs(t, err, &row)
	assert.Equal(t, len(frames)-1, row.Row)
	_, err = op.Eval(frames[len(frames)-1])
	require.ErrorIs(t, err, is)
}

func types(ts ...graph.Type) []graph.Type { return ts }

func one(f func(graph.Value) graph.Value) func([]graph.Value) graph.Value {
	return func(in []graph.Value) graph.Value { return f(in[0]) }
}

func two(f func(a, b graph.Value) graph.Value) func([]graph.Value) graph.Value {
	return func(in []graph.Value) graph.Value { return f(in[0], in[1]) }
}

func three(f func(a, b, c graph.Value) graph.Value) func([]graph.Value) graph.Value {
	return func(in []graph.Value) graph.Value { return f(in[0], in[1], in[2]) }
}

func variadic(f func(...graph.Value) graph.Value) func([]graph.Value) graph.Value {
	return func(in []graph.Value) graph.Value { return f(in...) }
}

// registered makes the operator without attributes that is registered by a name.
func registered(t *testing.T, name string) ops.Op {
	t.Helper()
	op, err := ops.Registry()[name](nil)
	require.NoError(t, err)
	return op.(ops.Op)
}
