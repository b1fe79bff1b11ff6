package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
)

func TestGraph(t *testing.T) {
	file, _ := trained(t)
	m, err := loadModel(file, exec.Options{})
	require.NoError(t, err)
	defer m.session.Close()
	p := m.session.Program()
	var dot strings.Builder
	require.NoError(t, p.WriteDOT(&dot))
	for flags, want := range map[string]string{
		"": dot.String(), "-text": p.String(), "-gradient": p.GradientString(), "-plan": m.session.Plan(),
	} {
		r := treelstm(t, append([]string{"graph", "-model", file}, strings.Fields(flags)...)...)
		require.Zero(t, r.status, r.err)
		assert.Equal(t, want, r.out, flags)
	}
}

func TestGraphSVG(t *testing.T) {
	file, _ := trained(t)
	r := treelstm(t, "graph", "-svg", "-model", file)
	require.Zero(t, r.status, r.err)
	assert.True(t, strings.HasPrefix(r.out, "<svg "))
	assert.Contains(t, r.out, ">subtree</text>")
	assert.NotContains(t, r.out, "stage ")

	r = treelstm(t, "graph", "-svg", "-plan", "-model", file)
	require.Zero(t, r.status, r.err)
	assert.Contains(t, r.out, "stage subtree/0: calls")
	assert.Contains(t, r.out, ": sink")
}

// Without a model there is still one to see.
func TestGraphOfANewModel(t *testing.T) {
	_, dir := trained(t)
	r := treelstm(t, "graph", "-text", "-data", dir)
	require.Zero(t, r.status, r.err)
	assert.Contains(t, r.out, "var @U f32[750 300]", "the sizes of Tai et al.")
}

func TestGraphRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"want one of them":                     {"-svg", "-text"},
		"-gradient: want one of them":          {"-plan", "-gradient"},
		`unexpected argument "x"`:              {"x"},
		"-model and -config: want one of them": {"-model", "x", "-config", "y"},
	} {
		r := treelstm(t, append([]string{"graph"}, args...)...)
		assert.Equal(t, exitUsage, r.status)
		assert.Contains(t, r.err, want)
	}
}
