package main

import (
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"

	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/benchmarks/peer"
)

// compiled is the model as a graph per tree, node by node, which is compiled when the
// tree is first seen: a graph has no recursion. Word vectors are looked up outside.
// The backend cannot differentiate slices, so every gate has a product of its own.
type compiled struct {
	job     *peer.Job
	backend backends.Backend
	blocks  []block
	rows    map[string][]float32 // all parameters
	sums    map[string][]float32
	grads   map[string][]float32
	used    map[int32]bool
	execs   map[variant]*graph.Exec
}

// variant is a graph of a tree, with or without gradients.
type variant struct {
	tree      int
	gradients bool
}

// block is a part of a parameter, that of one gate.
type block struct {
	name   string
	lo, hi int
	shape  []int
	value  *tensors.Tensor // as long as the parameter does not change
}

func newGoMLX(j *peer.Job) (*compiled, error) {
	// In parallel, operators wait for workers that wait for them when there is one
	// processor only.
	backend, err := simplego.New("ops_sequential")
	if err != nil {
		return nil, err
	}
	c := &compiled{
		job: j, backend: backend, rows: map[string][]float32{}, sums: map[string][]float32{}, grads: map[string][]float32{},
		used: map[int32]bool{}, execs: map[variant]*graph.Exec{},
	}
	for _, p := range j.Parameters {
		c.rows[p.Name] = p.Value
		c.sums[p.Name], c.grads[p.Name] = make([]float32, len(p.Value)), make([]float32, len(p.Value))
	}
	split := func(name string, gates int, shape ...int) {
		size := len(c.rows[name]) / gates
		for k := range gates {
			c.blocks = append(c.blocks, block{name: name, lo: k * size, hi: (k + 1) * size, shape: shape})
		}
	}
	// In the order in which unroll takes them.
	split("W", 3, j.Hidden, j.Embed)
	split("bW", 3, 1, j.Hidden)
	split("U", 5, j.Hidden, 2*j.Hidden)
	split("bU", 5, 1, j.Hidden)
	split("Ws", 1, j.Classes, j.Hidden)
	split("bs", 1, 1, j.Classes)
	c.refresh()
	return c, nil
}

// refresh makes tensors of the parameters after these have changed.
func (c *compiled) refresh() {
	for i := range c.blocks {
		b := &c.blocks[i]
		b.value = tensors.FromFlatDataAndDimensions(c.rows[b.name][b.lo:b.hi], b.shape...)
	}
}

func (c *compiled) infer(batch []int) (float64, error) { return c.sum(batch, false) }

func (c *compiled) train(batch []int) (float64, error) {
	loss, err := c.sum(batch, true)
	if err != nil {
		return 0, err
	}
	for _, b := range c.blocks {
		w, g, sums := c.rows[b.name], c.grads[b.name], c.sums[b.name]
		adagrad(w[b.lo:b.hi], sums[b.lo:b.hi], g[b.lo:b.hi], c.job.Rate, c.job.Eps)
		clear(g[b.lo:b.hi])
	}
	w, g, sums := c.rows["E"], c.grads["E"], c.sums["E"]
	for word := range c.used {
		lo, hi := c.row(word)
		adagrad(w[lo:hi], sums[lo:hi], g[lo:hi], c.job.Rate, c.job.Eps)
		clear(g[lo:hi])
	}
	clear(c.used)
	c.refresh()
	return loss, nil
}

func (c *compiled) row(word int32) (lo, hi int) {
	lo = int(word) * c.job.Embed
	return lo, lo + c.job.Embed
}

func (c *compiled) sum(batch []int, gradients bool) (float64, error) {
	sum := 0.0
	for _, i := range batch {
		loss, err := c.tree(i, gradients)
		if err != nil {
			return 0, err
		}
		sum += loss
	}
	return sum, nil
}

