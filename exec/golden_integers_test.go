package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/internal/golden"
)

// All calls of a function are executed in one run, and each in its own.
func TestGoldenIntegers(t *testing.T) {
	for _, c := range golden.Load(t, "integers").Integers(t) {
		for _, o := range optionSets() {
			t.Run(c.Name+"/"+o.name, func(t *testing.T) {
				s, err := exec.New(c.Program, o.Options)
				require.NoError(t, err)
				inputs, calls := integerInputs(c.Args), 0
				for i, n := range c.Calls {
					checkCalls(t, s, &c, inputs[i:i+1], i, n)
					calls += n
				}
				checkCalls(t, s, &c, inputs, 0, calls)
			})
		}
	}
}

// checkCalls executes consecutive calls, of which the first has the given number.
func checkCalls(t *testing.T, s *exec.Session, c *golden.IntegerCase, inputs [][]exec.Array, first, invocations int) {
	t.Helper()
	s.ResetStats()
	r, err := s.Run(context.Background(), c.Graph, inputs)
	require.NoError(t, err)
	for k, out := range r.Outputs {
		assert.Equal(t, []int32{c.Value[first+k]}, out[0].I, "%s%v", c.Name, c.Args[first+k])
	}
	assert.EqualValues(t, invocations, s.Stats().Calls, "invocations")
}

func integerInputs(calls [][]int32) [][]exec.Array {
	inputs := make([][]exec.Array, len(calls))
	for i, args := range calls {
		for _, a := range args {
			inputs[i] = append(inputs[i], exec.Array{I: []int32{a}})
		}
	}
	return inputs
}

func TestGoldenTreeStats(t *testing.T) {
	file := golden.Load(t, "integers")
	want, g := file.TreeStats(t)
	var inputs [][]exec.Array
	invocations := 0
	for _, x := range file.Trees(t) {
		inputs = append(inputs, []exec.Array{list(x.Left), list(x.Right), list(x.Label)})
		invocations += len(x.Left) + 1
	}
	for _, o := range optionSets() {
		t.Run(o.name, func(t *testing.T) {
			s, err := exec.New(want.Program, o.Options)
			require.NoError(t, err)
			r, err := s.Run(context.Background(), g, inputs)
			require.NoError(t, err)
			var got [4][]int32
			for _, out := range r.Outputs {
				for k := range got {
					got[k] = append(got[k], out[k].I[0])
				}
			}
			assert.Equal(t, [4][]int32{want.Depth, want.LabelSum, want.Leaves, want.Nodes}, got)
			assert.EqualValues(t, invocations, s.Stats().Calls)
		})
	}
}

func list(elems []int32) exec.Array { return exec.Array{Shape: []int{len(elems)}, I: elems} }
