package graph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
)

func TestTypesPrintAndParse(t *testing.T) {
	for text, want := range map[string]graph.Type{
		"f32":         graph.T(graph.Float32),
		"i32[?]":      graph.T(graph.Int32, graph.Any),
		"bool[2 3]":   graph.T(graph.Boolean, 2, 3),
		"f64[? 150]":  graph.T(graph.Float64, graph.Any, 150),
		"f32[0 7]":    graph.T(graph.Float32, 0, 7),
		"f32[1 1 1]":  graph.T(graph.Float32, 1, 1, 1),
		"f32[123456]": graph.T(graph.Float32, 123456),
	} {
		assert.Equal(t, text, want.String())
		got, err := graph.ParseType(text)
		require.NoError(t, err, text)
		assert.True(t, got.Equal(want), text)
	}
	for _, text := range []string{"", "f16", "f32[", "f32]", "f32[2", "f32[2 ?]", "f32[-1]", "f32[2 0]", "f32[x]", "[2]", "invalid", "f32[99999999999999999999]"} {
		_, err := graph.ParseType(text)
		assert.Error(t, err, text)
	}
}

func TestTypeParts(t *testing.T) {
	list := graph.T(graph.Float32, graph.Any, 2, 3)
	assert.True(t, list.IsList())
	assert.False(t, list.IsScalar())
	assert.Equal(t, 3, list.Rank())
	assert.Equal(t, 6, list.Size(), "a list counts the elements of one row")
	assert.Equal(t, "f32[2 3]", list.Elem().String())
	assert.True(t, graph.ListOf(list.Elem()).Equal(list))
	scalar := graph.T(graph.Int32)
	assert.True(t, scalar.IsScalar())
	assert.Equal(t, 1, scalar.Size())
	assert.True(t, scalar.Elem().Equal(scalar))
	assert.False(t, scalar.Equal(graph.T(graph.Float32)))
	assert.False(t, graph.T(graph.Float32, 2).Equal(graph.T(graph.Float32, 3)))
	assert.True(t, graph.Float64.IsFloat())
	assert.False(t, graph.Boolean.IsFloat())
	assert.Equal(t, "invalid", graph.DType(0).String())
	assert.Equal(t, "invalid", graph.DType(77).String())
}

func TestValuesDescribeThemselves(t *testing.T) {
	spec := graph.F32(graph.Any, 2)
	assert.True(t, spec.IsSpec())
	assert.Equal(t, "f32[? 2]", spec.String())
	assert.Nil(t, spec.Node())
	assert.Nil(t, spec.Graph())
	assert.Nil(t, spec.Module())
	assert.Nil(t, spec.Variable())
	assert.True(t, graph.Value{}.IsZero())
	assert.Equal(t, "zero Value", graph.Value{}.String())
	assert.True(t, graph.Poisoned().IsPoison())
	assert.Equal(t, "poisoned value", graph.Poisoned().String())
	assert.Equal(t, graph.Type{}, graph.Poisoned().Type())

	m := graph.NewModule("test")
	pos := here(1)
	c := m.Full(0.5, 2)
	assert.Equal(t, "f32[2] of const at "+pos, c.String())
	assert.True(t, c.IsGlobal())
	assert.Same(t, m, graph.ModuleOf(spec, graph.Value{}, c))
	assert.Nil(t, graph.ModuleOf(spec))
}
