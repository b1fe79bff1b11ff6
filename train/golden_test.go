package train_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/internal/golden"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/train"
)

// Ten steps with each optimiser on real trees reproduce the losses, before and after
// every step, and the norms of the trained weights that an independent program found.
func TestGoldenCurves(t *testing.T) {
	for _, name := range []string{"treernn", "rntn", "treelstm_binary_e12_h10", "treelstm_binary_e300_h150",
		"treelstm_childsum", "topdown", "topdown_wide"} {
		t.Run(name, func(t *testing.T) {
			f := golden.Load(t, name)
			var want golden.Trained
			f.Decode(t, &want)
			cases := f.Cases(t)
			require.Len(t, cases, 1)
			require.Len(t, want.Curves, 3)
			for _, curve := range want.Curves {
				t.Run(curve.Optimizer, func(t *testing.T) {
					followCurve(t, f, cases[0], curve, exec.Options{}, func(o train.Optimizer, p *exec.Parameters, r *exec.Result) error {
						return o.Step(p, r.Gradients)
					})
				})
				t.Run(curve.Optimizer+" on a device", func(t *testing.T) {
					followCurve(t, f, cases[0], curve, exec.Options{Device: strict()}, func(o train.Optimizer, _ *exec.Parameters, r *exec.Result) error {
						return o.(train.DeviceOptimizer).StepOnDevice(r.DeviceGradients)
					})
				})
			}
		})
	}
}

func followCurve(t *testing.T, f *golden.File, c *golden.Case, curve golden.Curve, o exec.Options, step func(train.Optimizer, *exec.Parameters, *exec.Result) error) {
	s, err := exec.New(c.Program, o)
	require.NoError(t, err)
	defer s.Close()
	for i, v := range c.Program.Variables {
		require.NoError(t, s.Parameters().Set(v, float32s(c.Weights[i])))
	}
	inputs := make([][]exec.Array, len(c.Examples))
	for i, e := range c.Examples {
		inputs[i] = arrays(e.Inputs)
	}
	opt := goldenOptimizer(t, curve)
	for i := range curve.Steps + 1 {
		r, err := s.Gradients(t.Context(), c.Graph, inputs, exec.GradOptions{OnDevice: o.Device != nil})
		require.NoError(t, err)
		golden.CheckLoss(t, "loss", r.Loss, curve.Losses[i], golden.Float32)
		if i < curve.Steps {
			require.NoError(t, step(opt, s.Parameters(), r))
		}
	}
	for i, p := range f.Params {
		sum := 0.0
		for _, x := range s.Parameters().Value(c.Program.Variable(p.Name)) {
			sum += float64(x) * float64(x)
		}
		golden.CheckValues(t, "norm of "+p.Name, []float64{math.Sqrt(sum)}, curve.FinalParamL2[i:i+1], golden.Float32)
	}
}

func goldenOptimizer(t *testing.T, c golden.Curve) train.Optimizer {
	switch c.Optimizer {
	case "sgd":
		return train.NewSGD(c.LR)
	case "adagrad":
		return &train.Adagrad{LearningRate: c.LR, Epsilon: c.Eps}
	case "adam":
		return &train.Adam{LearningRate: c.LR, Beta1: c.Beta1, Beta2: c.Beta2, Epsilon: c.Eps}
	}
	t.Fatalf("unknown optimiser %q", c.Optimizer)
	return nil
}

func arrays(tensors []*ops.Tensor) []exec.Array {
	as := make([]exec.Array, len(tensors))
	for i, x := range tensors {
		as[i] = exec.Array{Shape: x.Shape, I: x.I}
		if x.DType.IsFloat() {
			as[i].F = float32s(x.F)
		}
	}
	return as
}

func float32s(x []float64) []float32 {
	y := make([]float32, len(x))
	for i := range x {
		y[i] = float32(x[i])
	}
	return y
}
