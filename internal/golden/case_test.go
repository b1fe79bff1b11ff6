package golden

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
)

func TestCasesAreComplete(t *testing.T) {
	Load(t, "dag") // skips where there are no reference results
	names := map[string]bool{}
	EachCase(t, func(t *testing.T, c *Case) {
		names[t.Name()] = true
		require.NotNil(t, c.Graph)
		assert.NotZero(t, c.Loss)
		require.Len(t, c.Gradients, len(c.Program.Variables))
		gradients := map[*graph.Variable]bool{}
		for _, g := range c.Gradients {
			gradients[c.Program.Variable(g.Name)] = true
		}
		sum := 0.0
		for _, v := range c.Program.Variables {
			assert.True(t, gradients[v], v.Name)
			assert.Len(t, c.Weights[v.Index], v.Type.Size())
		}
		for _, e := range append(c.Examples, c.Forward...) {
			assert.Len(t, e.Inputs, len(c.Graph.In))
			assert.Len(t, e.Output, c.Graph.Out[0].Size())
		}
		for _, e := range c.Examples {
			assert.NotZero(t, e.Calls)
			sum += e.Loss
		}
		CheckLoss(t, "sum over the examples", sum, c.Loss, Float64)
	})
	assert.Len(t, names, 7+2+6, "two cases of a chain, two of each expression")
}

func TestNoCasesWithoutGradients(t *testing.T) {
	f := Load(t, "integers")
	assert.True(t, fails(func(t testing.TB) { f.Cases(t) }))
}

func TestExamplesRejectWrongOutcomes(t *testing.T) {
	c := Load(t, "treernn").Cases(t)[0]
	want := c.Examples[0]
	good := func() Outcome {
		o := Outcome{Loss: want.Loss, Output: want.Output, Tables: map[string][]Row{}}
		for i := range len(want.Inputs[0].I) {
			o.Tables["logits"] = append(o.Tables["logits"], Row{int32(i), want.Output})
		}
		return o
	}
	checked := want
	checked.checkTables = func(t testing.TB, what string, got Outcome, tol Tolerance) {
		checkLogits(t, what, got, len(want.Inputs[0].I), nil, tol) // the losses of the nodes are tested below
	}
	for name, spoil := range map[string]func(o *Outcome){
		"":       func(*Outcome) {},
		"loss":   func(o *Outcome) { o.Loss *= 1.01 },
		"NaN":    func(o *Outcome) { o.Loss = math.NaN() },
		"output": func(o *Outcome) { o.Output = []float64{0, 0, 0, 0, 0} },
		"rows":   func(o *Outcome) { o.Tables["logits"] = o.Tables["logits"][1:] },
		"key":    func(o *Outcome) { o.Tables["logits"][3].Key = 4 },
		"root":   func(o *Outcome) { o.Tables["logits"][len(o.Tables["logits"])-1].Value = []float64{0, 0, 0, 0, 0} },
	} {
		o := good()
		spoil(&o)
		assert.Equal(t, name != "", fails(func(t testing.TB) { checked.Check(t, "", o, Float32) }), name)
	}
	assert.True(t, fails(func(t testing.TB) { want.Check(t, "", good(), Float32) }), "not the losses of the nodes")

	none := func(v *graph.Variable) []float64 { return make([]float64, v.Type.Size()) }
	assert.True(t, fails(func(t testing.TB) { c.CheckTotal(t, c.Loss, none, Float32) }))
}

func TestTopDownRejectsWrongOutcomes(t *testing.T) {
	want := Load(t, "topdown_wide").Cases(t)[0].Examples[3]
	split := []Row{{1, []float64{1}}, {2, []float64{0}}, {3, []float64{0}}}
	good := Outcome{Loss: want.Loss, Output: want.Output, InputGradient: want.InputGradient, Tables: map[string][]Row{"split": split}}
	assert.False(t, fails(func(t testing.TB) { want.Check(t, "", good, Float64) }))

	bad := good
	bad.InputGradient = nil
	assert.True(t, fails(func(t testing.TB) { want.Check(t, "", bad, Float64) }))
	for _, rows := range [][]Row{nil, split[:2], append(split, Row{4, []float64{0}}), {{1, []float64{0}}}} {
		bad := good
		bad.Tables = map[string][]Row{"split": rows}
		assert.True(t, fails(func(t testing.TB) { want.Check(t, "", bad, Float64) }), "%v", rows)
	}
}

func TestShapeOf(t *testing.T) {
	yes, no := []float64{1}, []float64{0}
	assert.Equal(t, "0", shapeOf([]Row{{1, no}}))
	assert.Equal(t, "10100", shapeOf([]Row{{1, yes}, {2, no}, {3, yes}, {6, no}, {7, no}}))
	assert.Equal(t, "11000", shapeOf([]Row{{1, yes}, {2, yes}, {3, no}, {4, no}, {5, no}}))
}
