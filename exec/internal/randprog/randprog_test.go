package randprog

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

func TestProgramsBuildAndRun(t *testing.T) {
	for seed := range uint64(30) {
		p, err := New(seed, Unlimited)
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(seed, 2))
		for range 3 {
			_, err := p.Probe(p.Inputs(rng), seed, 0)
			require.NoError(t, err, "seed %d\n%v", seed, p.Built)
		}
	}
}

func TestSeedDeterminesProgram(t *testing.T) {
	for seed := range uint64(5) {
		a, err := New(seed, Unlimited)
		require.NoError(t, err)
		b, err := New(seed, Unlimited)
		require.NoError(t, err)
		require.Equal(t, a.Built.String(), b.Built.String())
		small, err := New(seed, 0)
		require.NoError(t, err)
		require.Less(t, len(small.Built.String()), len(a.Built.String()))
	}
}

// The programs must contain everything that a program can contain.
func TestProgramsCoverOperators(t *testing.T) {
	missing := map[string]bool{}
	for name := range recursion.Registry() {
		if !strings.HasSuffix(name, "_grad") {
			missing[name] = true
		}
	}
	traits := map[string]bool{}
	for seed := range uint64(150) {
		p := &Program{Seed: seed, steps: Unlimited}
		require.NoError(t, p.generate(nil)) // thresholds do not matter here
		for _, g := range p.Built.Graphs {
			for _, n := range g.Nodes {
				delete(missing, n.Op.Name())
			}
			for _, trait := range traitsOf(p.Built, g) {
				traits[trait] = true
			}
		}
	}
	assert.Empty(t, missing, "operators that no program has")
	for _, trait := range []string{"frozen variable", "result is a variable", "result is a constant", "result is an input",
		"argument is a variable", "captured float", "captured i32", "captured bool", "captured list", "list of f32 elements",
		"list of vectors", "list of integers", "sink in a loop or branch", "mutual recursion", "tail call", "unused result",
		"list result of main", "map over several lists", "variable used in both orientations"} {
		assert.True(t, traits[trait], "no program has: %s", trait)
	}
}

// traitsOf names what g has.
func traitsOf(p *graph.Program, g *graph.Graph) (traits []string) {
	note := func(ok bool, trait string) {
		if ok {
			traits = append(traits, trait)
		}
	}
	used := map[graph.Value]bool{}
	orientation := map[*graph.Variable][2]bool{}
	for i, v := range g.Results {
		used[v] = true
		_, constant := v.Node().Op.(*graph.Const)
		_, param := v.Node().Op.(graph.Param)
		note(constant, "result is a constant")
		note(param, "result is an input")
		note(v.Variable() != nil, "result is a variable")
		note(g.Name == "main" && g.Out[i].IsList(), "list result of main")
	}
	for _, v := range g.Captures {
		note(v.Type().DType.IsFloat(), "captured float")
		note(v.Type().DType == graph.Int32, "captured i32")
		note(v.Type().DType == graph.Boolean, "captured bool")
		note(v.Type().IsList(), "captured list")
	}
	for _, n := range g.Nodes {
		for _, v := range n.In {
			used[v] = true
			r := v.Variable()
			note(r != nil && r.Frozen, "frozen variable")
			if op, ok := n.Op.(ops.MatMulOp); ok && r != nil {
				o := orientation[r]
				o[map[bool]int{false: 0, true: 1}[op.TransB]] = true
				orientation[r] = o
				note(o == [2]bool{true, true}, "variable used in both orientations")
			}
		}
		for _, u := range n.Out {
			note(u.Equal(graph.T(graph.Float32, graph.Any)), "list of f32 elements")
			note(u.IsList() && u.DType.IsFloat() && u.Rank() == 2, "list of vectors")
			note(u.Equal(graph.T(graph.Int32, graph.Any)), "list of integers")
		}
		_, sink := n.Op.(graph.Sink)
		note(sink && g.Parent != nil, "sink in a loop or branch")
		if op, ok := n.Op.(*recursion.InvokeOp); ok {
			note(slices.ContainsFunc(n.In, func(v graph.Value) bool { return v.Variable() != nil }), "argument is a variable")
			note(op.Mapped() > 1, "map over several lists")
			note(slices.Equal(g.Results, results(n)), "tail call")
			callee := op.Callees()[0]
			note(callee != outermost(g) && callee.Parent == nil && calls(p, callee, outermost(g)), "mutual recursion")
		}
	}
	for _, n := range g.Nodes {
		if _, ok := n.Op.(*recursion.InvokeOp); ok {
			note(slices.ContainsFunc(results(n), func(v graph.Value) bool { return !used[v] }), "unused result")
		}
	}
	return traits
}

func results(n *graph.Node) []graph.Value {
	vs := make([]graph.Value, len(n.Out))
	for i := range vs {
		vs[i] = n.Result(i)
	}
	return vs
}

func outermost(g *graph.Graph) *graph.Graph {
	for g.Parent != nil {
		g = g.Parent
	}
	return g
}

// calls reports whether g, or a body in it, invokes target.
func calls(p *graph.Program, g, target *graph.Graph) bool {
	for _, inner := range p.Graphs {
		if outermost(inner) != g {
			continue
		}
		for _, n := range inner.Nodes {
			if op, ok := n.Op.(*recursion.InvokeOp); ok && slices.Contains(op.Callees(), target) {
				return true
			}
		}
	}
	return false
}

// A branch on a computed float is worth little when it is always taken.
func TestDecisionsDiffer(t *testing.T) {
	sites, both := 0, 0
	for seed := range uint64(60) {
		p, err := New(seed, Unlimited)
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(seed, 3))
		sides := map[int][2]int{}
		for range 8 {
			q, err := p.Probe(p.Inputs(rng), 0, 0)
			require.NoError(t, err)
			for site, ds := range q.Decisions {
				n := sides[site]
				for _, d := range ds {
					if d > 0 {
						n[1]++
					} else {
						n[0]++
					}
				}
				sides[site] = n
			}
		}
		for _, n := range sides {
			if n[0]+n[1] > 3 {
				sites++
				if min(n[0], n[1]) > 0 {
					both++
				}
			}
		}
	}
	t.Logf("%d of %d branches on floats go both ways", both, sites)
	require.Greater(t, sites, 30)
	require.Greater(t, 2*both, sites)
}
