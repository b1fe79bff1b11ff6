//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/golden"
)

func convert[To, From float32 | float64](x []From) []To {
	y := make([]To, len(x))
	for i, v := range x {
		y[i] = To(v)
	}
	return y
}

// A Tree-LSTM whose products are by cuBLAS has the outputs, the losses and the gradients
// that another program has computed.
func TestGoldenTreeLSTMWithBLAS(t *testing.T) {
	for _, c := range golden.Load(t, "treelstm_binary_e12_h10").Cases(t) {
		d, blas := openWithBLAS(t, cuda.Options{})
		s, err := exec.New(c.Program, exec.Options{Device: d, Workers: 1})
		require.NoError(t, err)
		for i, v := range c.Program.Variables {
			require.NoError(t, s.Parameters().Set(v, convert[float32](c.Weights[i])))
		}
		var inputs [][]exec.Array
		for _, e := range c.Examples {
			var input []exec.Array
			for _, x := range e.Inputs {
				input = append(input, exec.Array{Shape: x.Shape, I: x.I})
			}
			inputs = append(inputs, input)
		}
		r, err := s.Gradients(context.Background(), c.Graph, inputs, exec.GradOptions{})
		require.NoError(t, err)
		for i, e := range c.Examples {
			golden.CheckLoss(t, "example", r.Losses[i], e.Loss, golden.Float32)
			golden.CheckValues(t, "output", convert[float64](r.Outputs[i][0].F), e.Output, golden.Float32)
		}
		c.CheckTotal(t, r.Loss, func(v *graph.Variable) []float64 { return convert[float64](r.Gradients.Of(v).Full()) }, golden.Float32)
		require.NoError(t, s.Close())
		if blas != nil {
			require.Positive(t, blas.Products())
			require.Zero(t, blas.Handles())
		}
	}
}
