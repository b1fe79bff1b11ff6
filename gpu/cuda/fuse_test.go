package cuda_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// stepsOf returns a step for every operator of package ops that works element by element
// on vectors of n floats.
func stepsOf(t *testing.T, n int) (steps []device.Step) {
	t.Helper()
	attributes := map[string][]graph.Attr{
		"add_scalar": {{Key: "c", Value: 0.75}}, "mul_scalar": {{Key: "c", Value: -1.5}},
		"clip": {{Key: "lo", Value: -0.5}, {Key: "hi", Value: 1.25}},
	}
	vector := graph.T(graph.Float32, n)
	for name, make := range ops.Registry() {
		made, err := make(attributes[name])
		operator, ok := made.(ops.Op)
		if err != nil || !ok {
			continue // of an operator that has other attributes, or is none
		}
		for _, in := range [][]graph.Type{{vector}, {vector, vector}} {
			out, err := made.Infer(in)
			if err != nil || operator.Lower(in, out[0]).Elements == nil {
				continue
			}
			steps = append(steps, device.Step{Op: made, In: in, Out: out[0], Size: n, To: 0, From: [2]int{1, 2}})
		}
	}
	require.Greater(t, len(steps), 25)
	return steps
}

// Every operator that the CPU works on element by element has a kernel that means the
// same, at the limits of float32 as well.
func TestEveryElementwiseOperatorFuses(t *testing.T) {
	r := setUp(t, "", cuda.Options{})
	inf := float32(math.Inf(1))
	corners := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -2, 3, 100, -100, 1e-40, 1e30, -1e30, inf, -inf, float32(math.NaN())}
	var x, y []float32
	for _, a := range corners {
		for _, b := range corners {
			x, y = append(x, a), append(y, b)
		}
	}
	n := len(x)
	operands := []device.Rows{{Buffer: r.floats(x)}, {Buffer: r.floats(x)}, {Buffer: r.floats(y)}}
	for _, step := range stepsOf(t, n) {
		kernel, err := r.device.Fuse(device.Chain{Operands: 3, Steps: []device.Step{step}})
		require.NoError(t, err)
		require.NoError(t, r.Launch(kernel, &device.Call{N: 1, In: operands}))
		want := make([]float32, n)
		elements := step.Op.(ops.Op).Lower(step.In, step.Out).Elements
		if elements.Map != nil {
			elements.Map(want, x)
		} else {
			elements.Zip(want, x, y)
		}
		bounded := step.Op.Name() == "sigmoid_grad" || step.Op.Name() == "tanh_grad"
		for i, got := range r.get(operands[0].Buffer) {
			if bounded && (y[i] > 1 || y[i] < -1) {
				continue // no result of the function
			}
			if math.IsNaN(float64(want[i])) || math.IsInf(float64(want[i]), 0) {
				require.True(t, want[i] == got || want[i] != want[i] && got != got, "%s of %v and %v is %v, want %v", step.Op.Name(), x[i], y[i], got, want[i])
				continue
			}
			require.InDelta(t, want[i], got, 1e-6*math.Max(1, math.Abs(float64(want[i]))), "%s of %v and %v", step.Op.Name(), x[i], y[i])
		}
	}
}

// A chain with more steps and operands than a launch can have is several launches.
func TestLongChain(t *testing.T) {
	r := setUp(t, "seed=5", cuda.Options{})
	const rows, width, operands = 3, 5, 40
	x := random(1, rows*width*operands)
	b := r.floats(x)
	vector := graph.T(graph.Float32, width)
	add, err := ops.Registry()["add"](nil)
	require.NoError(t, err)
	var chain device.Chain
	chain.Operands = operands
	call := device.Call{N: rows}
	for i := range operands {
		call.In = append(call.In, device.Rows{Buffer: b, Offset: i * width, Stride: operands * width})
		// The sum of all before, and the operand itself.
		chain.Steps = append(chain.Steps, device.Step{
			Op: add, In: []graph.Type{vector, vector}, Out: vector, Size: width, To: i, From: [2]int{i, max(0, i-1)},
		})
	}
	kernel, err := r.device.Fuse(chain)
	require.NoError(t, err)
	require.NoError(t, r.Launch(kernel, &call))
	got := r.get(b)
	for row := range rows {
		for c := range width {
			sum := float32(0)
			for i := range operands {
				at := (row*operands+i)*width + c
				if i == 0 {
					sum = 2 * x[at]
				} else {
					sum = x[at] + sum
				}
				require.Equal(t, sum, got[at], "row %d, operand %d", row, i)
			}
		}
	}
}

func TestFuseRefusesChains(t *testing.T) {
	r := setUp(t, "", cuda.Options{})
	vector, wide := graph.T(graph.Float32, 3), graph.T(graph.Float32, 2, 3)
	add, err := ops.Registry()["add"](nil)
	require.NoError(t, err)
	step := device.Step{Op: add, In: []graph.Type{wide, vector}, Out: wide, Size: 6}
	_, err = r.device.Fuse(device.Chain{Operands: 1, Steps: []device.Step{step}})
	require.ErrorIs(t, err, device.ErrNoKernel, "operands of different shapes")
	require.ErrorContains(t, err, "step 0: no kernel for the operator on the device: add of [f32[2 3] f32[3]] element by element")
	_, err = r.device.Fuse(device.Chain{Operands: 1, Steps: []device.Step{{Size: 1}}})
	require.ErrorIs(t, err, device.ErrNoKernel, "no operator")
	_, err = r.device.Fuse(device.Chain{Operands: 1, Steps: []device.Step{{Kind: device.Copy, Size: 1, To: 1}}})
	require.ErrorContains(t, err, "step 0 has operand 1 of 1")

	kernel, err := r.device.Fuse(device.Chain{Operands: 2, Steps: []device.Step{{Kind: device.Copy, Size: 4, To: 1}}})
	require.NoError(t, err)
	rows := device.Rows{Buffer: r.floats(random(1, 12)), Stride: 4}
	require.NoError(t, r.Launch(kernel, &device.Call{N: 3, In: []device.Rows{rows, rows}}))
	for message, in := range map[string][]device.Rows{
		"1 operands of a chain, want 2":                              {rows},
		"operand 1 of a chain: invalid argument: words 1 to 13 of a": {rows, {Buffer: rows.Buffer, Offset: 1, Stride: 4}},
		"operand 0 of a chain: invalid argument: the buffer is of":   {{}, rows},
	} {
		err := r.Launch(kernel, &device.Call{N: 3, In: in})
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
}
