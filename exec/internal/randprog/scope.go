package randprog

import (
	"math/rand/v2"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/recursion"
)

// Bounds that all values keep, so that operators may be applied to any of them.
const (
	floatBound = 2 // of the absolute value
	intBound   = 8 // integers are in [0, intBound)
	listBound  = 7 // elements of a list
)

// value is a Value with what the generator knows of it.
type value struct {
	graph.Value
	class int // of a list: lists of one class have equal lengths
	uses  int
}

// function is a recursive subgraph. Its first input is its fuel.
type function struct {
	sub     *recursion.SubGraph[[]graph.Value, []graph.Value]
	in, out []graph.Type
}

// generator makes one program.
type generator struct {
	m          *graph.Module
	rng        *rand.Rand
	probe      bool
	steps      int // left
	thresholds []float64
	sites      int      // branches on floats so far
	salts      int      // dropouts so far
	classes    int      // of lists, so far
	functions  int      // so far
	d          [2]int   // the extents of most axes
	vars       []*value // variables
}

func newGenerator(seed uint64, steps int, probe bool, thresholds []float64) *generator {
	g := &generator{m: graph.NewModule("random"), rng: rand.New(rand.NewPCG(seed, 0)), steps: steps, probe: probe, thresholds: thresholds}
	extents := []int{1, 2, 3, 33, 4, 5, 40, 17}
	g.d[0] = extents[g.rng.IntN(len(extents))]
	g.d[1] = 2 + g.rng.IntN(4)
	return g
}

// chance reports true with probability p.
func (g *generator) chance(p float64) bool { return g.rng.Float64() < p }

func (g *generator) newClass() int {
	g.classes++
	return g.classes
}

// scope holds what a body may use.
type scope struct {
	g     *generator
	up    *scope
	vals  []*value
	fns   []*function
	fuel  graph.Value // of the innermost function
	calls *int        // invocations of functions that may still be made; nil for none
	cost  int         // of an invocation made here
	level int         // of nesting
}

// inner is the scope of a body within s.
func (s *scope) inner() *scope {
	return &scope{g: s.g, up: s, fuel: s.fuel, calls: s.calls, cost: s.cost, level: s.level + 1}
}

// repeated is the scope of a body within s that runs several times.
func (s *scope) repeated() *scope {
	c := s.inner()
	c.cost *= 2
	return c
}

// add makes a value available. A list without a class gets one of its own.
func (s *scope) add(v graph.Value, class int) *value {
	if v.Type().IsList() && class == 0 {
		class = s.g.newClass()
	}
	x := &value{Value: v, class: class}
	s.vals = append(s.vals, x)
	return x
}

// candidates lists the visible values that fit, those of s apart.
func (s *scope) candidates(fits func(*value) bool) (own, outer []*value) {
	filter := func(vs []*value) (kept []*value) {
		for _, v := range vs {
			if fits(v) {
				kept = append(kept, v)
			}
		}
		return kept
	}
	own = filter(s.vals)
	for q := s.up; q != nil; q = q.up {
		outer = append(outer, filter(q.vals)...)
	}
	return own, append(outer, filter(s.g.vars)...)
}

// pick chooses a visible value that fits, preferably one of s and one that has
// not been used; nil when there is none.
func (s *scope) pick(fits func(*value) bool) *value {
	own, outer := s.candidates(fits)
	from := own
	if len(own) == 0 || len(outer) > 0 && s.g.chance(0.3) {
		from = outer
	}
	if len(from) == 0 {
		return nil
	}
	v := from[s.g.rng.IntN(len(from))]
	if w := from[s.g.rng.IntN(len(from))]; w.uses < v.uses {
		v = w
	}
	return v
}

// use notes that values are operands.
func use(vs ...*value) {
	for _, v := range vs {
		v.uses++
	}
}

// number draws a number in [lo, hi).
func (s *scope) number(lo, hi float64) float64 { return lo + (hi-lo)*s.g.rng.Float64() }

// oneOf draws an element.
func oneOf[T any](s *scope, xs ...T) T { return xs[s.g.rng.IntN(len(xs))] }
