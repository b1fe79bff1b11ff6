package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/ops"
)

// built are the networks of package models, with all their parts.
var built = map[string]func(m *graph.Module, n int){
	"attentive Tree-LSTM": func(m *graph.Module, n int) {
		models.NewAttentiveTreeLSTM(m, models.AttentiveTreeLSTMConfig{Vocab: n, Embed: n, Hidden: n, Attention: n, Classes: n})
	},
	"child-sum": func(m *graph.Module, n int) {
		models.NewChildSum(m, models.ChildSumConfig{Vocab: n, Embed: n, Hidden: n, Similarity: n, Classes: n})
	},
	"DAG": func(m *graph.Module, n int) { models.NewDAG(m, models.DAGConfig{Leaves: n, Hidden: n}) },
	"GRU": func(m *graph.Module, n int) { models.NewGRU(m, models.GRUConfig{Vocab: n, Embed: n, Hidden: n}) },
	"LSTM": func(m *graph.Module, n int) {
		models.NewLSTM(m, models.LSTMConfig{Vocab: n, Embed: n, Hidden: n, Classes: n})
	},
	"MV-RNN": func(m *graph.Module, n int) {
		models.NewMVRNN(m, models.MVRNNConfig{Vocab: n, Hidden: n, Rank: 3, Classes: n})
	},
	"n-ary Tree-LSTM": func(m *graph.Module, n int) {
		models.NewNaryTreeLSTM(m, models.NaryTreeLSTMConfig{Vocab: n, Embed: n, Hidden: n, Arity: 3, Classes: n})
	},
	"RNTN": func(m *graph.Module, n int) { models.NewRNTN(m, models.TreeRNNConfig{Vocab: n, Hidden: n, Classes: n}) },
	"SPINN": func(m *graph.Module, n int) {
		models.NewSPINN(m, models.SPINNConfig{Vocab: n, Embed: n, Hidden: n, Track: n, Classes: n})
	},
	"top-down": func(m *graph.Module, n int) {
		models.NewTopDown(m, models.TopDownConfig{Hidden: n, Out: n, MaxDepth: 6})
	},
	"top-down Tree-LSTM": func(m *graph.Module, n int) {
		models.NewTDTreeLSTM(m, models.TDTreeLSTMConfig{Vocab: n, Embed: n, Hidden: n})
	},
	"tree to sequence": func(m *graph.Module, n int) {
		models.NewTreeToSequence(m, models.TreeToSequenceConfig{Vocab: n, Embed: n, Hidden: n, Outputs: n})
	},
	"Tree-GRU": func(m *graph.Module, n int) {
		models.NewTreeGRU(m, models.TreeGRUConfig{Vocab: n, Embed: n, Hidden: n, Classes: n})
	},
	"Tree-LSTM": func(m *graph.Module, n int) {
		models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: n, Embed: n, Hidden: n, Classes: n, Dropout: 0.5})
	},
	"Tree-RNN": func(m *graph.Module, n int) {
		models.NewTreeRNN(m, models.TreeRNNConfig{Vocab: n, Hidden: n, Classes: n})
	},
}

// What networks are made of has kernels, forward and backward.
func TestOperatorsOfModels(t *testing.T) {
	d := emulated(t)
	for name, add := range built {
		m := graph.NewModule(name)
		add(m, 5)
		p, err := m.Build()
		require.NoError(t, err, name)
		compiled := 0
		for _, g := range p.Graphs {
			for _, n := range append(g.Nodes[:len(g.Nodes):len(g.Nodes)], g.Adjoint.Body.Nodes...) {
				o, ok := ofDevice(n)
				if !ok {
					continue
				}
				_, err := d.Compile(o)
				assert.NoError(t, err, name)
				compiled++
			}
		}
		assert.Greater(t, compiled, 10, name)
	}
}

// ofDevice returns the operator of a node that computes with floats.
func ofDevice(n *graph.Node) (device.Operator, bool) {
	op, ok := n.Op.(ops.Op)
	if !ok {
		return device.Operator{}, false
	}
	rule := op.Lower(n.InTypes(), n.Out[0])
	o := device.Operator{Op: op, In: n.InTypes(), Out: n.Out[0], Segments: rule.Segments != nil}
	return o, (rule.Rows != nil || rule.Segments != nil) && usesFloats(o)
}