// tree runs the graph of a tree and adds its gradients up.
func (c *compiled) tree(i int, gradients bool) (float64, error) {
	t := c.job.Trees[i]
	var words []int32
	var inputs []any
	for k, l := range t.Left {
		if l < 0 {
			lo, hi := c.row(t.Word[k])
			words = append(words, t.Word[k])
			inputs = append(inputs, tensors.FromFlatDataAndDimensions(c.rows["E"][lo:hi], 1, c.job.Embed))
		}
	}
	for _, b := range c.blocks {
		inputs = append(inputs, b.value)
	}
	exec, err := c.exec(i, gradients)
	if err != nil {
		return 0, err
	}
	outputs, err := exec.Exec(inputs...)
	if err != nil {
		return 0, err
	}
	loss, err := tensors.CopyFlatData[float32](outputs[0])
	if err != nil || !gradients {
		return float64(loss[0]), err
	}
	return float64(loss[0]), c.collect(words, outputs[1:])
}

// collect adds gradients to those of the mini-batch.
func (c *compiled) collect(words []int32, outputs []*tensors.Tensor) error {
	for k, g := range outputs {
		var to []float32
		if k < len(words) {
			lo, hi := c.row(words[k])
			c.used[words[k]] = true
			to = c.grads["E"][lo:hi]
		} else {
			b := &c.blocks[k-len(words)]
			to = c.grads[b.name][b.lo:b.hi]
		}
		if err := tensors.ConstFlatData(g, func(from []float32) { add(to, from) }); err != nil {
			return err
		}
	}
	return nil
}

func add(to, from []float32) {
	for i := range to {
		to[i] += from[i]
	}
}

func (c *compiled) exec(tree int, gradients bool) (*graph.Exec, error) {
	v := variant{tree, gradients}
	if e := c.execs[v]; e != nil {
		return e, nil
	}
	e, err := graph.NewExec(c.backend, func(in []*graph.Node) []*graph.Node {
		loss := c.unroll(c.job.Trees[tree], in)
		if !gradients {
			return []*graph.Node{loss}
		}
		return append([]*graph.Node{loss}, graph.Gradient(loss, in...)...)
	})
	if err == nil {
		c.execs[v] = e
	}
	return e, err
}

type mlxState struct{ h, c *graph.Node } // [1 hidden]

// unroll returns the sum of the losses of all nodes, of rows [1 size].
func (c *compiled) unroll(t *corpus.Tree, in []*graph.Node) *graph.Node {
	leaves := in[:t.Leaves()]
	p := in[t.Leaves():]
	w, bw, u, bu, ws, bs := p[:3], p[3:6], p[6:11], p[11:16], p[16], p[17]
	affine := func(x, w, b *graph.Node) *graph.Node { return graph.Add(graph.Einsum("ri,oi->ro", x, w), b) }
	states := make([]mlxState, t.Len())
	var total *graph.Node
	for i, l := range t.Left {
		var cell, o *graph.Node
		if l < 0 {
			gate := func(k int) *graph.Node { return affine(leaves[0], w[k], bw[k]) }
			cell, o = graph.Mul(graph.Sigmoid(gate(0)), graph.Tanh(gate(2))), gate(1)
			leaves = leaves[1:]
		} else {
			left, right := states[l], states[t.Right[i]]
			x := graph.Concatenate([]*graph.Node{left.h, right.h}, 1)
			gate := func(k int) *graph.Node { return affine(x, u[k], bu[k]) }
			cell = graph.Mul(graph.Sigmoid(gate(0)), graph.Tanh(gate(4)))
			cell = graph.Add(cell, graph.Mul(graph.Sigmoid(gate(1)), left.c))
			cell = graph.Add(cell, graph.Mul(graph.Sigmoid(gate(2)), right.c))
			o = gate(3)
		}
		states[i] = mlxState{graph.Mul(graph.Sigmoid(o), graph.Tanh(cell)), cell}
		scores := graph.LogSoftmax(affine(states[i].h, ws, bs))
		label := make([]float32, c.job.Classes)
		label[t.Label[i]] = -1
		loss := graph.ReduceAllSum(graph.Mul(scores, graph.Const(scores.Graph(), [][]float32{label})))
		if total == nil {
			total = loss
		} else {
			total = graph.Add(total, loss)
		}
	}
	return total
}
