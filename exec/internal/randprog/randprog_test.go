package randprog

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrograms(t *testing.T) {
	for seed := range uint64(200) {
		p, err := New(seed, Unlimited)
		if err != nil {
			t.Errorf("seed %d %v", seed, err)
			continue
		}
		q, err := p.Probe(p.Inputs(rand.New(rand.NewPCG(1, 2))), 0, 0)
		require.NoError(t, err, "%v", p.Built)
		t.Log(seed, q.Calls, q.Margin, len(q.Decisions), len(p.Built.String()))
	}
}
