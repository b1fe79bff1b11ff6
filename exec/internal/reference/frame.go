package reference

import (
	"context"

	"github.com/frondml/frond/exec/internal/callkey"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// frame is one invocation of a graph.
type frame struct {
	plan   *plan
	caller *frame
	node   *graph.Node // of the caller: what started the frame
	elem   int         // which element of the node's lists the frame is for
	depth  int         // of calls
	key    uint32
	next   int           // the node, or the adjoint's step, that is due
	values []*ops.Tensor // by slot
	calls  [][]*frame    // by invoking node: frames started, in order
	cts    []*ops.Tensor // by slot: accumulated cotangents, nil for zero
}

// plan numbers the values and the invoking nodes of a graph.
type plan struct {
	graph    *graph.Graph
	slot     []int // by node: of its first result
	slots    int
	ordinal  []int // by node: its number among the invoking nodes
	invokers int
}

func newPlan(g *graph.Graph) *plan {
	p := &plan{graph: g}
	for _, n := range g.Nodes {
		p.slot = append(p.slot, p.slots)
		p.slots += len(n.Out)
		p.ordinal = append(p.ordinal, p.invokers)
		if _, ok := n.Op.(graph.Invoker); ok {
			p.invokers++
		}
	}
	return p
}

// of returns the slot of a value of the plan's graph.
func (p *plan) of(v graph.Value) int { return p.slot[v.Node().Index] + v.Out() }

// interpreter is the state of one run.
type interpreter struct {
	ctx     context.Context
	options Options
	grad    bool
	vars    map[*graph.Variable]*ops.Tensor
	consts  map[*graph.Const]*ops.Tensor
	plans   map[*graph.Graph]*plan
	result  *Result
	steps   int
}

func newInterpreter(ctx context.Context, o Options, r Request) *interpreter {
	it := &interpreter{
		ctx: ctx, options: o, grad: r.Grad,
		vars:   map[*graph.Variable]*ops.Tensor{},
		consts: map[*graph.Const]*ops.Tensor{},
		plans:  map[*graph.Graph]*plan{},
		result: &Result{Tables: map[string][]Row{}, Calls: 1, Depth: 1},
	}
	for v, x := range r.Vars {
		it.vars[v] = it.round(x)
	}
	return it
}

func (it *interpreter) newFrame(g *graph.Graph) *frame {
	p, ok := it.plans[g]
	if !ok {
		p = newPlan(g)
		it.plans[g] = p
	}
	return &frame{plan: p, next: len(g.Params), values: make([]*ops.Tensor, p.slots), calls: make([][]*frame, p.invokers)}
}

// child starts the frame of an invocation by node n of f.
func (it *interpreter) child(f *frame, n *graph.Node, callee *graph.Graph, elem int, args []*ops.Tensor) *frame {
	c := it.newFrame(callee)
	ord := f.plan.ordinal[n.Index]
	c.caller, c.node, c.elem, c.depth = f, n, elem, f.depth
	c.key = callkey.Child(f.key, ord, elem)
	copy(c.values, args) // parameters have the first slots
	f.calls[ord] = append(f.calls[ord], c)
	return c
}

// value returns a value of f's graph, a constant or a variable.
func (it *interpreter) value(f *frame, v graph.Value) *ops.Tensor {
	switch op := v.Node().Op.(type) {
	case *graph.Const:
		return it.constant(op)
	case *graph.Read:
		return it.vars[op.Var]
	}
	return f.values[f.plan.of(v)]
}

func (it *interpreter) valuesOf(f *frame, vs []graph.Value) []*ops.Tensor {
	xs := make([]*ops.Tensor, len(vs))
	for i, v := range vs {
		xs[i] = it.value(f, v)
	}
	return xs
}

// results returns the results of a frame that has run.
func (it *interpreter) results(f *frame) []*ops.Tensor { return it.valuesOf(f, f.plan.graph.Results) }

func (it *interpreter) constant(c *graph.Const) *ops.Tensor {
	x, ok := it.consts[c]
	if !ok {
		x = ops.NewTensor(c.Type.DType, c.Type.Shape...)
		copy(x.I, c.I)
		for i, f := range c.F {
			x.F[i] = float64(f)
		}
		it.consts[c] = x
	}
	return x
}

// round returns x, rounded to float32 when the options ask for it.
func (it *interpreter) round(x *ops.Tensor) *ops.Tensor {
	if !it.options.Float32 || !x.DType.IsFloat() {
		return x
	}
	y := x.Clone()
	for i, f := range y.F {
		y.F[i] = float64(float32(f))
	}
	return y
}

// tick counts evaluated nodes and looks at the context now and then.
func (it *interpreter) tick() error {
	if it.steps++; it.steps%256 == 0 {
		return context.Cause(it.ctx)
	}
	return nil
}
