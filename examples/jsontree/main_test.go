package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheNestingIsLearnt(t *testing.T) {
	rows, err := compare(t.Context(), io.Discard, quickConfig(1))
	require.NoError(t, err)
	require.Len(t, rows, 3)
	for _, r := range rows[:2] {
		assert.Less(t, max(r.test, r.deeper), 0.75, r.name)
	}
	assert.Greater(t, rows[2].test, 0.95)
	assert.Greater(t, rows[2].deeper, 0.9)
}

func TestSeedStandsForItsResults(t *testing.T) {
	c := quickConfig(3)
	c.train, c.test, c.epochs = 90, 90, 2
	var first, second bytes.Buffer
	rows, err := compare(t.Context(), &first, c)
	require.NoError(t, err)
	again, err := compare(t.Context(), &second, c)
	require.NoError(t, err)
	assert.Equal(t, rows, again)
	assert.Equal(t, first.String(), second.String())
}

func TestRun(t *testing.T) {
	c := quickConfig(2)
	c.train, c.test, c.epochs = 30, 30, 1
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out, c))
	assert.Regexp(t, `(?s)^30 filters to train on.*linear, epoch 1: .*treegru, epoch 1: .*\nright .*\nalways .* 33.3% .*\ncounts .*\nTree-GRU .*%\n$`, out.String())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, run(ctx, &out, c), context.Canceled)
	c.depth = 0 // of which there are few
	require.ErrorContains(t, run(t.Context(), &out, c), "different filters of depth 0, want 30")
}

// The verdicts follow from the text alone, by Kleene's logic with 0, ½ and 1.
func TestVerdicts(t *testing.T) {
	text, err := write(rand.New(rand.NewPCG(1, 2)), 300, 4, map[string]bool{})
	require.NoError(t, err)
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	require.Len(t, lines, 300)
	for i, line := range lines {
		var f map[string]any
		require.NoError(t, json.Unmarshal(line, &f))
		assert.InDelta(t, float64(i%3)/2, truth(t, f), 0, "%s", line)
	}
}

func truth(t *testing.T, f map[string]any) float64 {
	if len(f) == 0 {
		return 1
	}
	require.Len(t, f, 1)
	for key, value := range f {
		if key[0] != '$' {
			if test, ok := value.(map[string]any); ok {
				if values, ok := test["$in"].([]any); ok && len(values) == 0 {
					return 0
				}
			}
			return 0.5
		}
		and, or := 1.0, 0.0
		for _, part := range value.([]any) {
			v := truth(t, part.(map[string]any))
			and, or = min(and, v), max(or, v)
		}
		switch key {
		case "$and":
			return and
		case "$or":
			return or
		case "$nor":
			return 1 - or
		}
	}
	t.Fatalf("unknown filter %v", f)
	return 0
}
