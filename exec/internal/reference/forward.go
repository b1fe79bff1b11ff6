package reference

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/exec/internal/callkey"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// ErrDepth is wrapped by the error of a run whose calls nest too deeply.
var ErrDepth = errors.New("recursion too deep")

// forward evaluates root and every frame that it leads to. Instead of recurring
// it follows the frames' links to their callers.
func (it *interpreter) forward(root *frame) error {
	for f := root; ; {
		nodes := f.plan.graph.Nodes
		if f.next == len(nodes) {
			if f == root {
				return nil
			}
			f = f.caller // whose node is due again, now with this call made
			continue
		}
		n := nodes[f.next]
		callee, err := it.forwardNode(f, n)
		if err != nil {
			return it.fail(f, n, err)
		}
		if callee != nil {
			f = callee
			continue
		}
		f.next++
	}
}

// forwardNode evaluates a node, or returns the frame that must run first.
func (it *interpreter) forwardNode(f *frame, n *graph.Node) (*frame, error) {
	if err := it.tick(); err != nil {
		return nil, err
	}
	in := it.valuesOf(f, n.In)
	switch op := n.Op.(type) {
	case *recursion.InvokeOp:
		return it.invoke(f, n, op, in)
	case recursion.LossOp:
		it.result.Loss += in[0].F[0]
	case recursion.CollectOp:
		it.result.Tables[op.Table] = append(it.result.Tables[op.Table], Row{in[0].I[0], in[1]})
	default:
		x, err := it.eval(n, in, f.key)
		if err != nil {
			return nil, err
		}
		f.values[f.plan.of(n.Result(0))] = x
	}
	return nil, nil
}

// keyed is an operator that draws random numbers: for one key per value, or per
// element of a list.
type keyed interface {
	EvalKeyed(in []*ops.Tensor, seed uint64, keys ...uint32) (*ops.Tensor, error)
}

// keys returns the keys of what node n computes in a frame with the given key.
func keys(n *graph.Node, in []*ops.Tensor, key uint32) []uint32 {
	if !n.Out[0].IsList() {
		return []uint32{key}
	}
	elems := make([]uint32, in[0].Shape[0])
	for i := range elems {
		elems[i] = callkey.Element(key, i)
	}
	return elems
}

// eval evaluates an operator in a frame with the given key.
func (it *interpreter) eval(n *graph.Node, in []*ops.Tensor, key uint32) (x *ops.Tensor, err error) {
	switch op := n.Op.(type) {
	case keyed:
		x, err = op.EvalKeyed(in, it.options.Seed, keys(n, in, key)...)
	case ops.Op:
		x, err = op.Eval(in)
	default:
		err = fmt.Errorf("%w: %T cannot be evaluated", graph.ErrInvalid, n.Op)
	}
	if err != nil {
		return nil, err
	}
	if err := checkType(x, n.Out[0]); err != nil {
		return nil, fmt.Errorf("the operator's own result: %w", err)
	}
	return it.round(x), nil
}

// invoke returns the next frame that the node must start. When all have run it
// takes over their results and returns nil.
func (it *interpreter) invoke(f *frame, n *graph.Node, op *recursion.InvokeOp, in []*ops.Tensor) (*frame, error) {
	ord := f.plan.ordinal[n.Index]
	made := len(f.calls[ord])
	total, err := invocations(op, in)
	if err != nil {
		return nil, err
	}
	if made < total {
		return it.start(f, n, op, in, made)
	}
	for i, x := range it.gather(n, op, f.calls[ord]) {
		f.values[f.plan.of(n.Result(i))] = x
	}
	if !it.grad {
		f.calls[ord] = nil
	}
	return nil, nil
}

// invocations returns how many frames the node starts.
func invocations(op *recursion.InvokeOp, in []*ops.Tensor) (int, error) {
	if op.Mode() != recursion.Each {
		return 1, nil
	}
	n := in[0].Shape[0]
	for i, x := range in[:op.Mapped()] {
		if x.Shape[0] != n {
			return 0, fmt.Errorf("%w: list 0 has %d elements, list %d has %d", ops.ErrLength, n, i, x.Shape[0])
		}
	}
	return n, nil
}

// start makes the frame of the invocation for element elem.
func (it *interpreter) start(f *frame, n *graph.Node, op *recursion.InvokeOp, in []*ops.Tensor, elem int) (*frame, error) {
	if op.Mode() == recursion.Select {
		k, err := selected(op, in[0])
		if err != nil {
			return nil, err
		}
		return it.child(f, n, op.Callees()[k], 0, in[1:]), nil
	}
	for i := range op.Mapped() {
		in[i] = row(in[i], elem)
	}
	if f.depth == it.options.MaxDepth {
		return nil, fmt.Errorf("%w: the limit is %d calls within calls", ErrDepth, f.depth)
	}
	c := it.child(f, n, op.Callees()[0], elem, in)
	c.depth++
	it.result.Calls++
	it.result.Depth = max(it.result.Depth, c.depth)
	return c, nil
}

// selected returns the number of the callee that a selector chooses.
func selected(op *recursion.InvokeOp, selector *ops.Tensor) (int, error) {
	k := int(selector.I[0])
	if selector.DType == graph.Boolean { // true comes first
		k = 1 - min(k, 1)
	}
	if k < 0 || k >= len(op.Callees()) {
		return 0, fmt.Errorf("%w: index %d, %d bodies", ops.ErrIndex, k, len(op.Callees()))
	}
	return k, nil
}

// gather returns the results of a node whose frames have run.
func (it *interpreter) gather(n *graph.Node, op *recursion.InvokeOp, frames []*frame) []*ops.Tensor {
	if op.Mode() != recursion.Each {
		return it.results(frames[0])
	}
	lists := make([]*ops.Tensor, len(n.Out))
	for i, t := range n.Out {
		lists[i] = ops.NewTensor(t.DType, append([]int{0}, t.Shape[1:]...)...)
		lists[i].Shape[0] = len(frames)
	}
	for _, f := range frames {
		for i, x := range it.results(f) {
			lists[i].F = append(lists[i].F, x.F...)
			lists[i].I = append(lists[i].I, x.I...)
		}
	}
	return lists
}

// row returns element i along the first axis of x, without copying it.
func row(x *ops.Tensor, i int) *ops.Tensor {
	n := x.Len() / x.Shape[0]
	r := &ops.Tensor{DType: x.DType, Shape: x.Shape[1:]}
	if x.F != nil {
		r.F = x.F[i*n : (i+1)*n : (i+1)*n]
	}
	if x.I != nil {
		r.I = x.I[i*n : (i+1)*n : (i+1)*n]
	}
	return r
}
