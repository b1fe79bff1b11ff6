package exec

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/recursion"
)

// resultKey names a result of a graph.
type resultKey struct {
	g *graph.Graph
	i int
}

// resultStore returns the store of the rows that a graph's result i names, nil
// when the result is a word.
func (p *plan) resultStore(g *graph.Graph, i int) *storeInfo {
	if !hasRows(g.Out[i]) {
		return nil
	}
	if v := g.Results[i]; !v.IsGlobal() {
		return p.store(v)
	}
	k := resultKey{g, i}
	if v, ok := p.classes.results[k]; ok {
		return p.store(v)
	}
	if p.constResults[k] == nil {
		p.constResults[k] = p.newStore(rowType(g.Out[i]), true)
	}
	return p.constResults[k]
}

// classes is a union-find over values: two values are in one class when a row
// of one may become a row of the other by invocation or renaming.
type classes struct {
	parent  map[graph.Value]graph.Value
	results map[resultKey]graph.Value // a value of some caller, per result
}

func (c *classes) find(v graph.Value) graph.Value {
	root := v
	for {
		up, ok := c.parent[root]
		if !ok {
			break
		}
		root = up
	}
	for v != root {
		v, c.parent[v] = c.parent[v], root
	}
	return root
}

func (c *classes) union(a, b graph.Value) {
	if a.IsGlobal() || b.IsGlobal() || !hasRows(a.Type()) || !hasRows(b.Type()) {
		return
	}
	if a, b = c.find(a), c.find(b); a != b {
		c.parent[a] = b
	}
}

func findClasses(prog *graph.Program) *classes {
	c := &classes{parent: map[graph.Value]graph.Value{}, results: map[resultKey]graph.Value{}}
	for _, g := range prog.Graphs {
		for _, n := range g.Nodes {
			if op, ok := n.Op.(*recursion.InvokeOp); ok {
				c.invocation(n, op)
			} else if isRename(n) {
				for _, v := range n.In {
					c.union(n.Result(0), v)
				}
			}
		}
	}
	return c
}

func (c *classes) invocation(n *graph.Node, op *recursion.InvokeOp) {
	for _, callee := range op.Callees() {
		for i, v := range n.In[op.Leading():] {
			c.union(callee.Params[i], v)
		}
		for i, v := range callee.Results {
			c.union(n.Result(i), v)
			k := resultKey{callee, i}
			if other, ok := c.results[k]; ok {
				c.union(n.Result(i), other) // all callers share the rows, pinned ones too
			}
			c.results[k] = n.Result(i)
		}
	}
}
