package exec_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/golden"
)

type optionSet struct {
	name string
	exec.Options
}

// allOptionSets are ways to execute a program that must all give the same.
var allOptionSets = []optionSet{
	{"default", exec.Options{Workers: 1}},
	{"two_workers", exec.Options{Workers: 2}},
	{"one_frame_at_a_time", exec.Options{Workers: 1, Batching: exec.BatchOff}},
	{"three_frames_at_a_time", exec.Options{Workers: 2, Batching: 3}},
	{"without_sharing", exec.Options{Workers: 1, NoSharing: true}},
	{"deterministic", exec.Options{Workers: 2, Deterministic: true}},
	{"little_memory", exec.Options{Workers: 1, Memory: 256 << 20}},
	{"little_memory_without_sharing", exec.Options{Workers: 2, Memory: 256 << 20, Batching: 3, NoSharing: true}},
}

// optionSets leaves those with one worker out of short tests, which are for the
// race detector.
func optionSets() []optionSet {
	if !testing.Short() {
		return allOptionSets
	}
	return slices.DeleteFunc(slices.Clone(allOptionSets), func(o optionSet) bool { return o.Workers == 1 })
}

// Every execution of an example must give, bit for bit, what the first one gave,
// whatever the options and whatever is executed with it.
func TestGoldenModels(t *testing.T) {
	eachGoldenCase(t, func(t *testing.T, c *golden.Case) {
		alone := newGoldenSession(t, c, exec.Options{Workers: 1})
		first := alone.oneByOne(t)
		for _, o := range optionSets() {
			t.Run(o.name, func(t *testing.T) {
				s := newGoldenSession(t, c, o.Options)
				s.forward(t, first)
				s.miniBatch(t, first)
			})
		}
	})
}

// eachGoldenCase leaves the largest model out of short tests.
func eachGoldenCase(t *testing.T, test func(t *testing.T, c *golden.Case)) {
	golden.EachCase(t, func(t *testing.T, c *golden.Case) {
		if testing.Short() && strings.Contains(t.Name(), "e300") {
			t.Skip("slow with the race detector")
		}
		test(t, c)
	})
}

// goldenSession executes the model of a case with its weights.
type goldenSession struct {
	*exec.Session
	c              *golden.Case
	inputs, others [][]exec.Array // of the examples, and of those with an output only
}

func newGoldenSession(t *testing.T, c *golden.Case, o exec.Options) *goldenSession {
	t.Helper()
	s, err := exec.New(c.Program, o)
	require.NoError(t, err)
	inputs := inputsOf(c.Examples)
	_, err = s.Run(context.Background(), c.Graph, inputs) // nothing of these weights may remain
	require.NoError(t, err)
	for i, v := range c.Program.Variables {
		require.NoError(t, s.Parameters().Set(v, float32s(c.Weights[i])))
	}
	return &goldenSession{s, c, inputs, inputsOf(c.Forward)}
}

// executed is what executing the examples one by one has given.
type executed struct {
	outputs   [][]exec.Array
	losses    []float64
	gradients [][]float64 // sums, by variable
}

func (s *goldenSession) gradients(t *testing.T, inputs [][]exec.Array) *exec.Result {
	t.Helper()
	s.ResetStats()
	r, err := s.Gradients(context.Background(), s.c.Graph, inputs, exec.GradOptions{Tables: true})
	require.NoError(t, err)
	return r
}

// oneByOne executes every example in a run of its own.
func (s *goldenSession) oneByOne(t *testing.T) *executed {
	t.Helper()
	var sum executed
	for _, v := range s.c.Program.Variables {
		sum.gradients = append(sum.gradients, make([]float64, v.Type.Size()))
	}
	total := 0.0
	for i := range s.c.Examples {
		r := s.gradients(t, s.inputs[i:i+1])
		s.c.Examples[i].Check(t, "alone", outcome(r, 0), golden.Float32)
		assert.EqualValues(t, s.c.Examples[i].Calls+s.c.Examples[i].Mapped, s.Stats().Calls, "invocations of example %d", i)
		sum.outputs, sum.losses = append(sum.outputs, r.Outputs[0]), append(sum.losses, r.Losses[0])
		total += r.Loss
		for k, v := range s.c.Program.Variables {
			for j, d := range r.Gradients.Of(v).Full() {
				sum.gradients[k][j] += float64(d)
			}
		}
	}
	s.c.CheckTotal(t, total, func(v *graph.Variable) []float64 { return sum.gradients[v.Index] }, golden.Float32)
	return &sum
}

// forward executes all examples without gradients, the second time with what the
// session has kept.
func (s *goldenSession) forward(t *testing.T, first *executed) {
	t.Helper()
	for range 2 {
		r, err := s.Run(context.Background(), s.c.Graph, s.inputs)
		require.NoError(t, err)
		assert.Equal(t, first.outputs, r.Outputs)
		assert.Equal(t, first.losses, r.Losses)
	}
	r, err := s.Run(context.Background(), s.c.Graph, s.others)
	require.NoError(t, err)
	for i := range s.c.Forward {
		golden.CheckValues(t, "output", float64s(r.Outputs[i][0].F), s.c.Forward[i].Output, golden.Float32)
	}
}

// sumTolerance is how far the gradient of a mini-batch may be from the sum of the
// gradients of its examples, relative to the largest element: some thousand float32
// additions in another order.
var sumTolerance = golden.Tolerance{Gradient: 1e-4}

// miniBatch executes all examples in one run, the second time on used memory.
func (s *goldenSession) miniBatch(t *testing.T, first *executed) {
	t.Helper()
	for range 2 {
		r := s.gradients(t, s.inputs)
		calls := 0
		for i := range s.c.Examples {
			s.c.Examples[i].Check(t, "in a mini-batch", outcome(r, i), golden.Float32)
			calls += s.c.Examples[i].Calls + s.c.Examples[i].Mapped
		}
		assert.Equal(t, first.outputs, r.Outputs)
		assert.Equal(t, first.losses, r.Losses)
		s.c.CheckTotal(t, r.Loss, func(v *graph.Variable) []float64 {
			g := float64s(r.Gradients.Of(v).Full())
			golden.CheckValues(t, "sum of gradients of "+v.Name, g, first.gradients[v.Index], sumTolerance)
			return g
		}, golden.Float32)
		stats := s.Stats()
		assert.EqualValues(t, calls, stats.Calls)
		assert.EqualValues(t, len(s.inputs), stats.Runs)
		if limit := s.Options().Memory; limit > 0 {
			assert.LessOrEqual(t, stats.PeakBytes, limit)
		}
	}
}

// A deterministic session's gradients depend neither on the number of workers nor
// on how much is executed at a time...
func TestGoldenDeterministic(t *testing.T) {
	eachGoldenCase(t, func(t *testing.T, c *golden.Case) {
		var first [][]float32
		for _, workers := range []int{1, 2, 3} {
			s := newGoldenSession(t, c, exec.Options{Workers: workers, Deterministic: true})
			r := s.gradients(t, s.inputs)
			for i, v := range c.Program.Variables {
				g := r.Gradients.Of(v).Full()
				if workers == 1 {
					first = append(first, g)
				}
				assert.Equal(t, first[i], g, "gradient of %s with %d workers", v.Name, workers)
			}
		}
	})
}
