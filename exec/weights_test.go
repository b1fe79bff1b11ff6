package exec

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/frondml/frond/internal/kernel"
)

// Products of the program read variables where they are; what only gradients need is
// made by gradient runs alone.
func TestWeightsAreCopiedOnlyWhenNeeded(t *testing.T) {
	p, g := treeProgram(t, 30, 20, 10, 3)
	s := session(t, p, Options{Workers: 1})
	in := [][]Array{randomTree(rand.New(rand.NewPCG(3, 4)), 9, 30, 3)}
	_, err := s.Run(t.Context(), g, in)
	require.NoError(t, err)
	held := 0
	for i, w := range s.plan.weights {
		if s.packed[i] != nil {
			held++
			assert.Same(t, &s.params.values[w.global.Variable().Index][0], &s.packed[i].Data[0], "%v", w)
		}
	}
	require.Equal(t, 3, held, "W, U and Ws")
	_, err = s.Gradients(t.Context(), g, in, GradOptions{})
	require.NoError(t, err)
	require.Len(t, s.packed, 6)
	for i, m := range s.packed {
		require.NotNil(t, m, "%v", s.plan.weights[i])
	}
}

// Sessions that share parameters and run at once see every change, and nothing else.
func TestSessionsShareParameters(t *testing.T) {
	p, g := treeProgram(t, 30, 20, 10, 3)
	params := NewParameters(p, 1)
	in := [][]Array{randomTree(rand.New(rand.NewPCG(3, 4)), 9, 30, 3), randomTree(rand.New(rand.NewPCG(5, 6)), 5, 30, 3)}
	var sessions []*Session
	for _, o := range []Options{{Workers: 1}, {Workers: 2}, {Workers: 2, NoSharing: true}} {
		o.Parameters = params
		sessions = append(sessions, session(t, p, o))
	}
	for range 4 {
		fresh := session(t, p, Options{Workers: 1, Parameters: params})
		want, err := fresh.Gradients(t.Context(), g, in, GradOptions{})
		require.NoError(t, err)
		var group errgroup.Group
		for _, s := range sessions {
			for range 2 {
				group.Go(func() error {
					r, err := s.Run(t.Context(), g, in)
					if err == nil {
						assert.Equal(t, want.Outputs, r.Outputs)
					}
					return err
				})
			}
			group.Go(func() error {
				r, err := s.Gradients(t.Context(), g, in, GradOptions{})
				if err != nil {
					return err
				}
				assert.Equal(t, want.Outputs, r.Outputs)
				for _, v := range p.Variables {
					assert.InDeltaSlice(t, want.Gradients.Of(v).Full(), r.Gradients.Of(v).Full(), 1e-4, v.Name)
				}
				return nil
			})
		}
		require.NoError(t, group.Wait())
		params.Update(func(values [][]float32) {
			for _, x := range values {
				kernel.Scale(x, x, 0.75)
			}
		})
	}
}
