package randprog

import (
	"fmt"
	"math/rand/v2"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Program is a random program.
type Program struct {
	Seed  uint64 // also that of the variables' initial values
	Built *graph.Program
	Main  *graph.Graph // the graph to run

	steps   int
	classes []int // per input of Main: lists with equal numbers have equal lengths
	probe   *graph.Program
}

// Unlimited is a number of steps that no program needs.
const Unlimited = 1 << 30

// New generates the program of a seed. With fewer steps, that is applications of
// operators and constructs, it gives a smaller program that begins alike: trying
// 0, 1, 2, ... steps finds a small program that shows a mistake.
func New(seed uint64, steps int) (*Program, error) {
	p := &Program{Seed: seed, steps: steps}
	var thresholds []float64
	for range 3 { // a threshold moves the decisions behind it
		if err := p.generate(thresholds); err != nil {
			return nil, fmt.Errorf("program %d: %w", seed, err)
		}
		next, err := p.calibrate(thresholds)
		if err != nil {
			return nil, fmt.Errorf("program %d: %w\n%v", seed, err, p.Built)
		}
		if len(next) == 0 {
			return p, nil
		}
		thresholds = next
	}
	if err := p.generate(thresholds); err != nil {
		return nil, fmt.Errorf("program %d: %w", seed, err)
	}
	return p, nil
}

// generate makes the program and its twin with probes.
func (p *Program) generate(thresholds []float64) error {
	for _, probe := range []bool{false, true} {
		g := newGenerator(p.Seed, p.steps, probe, thresholds)
		classes := g.program()
		built, err := g.m.Build()
		if err != nil {
			return err
		}
		if probe {
			p.probe = built
		} else {
			p.Built, p.Main, p.classes = built, built.Graph("main"), classes
		}
	}
	return nil
}

// Inputs draws inputs of Main. Floats are exact in float32.
func (p *Program) Inputs(rng *rand.Rand) []*ops.Tensor {
	lengths := map[int]int{}
	in := make([]*ops.Tensor, len(p.Main.In))
	for i, t := range p.Main.In {
		shape := append(graph.Shape(nil), t.Shape...)
		if t.IsList() {
			n, ok := lengths[p.classes[i]]
			if !ok {
				n = rng.IntN(5)
				lengths[p.classes[i]] = n
			}
			shape[0] = n
		}
		in[i] = ops.NewTensor(t.DType, shape...)
		fill(rng, in[i])
	}
	return in
}

// fill draws the elements of x.
func fill(rng *rand.Rand, x *ops.Tensor) {
	for i := range x.F {
		x.F[i] = float64(2*rng.Float32() - 1)
	}
	for i := range x.I {
		if x.DType == graph.Boolean {
			x.I[i] = rng.Int32N(2)
		} else {
			x.I[i] = rng.Int32N(intBound)
		}
	}
}

// Variables returns the initial values of the variables of prog, which is the
// program or its twin.
func (p *Program) variables(prog *graph.Program) map[*graph.Variable]*ops.Tensor {
	vars := map[*graph.Variable]*ops.Tensor{}
	for _, v := range prog.Variables {
		x := ops.NewTensor(graph.Float32, v.Type.Shape...)
		for i, f := range v.InitialValue(p.Seed) {
			x.F[i] = float64(f)
		}
		vars[v] = x
	}
	return vars
}

// Variables returns the variables' initial values.
func (p *Program) Variables() map[*graph.Variable]*ops.Tensor { return p.variables(p.Built) }
