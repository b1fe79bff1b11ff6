package exec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/internal/randprog"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// cells makes recursive programs of rows that are wide enough to be fused, mostly sums
// of products, parts of them and element-wise operators that share operands: what Note
// [Sums of products], Note [Homes], Note [Fusing] and Note [Recomputing] are about.
// Random programs of package randprog have more operators, but narrow rows and few of
// these together.
type cells struct {
	rng   *rand.Rand
	m     *graph.Module
	unit  int // most widths are multiples
	steps int // that are left
	vars  []graph.Value
	words graph.Value // a table
	out   []graph.Value

	// What the open body sees.
	n     graph.Value   // integer
	pool  []graph.Value // vectors
	lists []graph.Value // of vectors, equally long
	level int
	self  *recursion.SubGraph[[]graph.Value, []graph.Value] // nil where the recursion ends
	calls int                                               // that are left
}

// newCells makes the program of a seed; with fewer steps, one that begins alike.
func newCells(seed uint64, steps int) (*programCase, error) {
	c := &cells{rng: rand.New(rand.NewPCG(seed, 3)), m: graph.NewModule("cells"), steps: steps}
	c.unit = []int{32, 32, 33, 40}[c.rng.IntN(4)]
	h, x := graph.F32(2*c.unit), graph.F32(c.unit)
	c.out = []graph.Value{h, x, h}[:1+c.rng.IntN(3)]
	c.words = c.m.Var("words", graph.F32(8, c.unit), graph.Uniform(1))
	main := recursion.Declare(c.m, "main", []graph.Value{graph.I32(), h, x, graph.I32(graph.Any)}, c.out)
	main.Define(func(in []graph.Value) []graph.Value {
		cell := recursion.Declare(c.m, "cell", []graph.Value{graph.I32(), h, x}, c.out)
		cell.Define(func(p []graph.Value) []graph.Value { return c.cell(cell, p, in[3]) })
		return cell.Invoke(in[:3])
	})
	built, err := c.m.Build()
	if err != nil {
		return nil, err
	}
	p := &programCase{Program: &randprog.Program{Seed: seed, Built: built, Main: main.Graph()}, grad: GradOptions{Tables: true}}
	if seed%3 == 0 {
		p.grad.Seed = seed + 1
	}
	for i := range 4 {
		p.inputs = append(p.inputs, c.input(int32(i%3)))
	}
	return p, nil
}

func (c *cells) input(depth int32) []Array {
	words := make([]int32, c.rng.IntN(4))
	for i := range words {
		words[i] = c.rng.Int32N(8)
	}
	return []Array{integer(depth), numbers(c.floats(2 * c.unit)...), numbers(c.floats(c.unit)...), integers(words...)}
}

func (c *cells) floats(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 2*c.rng.Float32() - 1
	}
	return x
}

// cell is the body of the recursion.
func (c *cells) cell(self *recursion.SubGraph[[]graph.Value, []graph.Value], p []graph.Value, words graph.Value) []graph.Value {
	size := 3 + c.rng.IntN(14)
	c.n = p[0]
	c.pool = append([]graph.Value{}, p[1:]...)
	c.pool = append(c.pool, ops.At(c.words, ops.Mod(c.n, c.m.Int(8))))
	c.lists = []graph.Value{ops.At(c.words, words)}
	return recursion.If(ops.Less(c.n, c.m.Int(1)), func() []graph.Value {
		return c.body(size/3, c.out)
	}, func() []graph.Value {
		c.self, c.calls = self, 2
		defer func() { c.self = nil }()
		return c.body(size, c.out)
	})
}

// body takes some steps and returns vectors like those wanted. What it makes is not
// visible outside.
func (c *cells) body(steps int, like []graph.Value, given ...graph.Value) []graph.Value {
	pool, lists := c.pool, c.lists
	c.pool = append(append([]graph.Value{}, pool...), given...)
	c.lists = append([]graph.Value{}, lists...)
	c.level++
	for range steps {
		c.step()
	}
	results := make([]graph.Value, len(like))
	for i, v := range like {
		results[i] = c.fit(c.vector(), width(v))
		if c.rng.IntN(3) == 0 {
			results[i] = ops.Tanh(results[i])
		}
	}
	c.pool, c.lists = pool, lists
	c.level--
	return results
}

// cellConfigs are the ways of execution that differ in what they do with rows.
var cellConfigs = []config{
	{Options{Workers: 1}, 1},
	{Options{Workers: 2, Batching: 3, Deterministic: true}, 2},
	{Options{Workers: 1, NoSharing: true, CheckFinite: true, Analyse: true}, 1},
}

// TestRandomCells is TestRandomPrograms for cells.
func TestRandomCells(t *testing.T) {
	for seed := range seedCount(t, 100) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			c, err := newCells(seed, randprog.Unlimited)
			require.NoError(t, err)
			if err := c.check(cellConfigs); err != nil {
				t.Fatal(smallestCells(seed, err))
			}
		})
	}
}

// smallestCells is smallest for cells.
func smallestCells(seed uint64, err error) error {
	for steps := range 60 {
		if c, err := newCells(seed, steps); err == nil {
			if small := c.check(cellConfigs); small != nil {
				return fmt.Errorf("seed %d, %d steps: %w\n\n%v", seed, steps, small, c.Built)
			}
		}
	}
	return err
}
