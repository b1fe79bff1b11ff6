package exec

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/internal/randprog"
	"github.com/frondml/frond/exec/internal/reference"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// TestNumericalGradients compares the gradients of whole random programs with
// central differences in random directions, in float64. What executors are
// compared with must be right itself.
func TestNumericalGradients(t *testing.T) {
	checked, seeds := 0, seedCount(t, 60)
	for seed := range seeds {
		p, err := randprog.New(seed, randprog.Unlimited)
		require.NoError(t, err)
		if usesStopGradient(p.Built) {
			continue // has a gradient that is not the derivative, on purpose
		}
		rng := rand.New(rand.NewPCG(seed, 5))
		for range 2 {
			r := reference.Request{Graph: p.Main, Inputs: p.Inputs(rng), Vars: p.Variables(), Key: rng.Uint32()}
			o := reference.Options{Seed: seed % 3}
			probe, err := p.Probe(r.Inputs, o.Seed, r.Key)
			require.NoError(t, err)
			if probe.Margin < 1e-3 {
				continue
			}
			slope, err := checkDirection(rng, o, r)
			require.NoError(t, err, "seed %d\n%v", seed, p.Built)
			if slope != 0 {
				checked++
			}
		}
	}
	require.Greater(t, checked, int(seeds)/3, "too few programs keep away from where they jump")
	t.Logf("%d runs", checked)
}

func usesStopGradient(p *graph.Program) bool {
	for _, g := range p.Graphs {
		for _, n := range g.Nodes {
			if n.Op.Name() == "stop_gradient" {
				return true
			}
		}
	}
	return false
}

// checkDirection compares the derivative of an objective, the loss plus the
// weighted float results, along a random direction in the space of inputs and
// variables that are not frozen. It returns the derivative.
func checkDirection(rng *rand.Rand, o reference.Options, r reference.Request) (float64, error) {
	ctx := context.Background()
	first, err := reference.Run(ctx, o, r)
	if err != nil {
		return 0, err
	}
	r.Cotangents = make([]*ops.Tensor, len(first.Results))
	for k, x := range first.Results {
		if x.DType.IsFloat() {
			r.Cotangents[k] = randomLike(rng, x)
		}
	}
	r.Grad = true
	got, err := reference.Run(ctx, o, r)
	if err != nil {
		return 0, err
	}
	d := &direction{vars: map[*graph.Variable]*ops.Tensor{}}
	slope := 0.0
	for i, x := range r.Inputs {
		d.inputs = append(d.inputs, nil)
		if x.DType.IsFloat() {
			d.inputs[i] = randomLike(rng, x)
			slope += dot(d.inputs[i], got.InputGrads[i])
		}
	}
	for v, x := range r.Vars {
		if !v.Frozen {
			d.vars[v] = randomLike(rng, x)
			slope += dot(d.vars[v], got.VarGrads[v])
		}
	}
	const step = 1e-6
	up, err := d.objective(ctx, o, r, step)
	if err != nil {
		return 0, err
	}
	down, err := d.objective(ctx, o, r, -step)
	if err != nil {
		return 0, err
	}
	want := (up - down) / (2 * step)
	if !(math.Abs(slope-want) <= 1e-5*(1+math.Abs(want))) {
		return 0, fmt.Errorf("the derivative is %v, the gradient says %v", want, slope)
	}
	return want, nil
}

// direction is one in the space of inputs and variables.
type direction struct {
	inputs []*ops.Tensor
	vars   map[*graph.Variable]*ops.Tensor
}

// objective evaluates a request a step away.
func (d *direction) objective(ctx context.Context, o reference.Options, r reference.Request, step float64) (float64, error) {
	moved := r
	moved.Grad = false
	moved.Inputs = nil
	for i, x := range r.Inputs {
		moved.Inputs = append(moved.Inputs, moveAlong(x, d.inputs[i], step))
	}
	moved.Vars = map[*graph.Variable]*ops.Tensor{}
	for v, x := range r.Vars {
		moved.Vars[v] = moveAlong(x, d.vars[v], step)
	}
	out, err := reference.Run(ctx, o, moved)
	if err != nil {
		return 0, err
	}
	sum := out.Loss
	for k, ct := range r.Cotangents {
		if ct != nil {
			sum += dot(ct, out.Results[k])
		}
	}
	return sum, nil
}

func moveAlong(x, direction *ops.Tensor, step float64) *ops.Tensor {
	if direction == nil {
		return x
	}
	y := x.Clone()
	for i := range y.F {
		y.F[i] += step * direction.F[i]
	}
	return y
}

func dot(x, y *ops.Tensor) (sum float64) {
	for i := range x.F {
		sum += x.F[i] * y.F[i]
	}
	return sum
}

func randomLike(rng *rand.Rand, x *ops.Tensor) *ops.Tensor {
	y := x.Clone()
	for i := range y.F {
		y.F[i] = 2*rng.Float64() - 1
	}
	return y
}
