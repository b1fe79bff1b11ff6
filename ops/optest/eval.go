package optest

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Eval computes the results of g in float64 by the operators' Eval. The graph
// may use constants, but neither variables nor invocations.
func Eval(g *graph.Graph, in []*ops.Tensor) ([]*ops.Tensor, error) {
	e, err := forward(g, in)
	if err != nil {
		return nil, err
	}
	return e.inputs(g.Results)
}

// Grad returns the cotangents of g's parameters for the given cotangents of its
// results, by executing g's adjoint. Those of integer inputs are nil.
func Grad(g *graph.Graph, in, ct []*ops.Tensor) ([]*ops.Tensor, error) {
	e, err := forward(g, in)
	if err != nil {
		return nil, err
	}
	if err := e.backward(ct); err != nil {
		return nil, err
	}
	grads := make([]*ops.Tensor, len(g.Params))
	for i, p := range g.Params {
		if p.Type().DType.IsFloat() {
			grads[i] = e.cotangent(p)
		}
	}
	return grads, nil
}

// evaluation holds the values of one execution of a graph and its adjoint.
type evaluation struct {
	graph  *graph.Graph
	values map[graph.Value]*ops.Tensor
	cts    map[graph.Value]*ops.Tensor // accumulated; absent means zero
}

func forward(g *graph.Graph, in []*ops.Tensor) (*evaluation, error) {
	if len(in) != len(g.Params) {
		return nil, fmt.Errorf("%d inputs for %d parameters", len(in), len(g.Params))
	}
	e := &evaluation{g, map[graph.Value]*ops.Tensor{}, map[graph.Value]*ops.Tensor{}}
	for i, p := range g.Params {
		if !fits(in[i], p.Type()) {
			return nil, fmt.Errorf("input %d is %v, want %v", i, in[i].Type(), p.Type())
		}
		e.values[p] = in[i]
	}
	for _, n := range g.Nodes[len(g.Params):] {
		if err := e.node(n); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// fits reports whether a tensor has type t, in which a list may have any length.
func fits(x *ops.Tensor, t graph.Type) bool {
	if x == nil || x.DType != t.DType || len(x.Shape) != len(t.Shape) {
		return false
	}
	for i, d := range t.Shape {
		if d != graph.Any && d != x.Shape[i] {
			return false
		}
	}
	return x.Len() == max(len(x.F), len(x.I))
}

func (e *evaluation) node(n *graph.Node) error {
	if _, ok := n.Op.(graph.Cotangent); ok {
		e.values[n.Result(0)] = e.cotangent(n.In[0])
		return nil
	}
	op, ok := n.Op.(ops.Op)
	if !ok {
		return fmt.Errorf("%s is not an operator that this evaluator knows", n.Op.Name())
	}
	in, err := e.inputs(n.In)
	if err != nil {
		return err
	}
	out, err := op.Eval(in)
	if err != nil {
		return fmt.Errorf("%s: %w", op.Name(), err)
	}
	if !fits(out, n.Out[0]) {
		return fmt.Errorf("%s%v: Eval returns %v, inferred %v", op.Name(), n.InTypes(), out.Type(), n.Out[0])
	}
	e.values[n.Result(0)] = out
	return nil
}

func (e *evaluation) inputs(vs []graph.Value) ([]*ops.Tensor, error) {
	in := make([]*ops.Tensor, len(vs))
	for i, v := range vs {
		x, err := e.value(v)
		if err != nil {
			return nil, err
		}
		in[i] = x
	}
	return in, nil
}

func (e *evaluation) value(v graph.Value) (*ops.Tensor, error) {
	if x, ok := e.values[v]; ok {
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
	e.values[v] = x
	return x, nil
}

// cotangent returns a copy of what was accumulated for v.
func (e *evaluation) cotangent(v graph.Value) *ops.Tensor {
	if ct, ok := e.cts[v]; ok {
		return ct.Clone()
	}
	x := e.values[v]
	return ops.NewTensor(x.DType, x.Shape...)
}

func (e *evaluation) backward(ct []*ops.Tensor) error {
	for i, v := range e.graph.Results {
		if v.Type().DType.IsFloat() {
			if err := e.accumulate(v, ct[i]); err != nil {
				return err
			}
		}
	}
	for _, s := range e.graph.Adjoint.Steps {
		for _, n := range s.Nodes {
			if err := e.node(n); err != nil {
				return fmt.Errorf("gradient of %s: %w", s.Node.Op.Name(), err)
			}
		}
		for i, c := range s.Into {
			if c.IsZero() {
				continue
			}
			x, err := e.value(c)
			if err == nil {
				err = e.accumulate(s.Node.In[i], x)
			}
			if err != nil {
				return fmt.Errorf("gradient of %s, input %d: %w", s.Node.Op.Name(), i, err)
			}
		}
	}
	return nil
}

func (e *evaluation) accumulate(v graph.Value, x *ops.Tensor) error {
	value, err := e.value(v)
	if err != nil {
		return err
	}
	if !slices.Equal(x.Shape, value.Shape) {
		return fmt.Errorf("cotangent %v for a value %v", x.Type(), value.Type())
	}
	sum, ok := e.cts[v]
	if !ok {
		e.cts[v] = x.Clone()
		return nil
	}
	for i, f := range x.F {
		sum.F[i] += f
	}
	return nil
}
