package models_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
)

// weights are the variables of a model by name, row-major.
type weights map[string][]float64

// equations are a model and the same model written a second time, in plain Go and
// double precision, as the documentation says it: what input i of the inputs gives.
type equations struct {
	build  func(m *graph.Module) *graph.Graph
	inputs [][]exec.Array
	run    func(w weights, i int) (output []float64, loss float64)
}

// check compares the model with the equations, its gradients with their central
// differences, and every way to execute it with every other.
func (e equations) check(t *testing.T) {
	t.Helper()
	m := graph.NewModule("test")
	g := e.build(m)
	p, err := m.Build()
	require.NoError(t, err)
	oracle, err := exec.New(p, exec.Options{Reference: true, Float64: true})
	require.NoError(t, err)
	w := randomWeights(t, oracle)

	r, err := oracle.Gradients(context.Background(), g, e.inputs, exec.GradOptions{})
	require.NoError(t, err)
	for i := range e.inputs {
		output, loss := e.run(w, i)
		assert.InDelta(t, loss, r.Losses[i], 1e-9*(1+math.Abs(loss)), "loss of input %d", i)
		require.Len(t, r.Outputs[i][0].F, len(output))
		for k, x := range r.Outputs[i][0].F {
			assert.InDelta(t, output[k], x, 1e-6, "output %d of input %d", k, i)
		}
	}
	for _, v := range p.Variables {
		assertClose(t, e.differences(w, v.Name), r.Gradients.Of(v).Full(), 1e-6, "gradient of "+v.Name)
	}
	e.checkExecution(t, oracle, g, r)
}

// randomWeights gives every variable elements for which no term of a model vanishes.
func randomWeights(t *testing.T, s *exec.Session) weights {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	w := weights{}
	for _, v := range s.Program().Variables {
		x := make([]float32, v.Type.Size())
		for i := range x {
			x[i] = (2*rng.Float32() - 1) * 0.7
			w[v.Name] = append(w[v.Name], float64(x[i]))
		}
		require.NoError(t, s.Parameters().Set(v, x))
	}
	return w
}

// differences returns the central differences of the sum of the losses with respect
// to the elements of a variable.
func (e equations) differences(w weights, name string) []float64 {
	const step = 1e-4
	total := func() (sum float64) {
		for i := range e.inputs {
			_, loss := e.run(w, i)
			sum += loss
		}
		return sum
	}
	x := w[name]
	d := make([]float64, len(x))
	for i, old := range x {
		x[i] = old + step
		above := total()
		x[i] = old - step
		d[i] = (above - total()) / (2 * step)
		x[i] = old
	}
	return d
}

// checkExecution compares batches and single runs in float32 with the oracle, and with
// each other bit by bit.
func (e equations) checkExecution(t *testing.T, oracle *exec.Session, g *graph.Graph, want *exec.Result) {
	t.Helper()
	ctx := context.Background()
	for _, o := range []exec.Options{
		{Workers: 1}, {Workers: 2}, {Workers: 1, NoSharing: true}, {Workers: 1, Batching: exec.BatchOff}, {Workers: 2, Batching: 3},
	} {
		o.Parameters = oracle.Parameters()
		s, err := exec.New(oracle.Program(), o)
		require.NoError(t, err)
		batch, err := s.Gradients(ctx, g, e.inputs, exec.GradOptions{})
		require.NoError(t, err)
		for i, in := range e.inputs {
			single, err := s.Run(ctx, g, [][]exec.Array{in})
			require.NoError(t, err)
			assert.Equal(t, single.Outputs[0], batch.Outputs[i], "%v", o)
			assert.Equal(t, single.Losses[0], batch.Losses[i], "%v", o)
			assert.InDelta(t, want.Losses[i], batch.Losses[i], 1e-5*(1+math.Abs(want.Losses[i])), "%v", o)
		}
		for _, v := range oracle.Program().Variables {
			exact := want.Gradients.Of(v).Full()
			full := make([]float64, len(exact))
			for k, x := range exact {
				full[k] = float64(x)
			}
			assertClose(t, full, batch.Gradients.Of(v).Full(), 2e-5, o.String()+": gradient of "+v.Name)
		}
	}
}

// assertClose compares element by element, relative to the largest one.
func assertClose(t *testing.T, want []float64, got []float32, tolerance float64, what string) {
	t.Helper()
	require.Len(t, got, len(want), what)
	scale := 1.0
	for _, x := range want {
		scale = max(scale, math.Abs(x))
	}
	for i := range want {
		if !(math.Abs(want[i]-float64(got[i])) <= tolerance*scale) {
			t.Errorf("%s: element %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}
