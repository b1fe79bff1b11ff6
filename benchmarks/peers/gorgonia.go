package main

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/benchmarks/peer"
)

// expressions is the model as an expression graph per tree, made anew each time,
// since trees differ and a graph is for one of them.
type expressions struct {
	job    *peer.Job
	values map[string]*tensor.Dense
	grads  map[string][]float32
	sums   map[string][]float32
	used   map[int32]bool // rows of E with a gradient
}

func newGorgonia(j *peer.Job) *expressions {
	e := &expressions{j, map[string]*tensor.Dense{}, map[string][]float32{}, map[string][]float32{}, map[int32]bool{}}
	for _, p := range j.Parameters {
		e.values[p.Name] = tensor.New(tensor.WithShape(p.Shape...), tensor.WithBacking(p.Value))
		e.grads[p.Name], e.sums[p.Name] = make([]float32, len(p.Value)), make([]float32, len(p.Value))
	}
	return e
}

func (e *expressions) infer(batch []int) (float64, error) { return e.sum(batch, false) }

func (e *expressions) train(batch []int) (float64, error) {
	loss, err := e.sum(batch, true)
	if err != nil {
		return 0, err
	}
	for name, v := range e.values {
		w, g, sum := v.Data().([]float32), e.grads[name], e.sums[name]
		if name == "E" {
			for word := range e.used {
				lo, hi := e.row(word)
				adagrad(w[lo:hi], sum[lo:hi], g[lo:hi], e.job.Rate, e.job.Eps)
				clear(g[lo:hi])
			}
			clear(e.used)
			continue
		}
		adagrad(w, sum, g, e.job.Rate, e.job.Eps)
		clear(g)
	}
	return loss, nil
}

// row returns where the vector of a word begins and ends in E.
func (e *expressions) row(word int32) (lo, hi int) {
	lo = int(word) * e.job.Embed
	return lo, lo + e.job.Embed
}

func (e *expressions) sum(batch []int, gradients bool) (float64, error) {
	sum := 0.0
	for _, i := range batch {
		loss, err := e.tree(e.job.Trees[i], gradients)
		if err != nil {
			return 0, err
		}
		sum += loss
	}
	return sum, nil
}

// tree builds and runs the graph of one tree and adds the gradients up.
func (e *expressions) tree(t *corpus.Tree, gradients bool) (loss float64, err error) {
	b := &builder{expressions: e, g: G.NewGraph(), params: map[string]*G.Node{}}
	total := b.unroll(t)
	if b.err != nil {
		return 0, b.err
	}
	var options []G.VMOpt
	if gradients {
		wrt := b.inputs()
		if _, err := G.Grad(total, wrt...); err != nil {
			return 0, err
		}
		options = append(options, G.BindDualValues(wrt...))
	}
	var value G.Value
	G.Read(total, &value)
	vm := G.NewTapeMachine(b.g, options...)
	defer func() {
		if closed := vm.Close(); err == nil {
			err = closed
		}
	}()
	if err := vm.RunAll(); err != nil {
		return 0, err
	}
	if gradients {
		err = b.collect()
	}
	return float64(value.Data().(float32)), err
}

// builder makes the graph of one tree.
type builder struct {
	*expressions
	g      *G.ExprGraph
	params map[string]*G.Node
	leaves []leaf
	err    error
}

type leaf struct {
	word   int32
	vector *G.Node
}

type nodeState struct{ h, c *G.Node }

// one keeps the first error and returns the node.
func (b *builder) one(n *G.Node, err error) *G.Node {
	if err != nil && b.err == nil {
		b.err = err
	}
	return n
}

func (b *builder) param(name string) *G.Node {
	if n := b.params[name]; n != nil {
		return n
	}
	v := b.values[name]
	n := G.NewTensor(b.g, tensor.Float32, v.Dims(), G.WithShape(v.Shape()...), G.WithName(name), G.WithValue(v))
	b.params[name] = n
	return n
}

func (b *builder) affine(w, bias string, x *G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	return b.one(G.Add(b.one(G.Mul(b.param(w), x)), b.param(bias)))
}

