package graph

import "fmt"

// Adjoint is the reverse-mode derivative of one graph. Its steps, executed in
// order, read accumulated cotangents and add contributions to others.
type Adjoint struct {
	Forward *Graph
	Body    *Graph // holds the nodes of all steps; a child of Forward
	Steps   []Step
	// Missing are the nodes that would need a gradient rule but have none.
	Missing []*Node
}

// Step is the adjoint of one forward node. A node that invokes graphs has no
// Nodes and no Into: the cotangents of its results are handed to the callee,
// whose adjoint adds to those of the arguments.
type Step struct {
	Node  *Node
	Nodes []*Node // what the gradient rule built, in order
	Into  []Value // per input of Node: what is added to its cotangent, or the zero Value
}

// Differentiate derives the adjoint of a built graph by reverse accumulation.
// Mistakes of gradient rules are recorded in the graph's module.
func Differentiate(g *Graph) *Adjoint {
	d := &differentiator{
		adj:    &Adjoint{Forward: g, Body: &Graph{Name: "adjoint of " + g.Name, Module: g.Module, Parent: g, defined: true, body: true}},
		wanted: map[Value]bool{},
	}
	for _, v := range g.Results {
		d.want(v)
	}
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		d.step(g.Nodes[i])
	}
	return d.adj
}

type differentiator struct {
	adj    *Adjoint
	wanted map[Value]bool // values whose cotangent may be non-zero
}

func (d *differentiator) want(v Value) {
	if v.Type().DType.IsFloat() {
		d.wanted[v] = true
	}
}

func (d *differentiator) step(n *Node) {
	if _, ok := n.Op.(Param); ok {
		return
	}
	if _, ok := n.Op.(Invoker); ok {
		// The callee may hold sinks, so its arguments matter even when no
		// result does.
		for _, v := range n.In {
			d.want(v)
		}
		d.adj.Steps = append(d.adj.Steps, Step{Node: n})
		return
	}
	_, sink := n.Op.(Sink)
	if !sink && !d.wanted[n.Result(0)] {
		return
	}
	rule, ok := n.Op.(Differentiable)
	if !ok {
		if !sink && n.hasFloatInput() {
			d.adj.Missing = append(d.adj.Missing, n)
		}
		return
	}
	d.rule(n, rule, sink)
}

func (n *Node) hasFloatInput() bool {
	for _, v := range n.In {
		if v.Type().DType.IsFloat() {
			return true
		}
	}
	return false
}

// rule applies the gradient rule of n inside the adjoint body.
func (d *differentiator) rule(n *Node, rule Differentiable, sink bool) {
	body := d.adj.Body
	m := body.Module
	from := len(body.Nodes)
	panicked := false
	into := m.within(body, func() []Value {
		ct := Value{}
		if !sink {
			ct = body.add(Cotangent{}, []Value{n.Result(0)}, n.Out, n.Pos).Result(0)
		}
		defer func() {
			if r := recover(); r != nil {
				panicked = true
				m.Fail(n.Pos, "gradient of "+n.Op.Name(), fmt.Errorf("%w: the rule panics: %v", ErrInvalid, r))
			}
		}()
		return rule.Gradient(n, ct)
	})
	if panicked {
		return
	}
	s := Step{Node: n, Nodes: body.Nodes[from:len(body.Nodes):len(body.Nodes)], Into: into}
	for _, added := range s.Nodes {
		added.Pos = n.Pos
	}
	if len(into) != len(n.In) {
		m.Fail(n.Pos, "gradient of "+n.Op.Name(), fmt.Errorf("%w: the rule gives %d contributions for %d inputs", ErrInvalid, len(into), len(n.In)))
		return
	}
	for i, c := range into {
		if c.IsZero() || c.IsPoison() {
			continue
		}
		if !c.Type().Equal(n.In[i].Type()) {
			m.Fail(n.Pos, "gradient of "+n.Op.Name(), fmt.Errorf("%w: contribution %d is %v, the input is %v", ErrShape, i, c.Type(), n.In[i].Type()))
			return
		}
		d.want(n.In[i])
	}
	d.adj.Steps = append(d.adj.Steps, s)
}
