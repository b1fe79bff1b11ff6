package contender

import (
	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// lists are the states of the nodes done so far, which a loop carries along.
type lists struct{ Step, H, C graph.Value } // [], [? hidden], [? hidden]

// start is a loop's state before its first step.
func (c *cell) start() lists {
	empty := func() graph.Value {
		return recursion.Map(ops.Range(c.m.Int(0)), func(graph.Value) graph.Value { return c.m.Full(0, c.hidden) })
	}
	return lists{c.m.Int(0), empty(), empty()}
}

// node computes node i of a tree, or of many, whose children are done.
func (c *cell) node(t models.BinaryTree, i graph.Value, done lists) state {
	left := ops.At(t.Left, i)
	s := recursion.If(ops.Less(left, c.m.Int(0)), func() state {
		return c.leaf(ops.At(t.Word, i))
	}, func() state {
		at := func(k graph.Value) state { return state{ops.At(done.H, k), ops.At(done.C, k)} }
		return c.inner(at(left), at(ops.At(t.Right, i)))
	})
	c.loss(s.H, ops.At(t.Label, i))
	return s
}

func treeTypes() models.BinaryTree {
	ids := graph.I32(graph.Any)
	return models.BinaryTree{Word: ids, Left: ids, Right: ids, Label: ids}
}

// NewIterative returns the model as a loop over the nodes of a tree in topological
// order. The executor is free to do the same step of several trees at once.
func NewIterative(name string, s Setting, o exec.Options) (Contender, error) {
	m := graph.NewModule("iterative")
	c := newCell(m, s)
	f := recursion.Declare(m, "iterative", treeTypes(), models.Scores{Logits: graph.F32(c.classes)})
	f.Define(func(t models.BinaryTree) models.Scores {
		n := ops.Len(t.Left)
		end := recursion.Loop(c.start(), func(l lists) graph.Value { return ops.Less(l.Step, n) }, func(l lists) lists {
			s := c.node(t, l.Step, l)
			return lists{ops.Add(l.Step, m.Int(1)), ops.Join(l.H, ops.List(s.H)), ops.Join(l.C, ops.List(s.C))}
		})
		return models.Scores{Logits: c.logits(ops.At(end.H, ops.Sub(n, m.Int(1))))}
	})
	return buildFrond(name, s, m, o, func(b *Batch) (call, error) { return call{f.Graph(), b.inputs}, nil })
}

// waves is a mini-batch whose nodes are numbered in the order in which a loop does
// them: step k the nodes from Start[k] to Start[k+1]-1.
type waves struct {
	Tree  models.BinaryTree
	Start graph.Value // [?]
	Root  graph.Value // [?] of all trees
}

// Order numbers the nodes of a tree by the step in which a loop does them, which
// must be after those of the children.
type Order func(t *corpus.Tree) []int

// ByNode does node k of all trees in step k, as the iterative programs do with which
// recursion was compared in 2018.
func ByNode(t *corpus.Tree) []int {
	step := make([]int, t.Len())
	for i := range step {
		step[i] = i
	}
	return step
}

// ByHeight does all nodes of a height in a step, the leaves first.
func ByHeight(t *corpus.Tree) []int { return t.Heights() }

// NewWaves returns the model as one loop over a whole mini-batch; with more workers,
// one for the part of the mini-batch of each.
func NewWaves(name string, s Setting, order Order, o exec.Options) (Contender, error) {
	m := graph.NewModule("waves")
	c := newCell(m, s)
	ids := graph.I32(graph.Any)
	f := recursion.Declare(m, "waves", waves{treeTypes(), ids, ids}, models.Scores{Logits: graph.F32(graph.Any, c.classes)})
	f.Define(func(w waves) models.Scores {
		steps := ops.Sub(ops.Len(w.Start), m.Int(1))
		end := recursion.Loop(c.start(), func(l lists) graph.Value { return ops.Less(l.Step, steps) }, func(l lists) lists {
			next := ops.Add(l.Step, m.Int(1))
			first := ops.At(w.Start, l.Step)
			nodes := ops.Add(ops.Range(ops.Sub(ops.At(w.Start, next), first)), first)
			s := recursion.Map(nodes, func(i graph.Value) state { return c.node(w.Tree, i, l) })
			return lists{next, ops.Join(l.H, s.H), ops.Join(l.C, s.C)}
		})
		return models.Scores{Logits: recursion.Map(w.Root, func(i graph.Value) graph.Value { return c.logits(ops.At(end.H, i)) })}
	})
	prepared := map[*Batch][][]exec.Array{}
	return buildFrond(name, s, m, o, func(b *Batch) (call, error) {
		if prepared[b] == nil {
			prepared[b] = wavesOf(b.Trees, s.Workers, order)
		}
		return call{f.Graph(), prepared[b]}, nil
	})
}

// wavesOf divides a mini-batch into at most the given number of parts.
func wavesOf(trees []*corpus.Tree, parts int, order Order) [][]exec.Array {
	parts = min(parts, len(trees))
	var inputs [][]exec.Array
	for i := range parts {
		inputs = append(inputs, wave(trees[i*len(trees)/parts:(i+1)*len(trees)/parts], order))
	}
	return inputs
}

// wave numbers the nodes of trees anew and returns the inputs of the program.
func wave(trees []*corpus.Tree, order Order) []exec.Array {
	type node struct{ tree, index int }
	var steps [][]node
	for k, t := range trees {
		for i, step := range order(t) {
			for len(steps) <= step {
				steps = append(steps, nil)
			}
			steps[step] = append(steps[step], node{k, i})
		}
	}
	number := make([][]int32, len(trees))
	for k, t := range trees {
		number[k] = make([]int32, t.Len())
	}
	start, n := []int32{0}, int32(0)
	for _, nodes := range steps {
		for _, v := range nodes {
			number[v.tree][v.index] = n
			n++
		}
		start = append(start, n)
	}
	all := &corpus.Tree{Word: make([]int32, n), Left: make([]int32, n), Right: make([]int32, n), Label: make([]int32, n)}
	root := make([]int32, len(trees))
	for k, t := range trees {
		for i, at := range number[k] {
			all.Word[at], all.Label[at], all.Left[at], all.Right[at] = t.Word[i], t.Label[i], -1, -1
			if l := t.Left[i]; l >= 0 {
				all.Left[at], all.Right[at] = number[k][l], number[k][t.Right[i]]
			}
			root[k] = at
		}
	}
	return append(arrays(all), exec.Array{Shape: []int{len(start)}, I: start}, exec.Array{Shape: []int{len(root)}, I: root})
}
