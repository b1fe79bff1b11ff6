package reference_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/internal/reference"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/golden"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

func TestGoldenModels(t *testing.T) {
	golden.EachCase(t, func(t *testing.T, c *golden.Case) {
		if testing.Short() && strings.Contains(t.Name(), "e300") {
			t.Skip("takes some seconds")
		}
		testModel(t, c, reference.Options{}, golden.Float64)
	})
}

// Rounding to float32 after every operator must stay within what executions in
// float32 are allowed.
func TestGoldenModelsFloat32(t *testing.T) {
	for _, name := range []string{"treelstm_binary_e12_h10", "treelstm_childsum", "topdown_wide"} {
		t.Run(name, func(t *testing.T) {
			testModel(t, golden.Load(t, name).Cases(t)[0], reference.Options{Float32: true}, golden.Float32)
		})
	}
}

// A program that was printed and parsed computes what the original does.
func TestGoldenParsedPrograms(t *testing.T) {
	for _, name := range []string{"treelstm_binary_e12_h10", "treelstm_childsum", "topdown_wide"} {
		t.Run(name, func(t *testing.T) {
			c := golden.Load(t, name).Cases(t)[0]
			parsed, err := graph.Parse(strings.NewReader(c.Program.String()), recursion.Registry())
			require.NoError(t, err)
			for i, v := range c.Program.Variables {
				require.Equal(t, v.Name, parsed.Variables[i].Name)
			}
			c.Program, c.Graph = parsed, parsed.Graph(c.Graph.Name)
			testModel(t, c, reference.Options{}, golden.Float64)
		})
	}
}

// testModel executes the examples of a case one by one and adds up what they give.
func testModel(t *testing.T, c *golden.Case, o reference.Options, tol golden.Tolerance) {
	t.Helper()
	req := reference.Request{Graph: c.Graph, Vars: map[*graph.Variable]*ops.Tensor{}}
	gradients := map[*graph.Variable][]float64{}
	for _, v := range c.Program.Variables {
		req.Vars[v] = floats(v.Type.Shape, c.Weights[v.Index]...)
		gradients[v] = make([]float64, v.Type.Size())
	}
	for _, e := range c.Forward {
		req.Inputs = e.Inputs
		r, err := reference.Run(context.Background(), o, req)
		require.NoError(t, err)
		golden.CheckValues(t, "output", r.Results[0].F, e.Output, tol)
	}
	req.Grad = true
	loss := 0.0
	for i, e := range c.Examples {
		req.Inputs = e.Inputs
		r, err := reference.Run(context.Background(), o, req)
		require.NoError(t, err)
		e.Check(t, "example", outcome(r), tol)
		assert.Equal(t, e.Calls+e.Mapped, r.Calls, "invocations of example %d", i)
		if e.Depth > 0 {
			assert.Equal(t, e.Depth, r.Depth, "depth of example %d", i)
		}
		loss += r.Loss
		for v, g := range r.VarGrads {
			for j, d := range g.F {
				gradients[v][j] += d
			}
		}
	}
	c.CheckTotal(t, loss, func(v *graph.Variable) []float64 { return gradients[v] }, tol)
}

func outcome(r *reference.Result) golden.Outcome {
	o := golden.Outcome{Loss: r.Loss, Output: r.Results[0].F, Tables: map[string][]golden.Row{}}
	if g := r.InputGrads[0]; g != nil {
		o.InputGradient = g.F
	}
	for name, rows := range r.Tables {
		for _, row := range rows {
			x := golden.Row{Key: row.Key, Value: row.Value.F}
			for _, i := range row.Value.I {
				x.Value = append(x.Value, float64(i))
			}
			o.Tables[name] = append(o.Tables[name], x)
		}
	}
	return o
}

func TestGoldenIntegers(t *testing.T) {
	file := golden.Load(t, "integers")
	for _, c := range file.Integers(t) {
		for i, args := range c.Args {
			in := make([]*ops.Tensor, len(args))
			for k, a := range args {
				in[k] = integer(a)
			}
			r := run(t, c.Graph, in...)
			assert.Equal(t, c.Value[i], r.Results[0].I[0], "%s%v", c.Name, args)
			assert.Equal(t, c.Calls[i], r.Calls, "calls of %s%v", c.Name, args)
			assert.Equal(t, c.Depth[i], r.Depth, "depth of %s%v", c.Name, args)
		}
	}
}

func TestGoldenTreeStats(t *testing.T) {
	file := golden.Load(t, "integers")
	want, g := file.TreeStats(t)
	for i, tree := range file.Trees(t) {
		r := run(t, g, ints(tree.Left...), ints(tree.Right...), ints(tree.Label...))
		for k, w := range []int32{want.Depth[i], want.LabelSum[i], want.Leaves[i], want.Nodes[i]} {
			assert.Equal(t, w, r.Results[k].I[0], "tree %d, result %d", i, k)
		}
		assert.Equal(t, int(want.Depth[i])+2, r.Depth)
	}
}
