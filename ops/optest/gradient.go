package optest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

const (
	// step of the central differences: their error is of the order step², and
	// that of the rounding of float64 2⁻⁵³/step.
	step = 1e-5
	// gradTol is relative to 1 + |want|.
	gradTol = 1e-6
)

// ErrGradient is wrapped by errors about gradients that differ from differences.
var ErrGradient = errors.New("wrong gradient")

// CheckGradient compares the case's gradients with central differences. When
// wrap is given, it replaces the operator of every node before the adjoint is
// derived: a wrapper with a wrong gradient rule must make the check fail.
func CheckGradient(c Case, wrap func(graph.Op) graph.Op) error {
	g, err := c.build(wrap)
	if err != nil {
		return err
	}
	if c.NoGrad {
		return nil
	}
	if len(g.Adjoint.Missing) > 0 {
		return fmt.Errorf("%s has no gradient rule", g.Adjoint.Missing[0].Op.Name())
	}
	if len(g.Adjoint.Steps) == 0 {
		return errors.New("no gradient reaches any input; set NoGrad if that is right")
	}
	sets, err := c.lengths()
	if err != nil {
		return err
	}
	for _, lens := range sets {
		rng := c.rng("gradient")
		if err := checkGradients(g, c.inputs(rng, lens), rng); err != nil {
			return fmt.Errorf("lists of %v: %w", lens, err)
		}
	}
	return nil
}

// checkGradients compares g's adjoint at one point with differences of the sum
// of the results, weighted by random cotangents.
func checkGradients(g *graph.Graph, in []*ops.Tensor, rng *rand.Rand) error {
	out, err := Eval(g, in)
	if err != nil {
		return err
	}
	ct := cotangents(rng, out)
	grads, err := Grad(g, in, ct)
	if err != nil {
		return err
	}
	p := probe{g, in, ct}
	for i, grad := range grads {
		if grad == nil {
			continue
		}
		for j, got := range grad.F {
			direction := ops.NewTensor(graph.Float32, in[i].Shape...)
			direction.F[j] = 1
			want, err := p.derivative(map[int]*ops.Tensor{i: direction})
			if err != nil {
				return err
			}
			if !near(got, want, gradTol) {
				return fmt.Errorf("%w: input %d, element %d: the rule gives %.9g, differences %.9g", ErrGradient, i, j, got, want)
			}
		}
	}
	return p.direction(grads, rng)
}

type probe struct {
	graph *graph.Graph
	in    []*ops.Tensor
	ct    []*ops.Tensor
}

// direction compares along one random direction through all inputs.
func (p probe) direction(grads []*ops.Tensor, rng *rand.Rand) error {
	directions := map[int]*ops.Tensor{}
	got := 0.0
	for i, grad := range grads {
		if grad == nil {
			continue
		}
		d := ops.NewTensor(graph.Float32, p.in[i].Shape...)
		for j := range d.F {
			d.F[j] = 2*rng.Float64() - 1
			got += d.F[j] * grad.F[j]
		}
		directions[i] = d
	}
	want, err := p.derivative(directions)
	if err != nil {
		return err
	}
	if !near(got, want, gradTol) {
		return fmt.Errorf("%w: along a random direction: the rules give %.9g, differences %.9g", ErrGradient, got, want)
	}
	return nil
}

// derivative is the central difference along the given directions of inputs.
func (p probe) derivative(directions map[int]*ops.Tensor) (float64, error) {
	up, err := p.at(directions, step)
	if err != nil {
		return 0, err
	}
	down, err := p.at(directions, -step)
	return (up - down) / (2 * step), err
}

func (p probe) at(directions map[int]*ops.Tensor, h float64) (float64, error) {
	moved := make([]*ops.Tensor, len(p.in))
	for i, x := range p.in {
		moved[i] = x
		if d, ok := directions[i]; ok {
			moved[i] = x.Clone()
			for j := range d.F {
				moved[i].F[j] += h * d.F[j]
			}
		}
	}
	out, err := Eval(p.graph, moved)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, x := range out {
		for j, f := range x.F {
			sum += p.ct[i].F[j] * f
		}
	}
	return sum, nil
}

// near compares with a tolerance relative to 1 + |want|; NaN is near NaN, an
// infinity near itself.
func near(got, want, tol float64) bool {
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return got == want || math.IsNaN(got) && math.IsNaN(want)
	}
	return math.Abs(got-want) <= tol*(1+math.Abs(want))
}
