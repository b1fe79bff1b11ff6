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

func small(t *testing.T, model string) settings {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared")
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		t.Skip("the reference data is not beside this repository")
	}
	return settings{data: filepath.Join(dir, "data", "logic"), model: model, operators: 2, longest: 4, generated: 200,
		epochs: 8, sizes: sizes{hidden: 16, compare: 20}, rate: 0.01, batch: 32, seed: 1, workers: 2}
}

func TestLearnsLogic(t *testing.T) {
	var out bytes.Buffer
	results, err := run(t.Context(), &out, small(t, "treerntn"))
	require.NoError(t, err)
	t.Log(out.String())
	require.Len(t, results, 5)
	for i, want := range []result{
		{operators: 0, pairs: 6}, {operators: 1, pairs: 410}, {operators: 2, pairs: 2198}, {operators: 3, pairs: 200}, {operators: 4, pairs: 200},
	} {
		got := results[i]
		assert.Equal(t, want, result{operators: got.operators, pairs: got.pairs})
		if 0 < want.operators && want.operators <= 2 { // as long as those to train on
			assert.Greater(t, got.accuracy, got.majority+0.08, "%d operators", want.operators)
		}
	}
	assert.Contains(t, out.String(), "treerntn, 16 elements: 14060 pairs of at most 2 operators to train on\n")
}

func TestModels(t *testing.T) {
	for _, model := range []string{"treernn", "treerntn", "treelstm"} {
		s := small(t, model)
		s.operators, s.epochs, s.pairs, s.longest, s.sizes = 1, 3, 300, 0, sizes{6, 8}
		var first, second bytes.Buffer
		_, err := run(t.Context(), &first, s)
		require.NoError(t, err)
		s.workers = 1
		_, err = run(t.Context(), &second, s)
		require.NoError(t, err)
		assert.Equal(t, first.String(), second.String(), "the same with any number of workers")
	}
}

// Pairs to train on are left out of generated tests.
func TestSetsAreDisjoint(t *testing.T) {
	s := small(t, "treernn")
	s.operators, s.longest = 4, 4
	sets, err := readSets(s)
	require.NoError(t, err)
	require.Equal(t, 68425, len(sets.train)+len(sets.dev))
	trained := map[string]bool{}
	for _, p := range sets.train {
		trained[key(p)] = true
	}
	for _, test := range append(sets.tests, test{pairs: sets.dev}) {
		for _, p := range test.pairs {
			require.False(t, trained[key(p)])
		}
	}
	require.Len(t, some(sets.train, 100), 100)
}

func key(p pair) string {
	var key []byte
	for _, list := range [][]int32{p.A.Word, p.A.Left, p.B.Word, p.B.Left} {
		for _, x := range list {
			key = append(key, byte(x))
		}
		key = append(key, '|')
	}
	return string(key)
}

func TestMistakes(t *testing.T) {
	_, err := parse(nil)
	assert.ErrorContains(t, err, "want -data")
	_, err = run(context.Background(), io.Discard, settings{data: t.TempDir(), model: "treernn"})
	assert.ErrorIs(t, err, fs.ErrNotExist)
	s := small(t, "lstm")
	s.operators, s.longest = 0, 0
	_, err = run(context.Background(), io.Discard, s)
	assert.EqualError(t, err, `-model "lstm": want treernn, treerntn or treelstm`)
}
