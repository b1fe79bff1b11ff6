package train_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/train"
)

// What a snapshot costs, beside a step, with a Tree-LSTM of the size that is usual for the
// Stanford Sentiment Treebank, on a device that copies at the speed of memory.
func BenchmarkSnapshot(b *testing.B) {
	const words = 10000
	m := graph.NewModule("sst")
	model := models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: words, Embed: 300, Hidden: 150, Classes: classes})
	program, err := m.Build()
	require.NoError(b, err)
	s, err := exec.New(program, exec.Options{Device: host.New(host.Options{})})
	require.NoError(b, err)
	defer s.Close()
	tr, err := train.NewTrainer[tree](s, model, &train.Adagrad{LearningRate: 0.05, Epsilon: 1e-8, LazyRows: true}, train.Options{SnapshotEvery: 1 << 30})
	require.NoError(b, err)
	rng := rand.New(rand.NewPCG(1, 2))
	trees := make([]tree, 25)
	for i := range trees {
		trees[i].grow(rng, 10+rng.IntN(20))
	}
	step := func(b *testing.B) {
		_, err := tr.Step(b.Context(), trees)
		require.NoError(b, err)
	}
	step(b)
	b.Run("step", func(b *testing.B) {
		for b.Loop() {
			step(b)
		}
	})
	b.Run("step and snapshot", func(b *testing.B) {
		for b.Loop() {
			step(b)
			require.NoError(b, tr.Snapshot())
		}
	})
}
