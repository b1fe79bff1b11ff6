package graph

import "fmt"

// captured resolves the values that captured parameters of g stand for.
func (p *parser) captured(g *parsedGraph) error {
	for i, c := range g.captures {
		v, err := c.resolve(g, g.Params[len(g.In)+i].Type())
		if err == nil && !g.inner[v].IsZero() {
			err = fmt.Errorf("%w: the value is captured twice", ErrRedefined)
		}
		if err != nil {
			return &ParseError{Line: g.line, Column: c.column + 1, Err: err}
		}
		g.inner[v] = g.Params[len(g.In)+i]
		g.Captures = append(g.Captures, v)
	}
	return nil
}

// resolve returns the value that a captured parameter of g, of type t, stands for.
func (c capture) resolve(g *parsedGraph, t Type) (Value, error) {
	if c.graph == g || !g.within(c.graph.Graph) {
		return Value{}, fmt.Errorf("%w: %s is not written inside %s", ErrScope, quote(g.Name), quote(c.graph.Name))
	}
	if c.number >= len(c.graph.values) {
		return Value{}, fmt.Errorf("%w: %s has no value %%%d", ErrUndefined, quote(c.graph.Name), c.number)
	}
	v := c.graph.values[c.number]
	if param, ok := v.node.Op.(Param); ok && param.Captured {
		return Value{}, fmt.Errorf("%w: the value is itself captured; name the one it stands for", ErrScope)
	}
	if !v.Type().Equal(t) {
		return Value{}, fmt.Errorf("%w: the parameter is %v, the captured value %v", ErrShape, t, v.Type())
	}
	return v, nil
}

// invocations checks what Verify takes for granted because Build makes it so:
// that every invocation passes captured values on, and that bodies are invoked
// only where they are written.
func (p *parser) invocations(g *parsedGraph) error {
	for _, n := range g.Nodes {
		line, ok := g.invokes[n]
		if !ok {
			continue
		}
		for _, callee := range n.Op.(Invoker).Callees() {
			if err := g.invocation(n, callee); err != nil {
				return &ParseError{Line: line, Column: 1, Err: err}
			}
		}
	}
	return nil
}

func (g *parsedGraph) invocation(n *Node, callee *Graph) error {
	leading := n.Op.(Invoker).Leading()
	if len(n.In)-leading != len(callee.Params) {
		return fmt.Errorf("%w: %s takes %d arguments with captured values, got %d",
			ErrShape, quote(callee.Name), len(callee.Params), len(n.In)-leading)
	}
	if callee.body && callee.Parent != g.Graph {
		return fmt.Errorf("%w: body %s is invoked in %s, not where it is written", ErrScope, quote(callee.Name), quote(g.Name))
	}
	args := n.In[leading+len(callee.In):]
	for i, v := range callee.Captures {
		here := v
		if v.Graph() != g.Graph {
			here = g.inner[v]
		}
		if args[i] != here {
			return fmt.Errorf("%w: argument %d of %s is not the captured value", ErrScope, len(callee.In)+i, quote(callee.Name))
		}
	}
	return nil
}
