package randprog

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/frondml/frond/exec/internal/reference"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// The tables of the twin.
const (
	marginTable   = "probe margin"
	decisionTable = "probe decision"
)

// Probe is what the twin tells of a run.
type Probe struct {
	// Margin is the least distance from a point where something jumps, exact
	// ties left aside: they are ties in any precision.
	Margin float64
	// Decisions holds, per branch on a float, the values that were compared with
	// its threshold, relative to it.
	Decisions map[int][]float64
	Calls     int
}

// Probe runs the twin of the program.
func (p *Program) Probe(inputs []*ops.Tensor, seed uint64, key uint32) (*Probe, error) {
	r, err := reference.Run(context.Background(), reference.Options{Seed: seed},
		reference.Request{Graph: p.probe.Graph("main"), Inputs: inputs, Vars: p.variables(p.probe), Key: key})
	if err != nil {
		return nil, err
	}
	q := &Probe{Margin: math.Inf(1), Decisions: map[int][]float64{}, Calls: r.Calls}
	for _, row := range r.Tables[marginTable] {
		if d := row.Value.F[0]; d != 0 {
			q.Margin = min(q.Margin, d)
		}
	}
	for _, row := range r.Tables[decisionTable] {
		d := row.Value.F[0]
		q.Decisions[int(row.Key)] = append(q.Decisions[int(row.Key)], d)
		q.Margin = min(q.Margin, math.Abs(d))
	}
	return q, nil
}

// calibrationInputs is the number of inputs on which thresholds are calibrated.
const calibrationInputs = 5

// calibrate returns thresholds that divide what the branches compare on some
// inputs; none when there are no branches on floats.
func (p *Program) calibrate(thresholds []float64) ([]float64, error) {
	rng := rand.New(rand.NewPCG(p.Seed, 1))
	seen := map[int][]float64{}
	for range calibrationInputs {
		q, err := p.Probe(p.Inputs(rng), 0, 0)
		if err != nil {
			return nil, err
		}
		for site, values := range q.Decisions {
			seen[site] = append(seen[site], values...)
		}
	}
	next := slices.Clone(thresholds)
	for site, values := range seen {
		for len(next) <= site {
			next = append(next, 0)
		}
		next[site] += divide(values)
	}
	return next, nil
}

// divide returns the middle of the widest gap between the values in the middle
// half of xs.
func divide(xs []float64) float64 {
	slices.Sort(xs)
	lo, hi := len(xs)/4, len(xs)-len(xs)/4-1
	best, at := 0.0, 0.0
	for i := lo; i < hi; i++ {
		if gap := xs[i+1] - xs[i]; gap > best {
			best, at = gap, (xs[i]+xs[i+1])/2
		}
	}
	if best == 0 { // nothing to divide: keep away from the value
		return xs[0] - 0.1
	}
	return at
}

// varies reports whether v depends on a parameter of a graph.
func varies(v graph.Value) bool {
	if v.IsGlobal() {
		return false
	}
	if _, ok := v.Node().Op.(graph.Param); ok {
		return true
	}
	return slices.ContainsFunc(v.Node().In, varies)
}

// threshold is the constant that a branch compares x with.
func (s *scope) threshold(x graph.Value) graph.Value {
	g := s.g
	site := g.sites
	g.sites++
	at := 0.0
	if site < len(g.thresholds) {
		at = g.thresholds[site]
	}
	t := g.m.Float(at)
	if g.probe {
		recursion.Collect(decisionTable, g.m.Int(site), ops.Sub(x, t))
	}
	return t
}

// margin notes that something jumps where an element of x is zero.
func (s *scope) margin(x graph.Value) {
	if !s.g.probe {
		return
	}
	m := s.g.m
	x = ops.Neg(ops.Abs(x))
	if t := x.Type(); t.IsList() {
		if t.Rank() > 1 {
			x = ops.MaxOver(x, axes(1, t.Rank())...)
		}
		x = ops.Join(x, ops.List(m.Float(-100)))
	}
	if !x.Type().IsScalar() {
		x = ops.MaxOver(x)
	}
	recursion.Collect(marginTable, m.Int(0), ops.Neg(x))
}

// axes lists from, ..., to-1.
func axes(from, to int) []int {
	var list []int
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// winnerMargin notes that the largest element along an axis of x may change. The
// axis is the last one, or 0 of a list.
func (s *scope) winnerMargin(x graph.Value, axis int) {
	if !s.g.probe {
		return
	}
	m := s.g.m
	winner := ops.ArgMax(x, axis)
	var won graph.Value
	if axis == 0 && x.Type().IsList() {
		number := ops.Range(ops.Len(x))
		if x.Type().Rank() > 1 {
			dims := append([]int{graph.Any}, slices.Repeat([]int{1}, x.Type().Rank()-1)...)
			number = ops.Reshape(number, dims...)
		}
		won = ops.Equal(number, winner)
	} else {
		won = ops.Greater(ops.OneHot(winner, x.Type().Shape[x.Type().Rank()-1]), m.Float(0.5))
	}
	others := ops.Where(won, m.Float(-100), x)
	s.margin(ops.Sub(ops.MaxOver(x, axis), ops.MaxOver(others, axis)))
}
