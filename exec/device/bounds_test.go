package device_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// applied returns the operator that a function applies first to values of some types.
func applied(t *testing.T, build func(in []graph.Value) graph.Value, in ...graph.Type) device.Operator {
	t.Helper()
	m := graph.NewModule("m")
	specs := make([]graph.Value, len(in))
	for i, x := range in {
		specs[i] = graph.Spec(x)
	}
	g := m.Declare("g", specs, nil)
	g.Define(nil, func(v []graph.Value) []graph.Value {
		build(v)
		return nil
	})
	_, err := m.Build()
	require.NoError(t, err)
	n := g.Nodes[len(in)]
	op := n.Op.(ops.Op)
	return device.Operator{Op: op, In: in, Out: n.Out[0], Segments: op.Lower(in, n.Out[0]).Segments != nil}
}

// executed runs an operator's batching rule for one frame, whose lists have so many
// elements, with an integer everywhere.
func executed(o device.Operator, integer, elements int) error {
	row := func(x graph.Type) ops.Rows {
		size := x.Size()
		return ops.Rows{F: make([]float32, 100), I: repeated(int32(integer), 100), Stride: size}
	}
	b := &ops.Batch{N: 1, Tmp: &ops.Scratch{}, Seg: []int32{0, int32(elements)}, Out: row(o.Out)}
	for _, x := range o.In {
		b.In = append(b.In, row(x))
	}
	rule := o.Op.(ops.Op).Lower(o.In, o.Out)
	if o.Segments {
		return rule.Segments(b)
	}
	return rule.Rows(b)
}

func repeated(x int32, n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = x
	}
	return list
}

// The batching rules take the integers that Bounds tells, and no others.
func TestBoundsAreThoseOfTheRules(t *testing.T) {
	at := func(v []graph.Value) graph.Value { return ops.At(v[0], v[1]) }
	scatter := func(v []graph.Value) graph.Value { return ops.ScatterAt(v[0], v[1], v[2]) }
	loss := func(v []graph.Value) graph.Value { return ops.CrossEntropy(v[0], v[1]) }
	hot := func(v []graph.Value) graph.Value { return ops.OneHot(v[0], 4) }
	i := func(dims ...int) graph.Type { return graph.T(graph.Int32, dims...) }
	f := func(dims ...int) graph.Type { return graph.T(graph.Float32, dims...) }
	for _, o := range []device.Operator{
		applied(t, at, f(5, 2), i()), applied(t, at, f(5), i(3)), applied(t, at, f(5, 2), i(graph.Any)), applied(t, at, f(graph.Any, 2), i(3)),
		applied(t, scatter, f(2), i(), f(4, 2)), applied(t, scatter, f(graph.Any, 2), i(graph.Any), f(4, 2)), applied(t, scatter, f(3, 2), i(3), f(graph.Any, 2)),
		applied(t, loss, f(6), i()), applied(t, loss, f(graph.Any, 3, 6), i(graph.Any, 3)), applied(t, hot, i(2)),
	} {
		const elements = 7
		name := fmt.Sprint(o.Op.Name(), o.In)
		operand, limit, ok := device.Bounds(o)
		require.True(t, ok, name)
		require.Equal(t, graph.Int32, o.In[operand].DType, name)
		if limit == graph.Any {
			limit = elements
		}
		require.NoError(t, executed(o, limit-1, elements), name)
		require.ErrorIs(t, executed(o, limit, elements), ops.ErrIndex, name)
		require.ErrorIs(t, executed(o, -1, elements), ops.ErrIndex, name)
	}
}

func TestNoOtherRuleHasBounds(t *testing.T) {
	for name, newOp := range ops.Registry() {
		op, err := newOp(nil)
		if err != nil {
			continue // it has attributes
		}
		_, _, ok := device.Bounds(device.Operator{Op: op, In: []graph.Type{graph.T(graph.Float32, 2), graph.T(graph.Int32, 2)}, Out: graph.T(graph.Float32, 2)})
		bounded := map[string]bool{"at": true, "cross_entropy": true, "cross_entropy_grad": true}
		require.Equal(t, bounded[name], ok, name)
	}
}

func TestWhichListsMustHaveElements(t *testing.T) {
	list, some := graph.T(graph.Float32, graph.Any, 3), graph.T(graph.Float32, 2, 3)
	for _, f := range []func(v []graph.Value) graph.Value{
		func(v []graph.Value) graph.Value { return ops.MaxOver(v[0], 0) },
		func(v []graph.Value) graph.Value { return ops.ArgMax(v[0], 0) },
		func(v []graph.Value) graph.Value { return ops.ArgMax(v[0], 1) },
		func(v []graph.Value) graph.Value { return ops.Sum(v[0], 0) },
		func(v []graph.Value) graph.Value { return ops.SoftmaxAxis(v[0], 0) },
	} {
		for _, x := range []graph.Type{list, some} {
			o := applied(t, f, x)
			failed := errors.Is(executed(o, 0, 0), ops.ErrLength)
			require.Equal(t, failed, device.WantsElements(o), "%s %v", o.Op.Name(), x)
		}
	}
}
