package exec_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

// The stages that docs/architecture.md describes: nodes are grouped by the invocations
// that they depend on, and what only sinks read is apart.
func TestStages(t *testing.T) {
	m := graph.NewModule("stages")
	models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: 10, Embed: 4, Hidden: 3, Classes: 2})
	p, err := m.Build()
	require.NoError(t, err)
	s, err := exec.New(p, exec.Options{})
	require.NoError(t, err)
	defer s.Close()

	roles := map[string][]string{} // by operator, in the graph that is looked at
	look := func(name string) {
		clear(roles)
		i := slices.IndexFunc(p.Graphs, func(g *graph.Graph) bool { return g.Name == name })
		require.GreaterOrEqual(t, i, 0, name)
		stages := s.Stages(p.Graphs[i])
		seen := map[*graph.Node]bool{}
		for _, st := range stages {
			assert.True(t, slices.IsSortedFunc(st.Nodes, func(a, b *graph.Node) int { return a.Index - b.Index }))
			for _, n := range st.Nodes {
				assert.False(t, seen[n], "%s is in two stages", n.Op.Name())
				seen[n] = true
				assert.Same(t, p.Graphs[i], n.Graph)
				roles[n.Op.Name()] = append(roles[n.Op.Name()], st.Role)
			}
			assert.Contains(t, s.Plan(), st.Name)
		}
	}
	look("subtree")
	assert.Equal(t, []string{"calls"}, roles["select"])
	assert.Equal(t, []string{"sink"}, roles["loss"])
	assert.Equal(t, []string{"sink"}, roles["collect"])
	look("subtree.else")
	assert.Equal(t, []string{"calls", "calls"}, roles["invoke"])
	assert.Equal(t, []string{"continuation"}, roles["matmul"])
	look("subtree.then")
	assert.Equal(t, []string{"leaf"}, roles["matmul"])

	other := graph.NewModule("other")
	models.NewTreeRNN(other, models.TreeRNNConfig{Vocab: 10, Hidden: 3, Classes: 2})
	q, err := other.Build()
	require.NoError(t, err)
	assert.Nil(t, s.Stages(q.Graphs[0]))
	assert.Nil(t, s.Stages(nil))
}
