package exec

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeptRowsGiveTheSameBitsUntilAVariableChanges(t *testing.T) {
	p, g := treeProgram(t, 30, 6, 5, 3)
	rng := rand.New(rand.NewPCG(5, 6))
	s, err := New(p, Options{Workers: 1})
	require.NoError(t, err)
	plain, err := New(p, Options{Workers: 1, NoSharing: true, Parameters: s.Parameters()})
	require.NoError(t, err)
	for round := range 6 {
		if round == 4 {
			s.Parameters().Update(func(v [][]float32) { v[0][0]++; v[1][3]-- })
		}
		before := s.Stats().KeptRows
		var in [][]Array
		for range 5 {
			in = append(in, randomTree(rng, 1+rng.IntN(20), 30, 3))
		}
		got, err := s.Run(context.Background(), g, in)
		require.NoError(t, err)
		want, err := plain.Run(context.Background(), g, in)
		require.NoError(t, err)
		require.Equal(t, want.Outputs, got.Outputs)
		require.Equal(t, want.Losses, got.Losses)
		require.Equal(t, want.Tables, got.Tables)
		if round == 0 || round == 4 {
			require.Equal(t, before, s.Stats().KeptRows, "nothing is kept in round %d", round)
		} else {
			require.Greater(t, s.Stats().KeptRows, before)
		}
	}
	require.Zero(t, plain.Stats().SharedRows)
}
