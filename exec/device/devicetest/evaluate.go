package devicetest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// operatorCase is a use of operators in a graph.
type operatorCase struct {
	name     string
	build    func(in []graph.Value) graph.Value
	in       []graph.Type
	integers [2]int32 // range of integer inputs: from, up to but without
	floats   [2]float64
	nonempty bool // lists must have elements
	special  bool // floats are zeros, infinities, NaN and the like
}

// specials are floats at which functions differ if they are not computed in the same
// way, and that are equal often enough for comparisons.
var specials = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 2, -100, 100, 1 << 100, -1 << 100, 1.0 / (1 << 100), math.Inf(1), math.Inf(-1), math.NaN(),
}

// graph builds the case's graph with its adjoint.
func (c *operatorCase) graph() (*graph.Graph, error) {
	m := graph.NewModule(c.name)
	var out graph.Value
	m.Declare("type", c.specs(), nil).Define(nil, func(in []graph.Value) []graph.Value {
		out = c.build(in)
		return nil
	})
	if _, err := m.Build(); err != nil {
		return nil, fmt.Errorf("%s %v: %w", c.name, c.in, err)
	}
	m = graph.NewModule(c.name)
	g := m.Declare("case", c.specs(), []graph.Value{graph.Spec(out.Type())})
	g.Define(nil, func(in []graph.Value) []graph.Value { return []graph.Value{c.build(in)} })
	_, err := m.Build()
	return g, err
}

func (c *operatorCase) specs() []graph.Value {
	specs := make([]graph.Value, len(c.in))
	for i, t := range c.in {
		specs[i] = graph.Spec(t)
	}
	return specs
}

// node is an operator of a graph with the values that its inputs have in some frames.
type node struct {
	*graph.Node
	op     ops.Op
	frames [][]*ops.Tensor
}

// nodes evaluates the case for some frames with different inputs, whose lists have
// different lengths, and returns the operators of its graph and its adjoint.
func (c *operatorCase) nodes(rng *rand.Rand, frames int) ([]*node, error) {
	g, err := c.graph()
	if err != nil {
		return nil, err
	}
	var all []*node
	of := map[*graph.Node]*node{}
	lengths := []int{3, 0, 1, 5, 2}
	if c.nonempty {
		lengths[1] = 4
	}
	for f := range frames {
		e := evaluation{rng: rng, values: map[graph.Value]*ops.Tensor{}}
		for i, p := range g.Params {
			e.values[p] = c.input(rng, c.in[i], lengths[f%len(lengths)])
		}
		e.visit = func(n *graph.Node, op ops.Op, in []*ops.Tensor) {
			if of[n] == nil {
				of[n] = &node{Node: n, op: op}
				all = append(all, of[n])
			}
			of[n].frames = append(of[n].frames, in)
		}
		if err := e.run(g); err != nil {
			return nil, fmt.Errorf("%s %v: %w", c.name, c.in, err)
		}
	}
	return all, nil
}

// input draws an input; lists have n elements.
func (c *operatorCase) input(rng *rand.Rand, t graph.Type, n int) *ops.Tensor {
	shape := append(graph.Shape(nil), t.Shape...)
	if t.IsList() {
		shape[0] = n
	}
	x := ops.NewTensor(t.DType, shape...)
	for i := range x.F {
		x.F[i] = float64(float32(c.floats[0] + (c.floats[1]-c.floats[0])*rng.Float64()))
		if c.special {
			x.F[i] = specials[rng.IntN(len(specials))]
		}
	}
	for i := range x.I {
		x.I[i] = c.integers[0] + rng.Int32N(c.integers[1]-c.integers[0])
		if t.DType == graph.Boolean {
			x.I[i] = rng.Int32N(2)
		}
	}
	return x
}

// evaluation holds the values of a graph and its adjoint in one frame. Cotangents are
// random: what matters is that values fit each other in type and range.
type evaluation struct {
	rng    *rand.Rand
	values map[graph.Value]*ops.Tensor
	visit  func(n *graph.Node, op ops.Op, in []*ops.Tensor)
}

func (e *evaluation) run(g *graph.Graph) error {
	nodes := g.Nodes[len(g.Params):]
	for _, s := range g.Adjoint.Steps {
		nodes = append(nodes[:len(nodes):len(nodes)], s.Nodes...)
	}
	for _, n := range nodes {
		if err := e.node(n); err != nil {
			return fmt.Errorf("%s%v: %w", n.Op.Name(), n.InTypes(), err)
		}
	}
	return nil
}

func (e *evaluation) node(n *graph.Node) error {
	var in []*ops.Tensor
	for _, v := range n.In {
		x, err := e.value(v)
		if err != nil {
			return err
		}
		in = append(in, x)
	}
	switch op := n.Op.(type) {
	case graph.Cotangent:
		x := in[0].Clone()
		for i := range x.F {
			x.F[i] = float64(e.rng.Float32()*2 - 1)
		}
		e.values[n.Result(0)] = x
	case ops.Op:
		x, err := op.Eval(in)
		if err != nil {
			return err
		}
		for i, f := range x.F {
			x.F[i] = float64(float32(f))
		}
		e.values[n.Result(0)] = x
		e.visit(n, op, in)
	}
	return nil
}

// value returns the value of an input of a node; constants have theirs.
func (e *evaluation) value(v graph.Value) (*ops.Tensor, error) {
	if x := e.values[v]; x != nil {
		return x, nil
	}
	c, ok := v.Node().Op.(*graph.Const)
	if !ok {
		return nil, fmt.Errorf("%v has no value", v)
	}
	x := ops.NewTensor(c.Type.DType, c.Type.Shape...)
	copy(x.I, c.I)
	for i, f := range c.F {
		x.F[i] = float64(f)
	}
	return x, nil
}
