package exec_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/gpu/gputest"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/golden"
)

// TestGoldenModelsOnDevices is TestGoldenModels on devices that check order, and without
// some kernels.
func TestGoldenModelsOnDevices(t *testing.T) {
	strict := host.Options{Poison: true, Check: true}
	poor := strict
	poor.Without = func(op graph.Op) bool { return len(op.Name())%3 == 0 }
	sets := []optionSet{
		{"host", exec.Options{Workers: 1, Device: host.New(strict)}},
		{"host_two_workers", exec.Options{Workers: 2, Device: host.New(strict), Deterministic: true}},
	}
	lacking := []optionSet{ // of two roundings that one kernel makes one
		{"host_without_some_kernels", exec.Options{Workers: 2, Device: host.New(poor), Batching: 3, NoSharing: true}},
	}
	eachGoldenCase(t, func(t *testing.T, c *golden.Case) {
		onDevices(t, c, sets)
		onDevices(t, c, lacking)
	})
}

func openCUDA(t *testing.T, precision cuda.Precision) *cuda.Device {
	t.Helper()
	d, err := cuda.Open(cuda.Options{GPU: gpu.Options{Library: gputest.Library(t, ""), Check: true}, Precision: precision})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func TestGoldenModelsOnCUDA(t *testing.T) {
	d := openCUDA(t, cuda.FP32)
	ways := exec.Options{Workers: 1, Device: d}
	eachGoldenCase(t, func(t *testing.T, c *golden.Case) {
		switch {
		case os.Getenv("FROND_GPU_LIBRARY") != "": // a real device
			onDevices(t, c, []optionSet{{"cuda", ways}})
		case strings.Contains(t.Name(), "e300") || strings.Contains(t.Name(), "gru_chain/all"):
			t.Skip("takes minutes on an emulated device")
		default:
			once(t, c, ways, golden.Float32)
		}
	})
}

// once compares one run of all examples, and one without gradients, with what is expected.
func once(t *testing.T, c *golden.Case, o exec.Options, tol golden.Tolerance) {
	s := newGoldenSession(t, c, o)
	r := s.gradients(t, s.inputs)
	for i := range c.Examples {
		c.Examples[i].Check(t, "in a mini-batch", outcome(r, i), tol)
	}
	c.CheckTotal(t, r.Loss, func(v *graph.Variable) []float64 { return float64s(r.Gradients.Of(v).Full()) }, tol)
	r, err := s.Run(context.Background(), c.Graph, s.others)
	require.NoError(t, err)
	for i := range c.Forward {
		golden.CheckValues(t, "output", float64s(r.Outputs[i][0].F), c.Forward[i].Output, tol)
	}
	require.NoError(t, s.Close())
}

// Products with rounded factors have tolerances of their own: of a relative error of 2^-11
// or 2^-8 in every factor, losses keep a part, and gradients, sums over all nodes, more.
func TestGoldenModelsOnTensorCores(t *testing.T) {
	for name, way := range map[string]struct {
		cuda.Precision
		golden.Tolerance
	}{
		"tf32": {cuda.TF32, golden.Tolerance{Loss: 1e-3, Gradient: 5e-3}},
		"bf16": {cuda.BF16, golden.Tolerance{Loss: 1e-2, Gradient: 5e-2}},
	} {
		t.Run(name, func(t *testing.T) {
			ways := exec.Options{Workers: 1, Device: openCUDA(t, way.Precision)}
			eachGoldenCase(t, func(t *testing.T, c *golden.Case) {
				if !strings.Contains(t.Name(), "e12_h10") && !strings.Contains(t.Name(), "ladder") && !strings.Contains(t.Name(), "topdown_wide") {
					t.Skip("the others take long on an emulated device and show no more")
				}
				once(t, c, ways, way.Tolerance)
			})
		})
	}
}

// onDevices executes an example in ways that must give the same bits.
func onDevices(t *testing.T, c *golden.Case, sets []optionSet) {
	alone := newGoldenSession(t, c, sets[0].Options)
	first := alone.oneByOne(t)
	require.NoError(t, alone.Close())
	for _, o := range sets {
		t.Run(o.name, func(t *testing.T) {
			s := newGoldenSession(t, c, o.Options)
			s.forward(t, first)
			s.miniBatch(t, first)
			require.NoError(t, s.Close())
		})
	}
}
