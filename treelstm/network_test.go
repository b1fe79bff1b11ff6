package main

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every network learns, is kept with its name, and goes on as nothing else.
func TestEveryNetwork(t *testing.T) {
	dir := sentimentData(t)
	for _, n := range networks() {
		out := filepath.Join(t.TempDir(), "m.safetensors")
		args := []string{"-model", n.name, "-data", dir, "-out", out, "-hidden=6", "-epochs=3", "-min-count=1"}
		r := treelstm(t, small(args...)...)
		require.Zero(t, r.status, "%s: %s", n.name, r.err)
		lines := epochLine.FindAllStringSubmatch(r.out, -1)
		require.Len(t, lines, 3)
		nodes, err := strconv.ParseFloat(lines[2][4], 64)
		require.NoError(t, err)
		assert.Greater(t, nodes, 60.0, "%s has learnt something", n.name)

		r = treelstm(t, "eval", "-model", out)
		require.Zero(t, r.status, r.err)
		assert.Contains(t, r.out, n.title+": 8 words, embedding 6, hidden 6, 5 classes")

		other := networks()[0].name
		if other == n.name {
			other = networks()[1].name
		}
		r = treelstm(t, "train", "-resume", "-out", out, "-model", other, "-classes=6", "-dropout=0", "-epochs=4")
		assert.Equal(t, exitFailure, r.status)
		assert.Contains(t, r.err, "-resume cannot change the model:\nit was trained with -model="+n.name+", not "+other)
		assert.Contains(t, r.err, "it was trained with -classes=5, not 6")
	}
}