// gate is block k of the rows of g.
func (b *builder) gate(f func(*G.Node) (*G.Node, error), g *G.Node, k int) *G.Node {
	if b.err != nil {
		return nil
	}
	h := b.job.Hidden
	return b.one(f(b.one(G.Slice(g, G.S(k*h, (k+1)*h)))))
}

func (b *builder) times(x, y *G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	return b.one(G.HadamardProd(x, y))
}

func (b *builder) plus(x, y *G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	return b.one(G.Add(x, y))
}

func (b *builder) output(o, c *G.Node) nodeState {
	if b.err != nil {
		return nodeState{}
	}
	return nodeState{b.times(o, b.one(G.Tanh(c))), c}
}

func (b *builder) leaf(word int32) nodeState {
	lo, hi := b.row(word)
	row := b.values["E"].Data().([]float32)[lo:hi]
	x := G.NewVector(b.g, tensor.Float32, G.WithShape(len(row)), G.WithName(fmt.Sprintf("x%d", len(b.leaves))),
		G.WithValue(tensor.New(tensor.WithShape(len(row)), tensor.WithBacking(append([]float32(nil), row...)))))
	b.leaves = append(b.leaves, leaf{word, x})
	g := b.affine("W", "bW", x)
	return b.output(b.gate(G.Sigmoid, g, 1), b.times(b.gate(G.Sigmoid, g, 0), b.gate(G.Tanh, g, 2)))
}

func (b *builder) inner(l, r nodeState) nodeState {
	if b.err != nil {
		return nodeState{}
	}
	g := b.affine("U", "bU", b.one(G.Concat(0, l.h, r.h)))
	c := b.times(b.gate(G.Sigmoid, g, 0), b.gate(G.Tanh, g, 4))
	c = b.plus(c, b.times(b.gate(G.Sigmoid, g, 1), l.c))
	c = b.plus(c, b.times(b.gate(G.Sigmoid, g, 2), r.c))
	return b.output(b.gate(G.Sigmoid, g, 3), c)
}

// loss is the cross-entropy of the scores of a node.
func (b *builder) loss(h *G.Node, label int32) *G.Node {
	scores := b.affine("Ws", "bs", h)
	if b.err != nil {
		return nil
	}
	sum := b.one(G.Sum(b.one(G.Exp(scores))))
	if b.err != nil {
		return nil
	}
	return b.one(G.Sub(b.one(G.Log(sum)), b.one(G.Slice(scores, G.S(int(label))))))
}

// unroll returns the sum of the losses of all nodes.
func (b *builder) unroll(t *corpus.Tree) *G.Node {
	states := make([]nodeState, t.Len())
	var total *G.Node
	for i, l := range t.Left {
		if l < 0 {
			states[i] = b.leaf(t.Word[i])
		} else {
			states[i] = b.inner(states[l], states[t.Right[i]])
		}
		loss := b.loss(states[i].h, t.Label[i])
		if total == nil {
			total = loss
		} else {
			total = b.plus(total, loss)
		}
	}
	return total
}

// inputs are what gradients are computed for: the parameters that the tree uses and
// its word vectors.
func (b *builder) inputs() []*G.Node {
	var nodes []*G.Node
	for _, n := range b.params {
		nodes = append(nodes, n)
	}
	for _, l := range b.leaves {
		nodes = append(nodes, l.vector)
	}
	return nodes
}

// collect adds the gradients of the tree to those of the mini-batch.
func (b *builder) collect() error {
	add := func(to []float32, n *G.Node) error {
		g, err := n.Grad()
		if err != nil {
			return fmt.Errorf("gradient of %s: %w", n.Name(), err)
		}
		from := g.Data().([]float32)
		if len(from) != len(to) {
			return fmt.Errorf("gradient of %s has %d elements, want %d", n.Name(), len(from), len(to))
		}
		for i, d := range from {
			to[i] += d
		}
		return nil
	}
	for name, n := range b.params {
		if err := add(b.grads[name], n); err != nil {
			return err
		}
	}
	for _, l := range b.leaves {
		lo, hi := b.row(l.word)
		b.used[l.word] = true
		if err := add(b.grads["E"][lo:hi], l.vector); err != nil {
			return err
		}
	}
	return nil
}
