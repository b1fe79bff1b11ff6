package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/recursion"
)

// classifier is what all networks are: they differ inside.
type classifier = recursion.SubGraph[models.BinaryTree, models.Scores]

// network is a kind of model.
type network struct {
	name  string // in -model and in files
	title string
	// sameWidth says that a word vector is the state of its leaf, so that both have the
	// same number of elements.
	sameWidth  bool
	hasDropout bool
	maxHidden  int
	build      func(m *graph.Module, c config, words int) *classifier
	// treebank sets what is good for the network on the Stanford Sentiment Treebank.
	treebank func(*config)
	// listOpsHidden is a good width for ListOps, 0 for the usual one.
	listOpsHidden int
}

func networks() []network {
	return []network{{
		name: "treelstm", title: "binary Tree-LSTM", hasDropout: true, maxHidden: maxWidth,
		build: func(m *graph.Module, c config, words int) *classifier {
			return models.NewTreeLSTM(m, models.TreeLSTMConfig{
				Vocab: words, Embed: c.Embedding, Hidden: c.Hidden, Classes: c.Classes, Dropout: c.Dropout,
			})
		},
		treebank: func(*config) {}, // the settings of treebank are those of the Tree-LSTM
	}, {
		name: "treernn", title: "recursive neural network", sameWidth: true, maxHidden: maxWidth,
		build: func(m *graph.Module, c config, words int) *classifier {
			return models.NewTreeRNN(m, models.TreeRNNConfig{Vocab: words, Hidden: c.Hidden, Classes: c.Classes})
		},
		treebank: func(c *config) {
			c.Hidden, c.Dropout = 20, 0
			c.LearningRate, c.L2, c.MinCount = 0.2, 1e-3, 1
			c.Epochs, c.Patience = 40, 8
		},
	}, {
		name: "rntn", title: "recursive neural tensor network", sameWidth: true,
		maxHidden: 400, listOpsHidden: 32, // its tensor has 4 times the cube of that
		build: func(m *graph.Module, c config, words int) *classifier {
			return models.NewRNTN(m, models.TreeRNNConfig{Vocab: words, Hidden: c.Hidden, Classes: c.Classes})
		},
		treebank: func(c *config) {
			// Wider states need smaller steps, since the tensor moves by all its elements at
			// once, and then words learn too little.
			c.Hidden, c.Dropout = 12, 0
			c.LearningRate, c.MinCount = 0.03, 1
			c.Epochs, c.Patience = 30, 6
		},
	}, {
		name: "mvrnn", title: "matrix-vector recursive neural network", sameWidth: true,
		maxHidden: 128, listOpsHidden: 24, // a state has a matrix
		build: func(m *graph.Module, c config, words int) *classifier {
			const rank = 3 // of the matrices of words, as in the paper
			return models.NewMVRNN(m, models.MVRNNConfig{Vocab: words, Hidden: c.Hidden, Rank: rank, Classes: c.Classes})
		},
		treebank: func(c *config) {
			c.Hidden, c.Dropout = 12, 0
			c.LearningRate, c.MinCount = 0.03, 1
			c.Epochs, c.Patience = 30, 6
		},
	}}
}

// findNetwork returns the network of a name.
func findNetwork(name string) (network, error) {
	all := networks()
	i := slices.IndexFunc(all, func(n network) bool { return n.name == name })
	if i < 0 {
		return network{}, fmt.Errorf("-model %q: want %s", name, networkNames())
	}
	return all[i], nil
}

// networkNames lists the names for a sentence.
func networkNames() string {
	var names []string
	for _, n := range networks() {
		names = append(names, n.name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
