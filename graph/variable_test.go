package graph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
)

func TestConstants(t *testing.T) {
	m := graph.NewModule("test")
	for want, v := range map[string]graph.Value{
		"i32(-3)":                  m.Int(-3),
		"f32(0.1)":                 m.Float(0.1),
		"bool(true)":               m.True(true),
		"bool(false)":              m.True(false),
		"f32[2 2](1 2 3 4)":        m.Floats([]float32{1, 2, 3, 4}, 2, 2),
		"i32[3](-2147483648 0 7)":  m.Ints([]int32{math.MinInt32, 0, 7}, 3),
		"f32[2](1e-30 1e-30)":      m.Full(1e-30, 2),
		"f32[0]()":                 m.Floats(nil, 0),
		"f32[3](NaN +Inf -Inf)":    m.Floats([]float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}, 3),
		"f32[2](-0 3.4028235e+38)": m.Floats([]float32{float32(math.Copysign(0, -1)), math.MaxFloat32}, 2),
	} {
		assert.Equal(t, want, v.Node().Op.(*graph.Const).String())
	}
}
