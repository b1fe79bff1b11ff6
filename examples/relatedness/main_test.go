package main

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shared returns a path of the reference data beside the repository.
func shared(t *testing.T, elem ...string) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared")
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		t.Skip("the reference data is not beside this repository")
	}
	return filepath.Join(append([]string{dir, "data"}, elem...)...)
}

func small(t *testing.T) settings {
	return settings{data: shared(t, "sick"), vectors: shared(t, "vectors", "glove.6B.50d.subset5050.txt"),
		epochs: 4, pairs: 1000, hidden: 20, compare: 10, seed: 1, workers: 2}
}

func TestLearnsRelatedness(t *testing.T) {
	var out bytes.Buffer
	test, err := run(t.Context(), &out, small(t))
	require.NoError(t, err)
	t.Log(out.String())
	assert.Greater(t, test.pearson, 0.5)
	assert.Greater(t, test.spearman, 0.5)
	assert.Less(t, test.mse, 0.8, "the variance of the scores is 1.0")
	assert.Contains(t, out.String(), "SICK: 1000 pairs to train on, 500 for development, 4927 for the test\n")
	assert.Contains(t, out.String(), "test, weights of epoch ")
}

func TestRunIsReproducible(t *testing.T) {
	s := small(t)
	s.pairs, s.epochs, s.hidden, s.vectors, s.embed = 100, 1, 5, "", 6
	var first, second bytes.Buffer
	_, err := run(t.Context(), &first, s)
	require.NoError(t, err)
	s.workers = 1
	_, err = run(t.Context(), &second, s)
	require.NoError(t, err)
	assert.Equal(t, first.String(), second.String())
}

// With -fixed, training leaves the word vectors as the file has them.
func TestFixedVectors(t *testing.T) {
	s := small(t)
	sets, err := readSets(s.data, 50)
	require.NoError(t, err)
	vectors, err := sets.embedding(s)
	require.NoError(t, err)
	for _, fixed := range []bool{true, false} {
		s.fixed = fixed
		m, err := newModel(s, sets.vocabulary, vectors)
		require.NoError(t, err)
		defer m.session.Close()
		trainer, err := newTrainer(m, s)
		require.NoError(t, err)
		_, err = trainer.Step(t.Context(), sets.train[:25])
		require.NoError(t, err)
		assert.Equal(t, fixed, assert.ObjectsAreEqual(vectors.Rows, m.session.Parameters().Value(m.embedding)))
	}
}

func TestQuality(t *testing.T) {
	// By hand: deviations -1.5 -.5 .5 1.5 and -1 -1 0 2; 5/√(5·6). Ranks of the second
	// are .5 .5 2 3: deviations -1 -1 .5 1.5, so 4.5/√(5·4.5).
	q := compare([]float64{1, 2, 3, 4}, []float64{2, 2, 3, 5})
	assert.InDelta(t, 5/5.477225575, q.pearson, 1e-9)
	assert.InDelta(t, 4.5/4.743416490, q.spearman, 1e-9)
	assert.InDelta(t, 0.5, q.mse, 1e-12)
	assert.Zero(t, compare([]float64{1, 1}, []float64{1, 2}).pearson)
}

func TestMistakes(t *testing.T) {
	_, err := parse([]string{"-epochs", "1"})
	assert.ErrorContains(t, err, "want -data")
	_, err = parse([]string{"-data", "x", "y"})
	assert.ErrorContains(t, err, "no other arguments")
	_, err = run(context.Background(), io.Discard, settings{data: t.TempDir()})
	assert.ErrorIs(t, err, fs.ErrNotExist)
}
