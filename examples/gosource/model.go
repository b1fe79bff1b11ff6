package main

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// function is the input of the recursive model, see example.
type function struct {
	Tree         models.Tree
	Place, Class graph.Value
}

// namer tells the class of a function from the state at its root. The state of a node
// follows from its term, its place among its siblings and the states of its children,
// by the Child-Sum Tree-LSTM of Tai et al. (2015); without the places the children
// would have no order.
func namer(m *graph.Module, terms, classes int, c config) *recursion.SubGraph[function, models.Scores] {
	term := models.NewEmbedding(m, "E", terms, c.embed)
	place := models.NewEmbedding(m, "P", places, c.embed)
	cell := models.NewChildSumCell(m, "", c.embed, c.hidden)
	head := models.NewLinear(m, "Ws", "bs", c.hidden, classes)

	ids := graph.I32(graph.Any)
	in := function{Tree: models.Tree{Word: ids, Start: ids, Child: ids}, Place: ids, Class: graph.I32()}
	state := models.LSTMState{H: graph.F32(c.hidden), C: graph.F32(c.hidden)}
	model := recursion.Declare(m, "namer", in, models.Scores{Logits: graph.F32(classes)})
	return model.Define(func(f function) models.Scores {
		node := recursion.Declare(m, "node", graph.I32(), state)
		node.Define(func(i graph.Value) models.LSTMState {
			from, to := ops.At(f.Tree.Start, i), ops.At(f.Tree.Start, ops.Add(i, m.Int(1)))
			children := recursion.Map(ops.Span(f.Tree.Child, from, to), node.Invoke)
			x := ops.Add(term.Apply(ops.At(f.Tree.Word, i)), place.Apply(ops.At(f.Place, i)))
			return cell.Node(models.Dropout(x, c.dropout), children)
		})
		root := node.Invoke(ops.Sub(ops.Len(f.Tree.Word), m.Int(1)))
		return scores(head, models.Dropout(root.H, c.dropout), f.Class)
	})
}

// bag is the input of the model that sees how often each term occurs, and no more.
type bag struct{ Count, Class graph.Value } // f32 [terms], i32

func linear(m *graph.Module, terms, classes int) *recursion.SubGraph[bag, models.Scores] {
	head := models.NewLinear(m, "Ws", "bs", terms, classes)
	model := recursion.Declare(m, "linear", bag{graph.F32(terms), graph.I32()}, models.Scores{Logits: graph.F32(classes)})
	return model.Define(func(b bag) models.Scores { return scores(head, b.Count, b.Class) })
}

func scores(head models.Linear, x, class graph.Value) models.Scores {
	logits := head.Apply(x)
	recursion.Loss(ops.CrossEntropy(logits, class))
	return models.Scores{Logits: logits}
}
