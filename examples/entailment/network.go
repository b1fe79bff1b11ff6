package main

import (
	"fmt"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Statement is a binary tree in post-order; node i is a leaf when Left[i] < 0.
type Statement struct{ Word, Left, Right graph.Value }

// Pair is a pair of statements and their relation.
type Pair struct {
	A, B     Statement
	Relation graph.Value
}

// sizes are the numbers of elements of states and of the layer that compares them.
type sizes struct{ hidden, compare int }

// network is the whole model; its results are the logits of the relations.
type network = recursion.SubGraph[Pair, graph.Value]

// newNetwork adds the model that tells the relation of a and b, the vectors of two
// statements, from a layer that compares them:
//
//	c = f(a' V b + W [a b] + b0)      logits = Ws c + bs      f(x) = max(x, 0.01 x)
//
// Only treerntn has the term with the tensor V. The vectors come from
//
//	treernn    h = tanh(W [hl hr] + b)
//	treerntn   h = tanh(hl' V hr + W [hl hr] + b)
//	treelstm   models.TreeLSTMCell
func newNetwork(m *graph.Module, name string, s sizes) (*network, error) {
	words := models.NewEmbedding(m, "E", vocabulary.Len(), s.hidden)
	plain := models.Cell[graph.Value]{
		State:  graph.F32(s.hidden),
		Leaf:   words.Apply,
		Hidden: func(h graph.Value) graph.Value { return h },
	}
	switch name {
	case "treernn":
		join := newLayer(m, "join", s.hidden, s.hidden, false)
		plain.Join = func(l, r graph.Value) graph.Value { return ops.Tanh(join.of(l, r)) }
		return relate(m, plain, newLayer(m, "compare", s.hidden, s.compare, false)), nil
	case "treerntn":
		join := newLayer(m, "join", s.hidden, s.hidden, true)
		plain.Join = func(l, r graph.Value) graph.Value { return ops.Tanh(join.of(l, r)) }
		return relate(m, plain, newLayer(m, "compare", s.hidden, s.compare, true)), nil
	case "treelstm":
		cell := models.NewTreeLSTMCell(m, "join", s.hidden, s.hidden)
		return relate(m, models.Cell[models.LSTMState]{
			State:  models.LSTMState{H: graph.F32(s.hidden), C: graph.F32(s.hidden)},
			Leaf:   func(word graph.Value) models.LSTMState { return cell.Leaf(words.Apply(word)) },
			Join:   cell.Join,
			Hidden: func(s models.LSTMState) graph.Value { return s.H },
		}, newLayer(m, "compare", s.hidden, s.compare, false)), nil
	}
	return nil, fmt.Errorf("-model %q: want treernn, treerntn or treelstm", name)
}

// relate adds what all models have in common.
func relate[State any](m *graph.Module, c models.Cell[State], compare layer) *network {
	head := models.NewLinear(m, "Ws", "bs", compare.size, data.LogicClasses)
	ids := graph.I32(graph.Any)
	statement := Statement{Word: ids, Left: ids, Right: ids}

	encode := recursion.Declare(m, "encode", statement, c.State)
	encode.Define(func(t Statement) State {
		node := recursion.Declare(m, "node", graph.I32(), c.State)
		node.Define(func(i graph.Value) State {
			left := ops.At(t.Left, i)
			return recursion.If(ops.Less(left, m.Int(0)), func() State {
				return c.Leaf(ops.At(t.Word, i))
			}, func() State {
				return c.Join(node.Invoke(left), node.Invoke(ops.At(t.Right, i)))
			})
		})
		return node.Invoke(ops.Sub(ops.Len(t.Word), m.Int(1)))
	})
	model := recursion.Declare(m, "relate", Pair{A: statement, B: statement, Relation: graph.I32()}, graph.F32(data.LogicClasses))
	return model.Define(func(p Pair) graph.Value {
		x := compare.of(c.Hidden(encode.Invoke(p.A)), c.Hidden(encode.Invoke(p.B)))
		logits := head.Apply(ops.Maximum(x, ops.MulScalar(x, 0.01)))
		recursion.Loss(ops.CrossEntropy(logits, p.Relation))
		return logits
	})
}

// layer is W [x y] + b, to which x' V y is added where there is a tensor.
type layer struct {
	linear models.Linear
	tensor graph.Value // [size in in]
	withV  bool        // there is a tensor
	size   int
}

// newLayer adds the variables of a layer under names that end with the given one.
func newLayer(m *graph.Module, name string, in, size int, withV bool) layer {
	l := layer{linear: models.NewLinear(m, "W"+name, "b"+name, 2*in, size), withV: withV, size: size}
	if withV {
		l.tensor = m.Var("V"+name, graph.F32(size, in, in), graph.Uniform(0.05))
	}
	return l
}

func (l layer) of(x, y graph.Value) graph.Value {
	z := l.linear.Apply(ops.Concat(x, y))
	if l.withV {
		z = ops.Add(z, ops.Bilinear(x, l.tensor, y))
	}
	return z
}
