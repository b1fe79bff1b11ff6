package exec

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTreeAgainstReference(t *testing.T) {
	p, g := treeProgram(t, 20, 6, 5, 3)
	rng := rand.New(rand.NewPCG(1, 2))
	var in [][]Array
	for range 7 {
		in = append(in, randomTree(rng, 1+rng.IntN(12), 20, 3))
	}
	ref, err := New(p, Options{Reference: true, Float64: true})
	require.NoError(t, err)
	want, err := ref.Gradients(context.Background(), g, in, GradOptions{})
	require.NoError(t, err)
	for _, o := range []Options{{Workers: 1}, {Workers: 1, NoSharing: true}, {Workers: 2}, {Workers: 1, Batching: 1}, {Workers: 1, Batching: 3}, {Workers: 1, Memory: 64 << 20}, {Deterministic: true}} {
		o.Parameters = ref.Parameters()
		s, err := New(p, o)
		require.NoError(t, err)
		for range 2 {
			got, err := s.Run(context.Background(), g, in)
			require.NoError(t, err)
			require.InDelta(t, want.Loss, got.Loss, 1e-4)
			got, err = s.Gradients(context.Background(), g, in, GradOptions{Tables: true})
			require.NoError(t, err)
			require.InDelta(t, want.Loss, got.Loss, 1e-4)
			for i := range in {
				require.InDeltaSlice(t, want.Outputs[i][0].F, got.Outputs[i][0].F, 1e-5)
				require.Equal(t, want.Tables[i]["logits"].Keys, got.Tables[i]["logits"].Keys)
			}
			for i, v := range p.Variables {
				require.InDeltaSlice(t, want.Gradients.vars[i].Full(), got.Gradients.vars[i].Full(), 1e-4, "%s", v.Name)
			}
		}
		t.Log(s.Stats())
	}
}
