package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPredictJSON(t *testing.T) {
	file, _ := trained(t)
	r := treelstm(t, "predict", "-json", "-model", file, "(0 (2 the) (0 (2 film) (0 awful)))", "( ( <great>) ( film))")
	require.Zero(t, r.status, r.err)
	var phrases []string
	lines := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
	require.Len(t, lines, 8)
	for i, line := range lines {
		var n nodeRecord
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&n), line)
		phrases = append(phrases, n.Phrase)
		sum := float32(0)
		for _, p := range n.Probabilities {
			sum += p
			assert.LessOrEqual(t, p, n.Probabilities[n.Class])
		}
		assert.InDelta(t, 1, sum, 1e-6)
		if i < 5 {
			assert.Equal(t, 1, n.Tree)
			assert.Equal(t, int32(i), n.Node)
			require.NotNil(t, n.Label)
			assert.Equal(t, []int32{2, 2, 0, 0, 0}[i], *n.Label)
		} else {
			assert.Equal(t, 2, n.Tree)
			assert.Nil(t, n.Label)
		}
	}
	assert.Equal(t, []string{"the", "film", "awful", "film awful", "the film awful", "<great>", "film", "<great> film"}, phrases)

	r = treelstm(t, "predict", "-json", "-html", "x.html", "-model", file, "(2 film)")
	assert.Equal(t, exitUsage, r.status)
	assert.Contains(t, r.err, "-html and -json: want one of them")
}
