package reference

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// backward differentiates what forward recorded: it walks the frames in reverse
// order of execution, again along the links to their callers.
func (it *interpreter) backward(root *frame, r Request) error {
	it.result.VarGrads = map[*graph.Variable]*ops.Tensor{}
	for v := range r.Vars {
		if !v.Frozen {
			it.result.VarGrads[v] = ops.NewTensor(v.Type.DType, v.Type.Shape...)
		}
	}
	it.open(root)
	for i, ct := range r.Cotangents {
		if ct != nil {
			it.accumulate(root, root.plan.graph.Results[i], it.round(ct))
		}
	}
	if err := it.walkBack(root); err != nil {
		return err
	}
	it.result.InputGrads = make([]*ops.Tensor, len(r.Inputs))
	for i, p := range root.plan.graph.Params {
		if p.Type().DType.IsFloat() {
			it.result.InputGrads[i] = it.cotangent(root, p)
		}
	}
	return nil
}

func (it *interpreter) walkBack(root *frame) error {
	for f := root; ; {
		steps := f.plan.graph.Adjoint.Steps
		if f.next == len(steps) {
			if f == root {
				return nil
			}
			it.handBack(f)
			f = f.caller
			continue
		}
		s := steps[f.next]
		if err := it.tick(); err != nil {
			return it.fail(f, s.Node, err)
		}
		if _, ok := s.Node.Op.(*recursion.InvokeOp); ok {
			if callee := it.reenter(f, s.Node); callee != nil {
				f = callee
				continue
			}
		} else if err := it.step(f, s); err != nil {
			return it.fail(f, s.Node, fmt.Errorf("gradient: %w", err))
		}
		f.next++
	}
}

// open prepares a frame that has run for its adjoint.
func (it *interpreter) open(f *frame) {
	f.next = 0
	f.cts = make([]*ops.Tensor, f.plan.slots)
}

// reenter opens the last frame that node n of f started and that was not walked
// yet, and gives it the cotangents of its results. It returns nil when there is
// none left.
func (it *interpreter) reenter(f *frame, n *graph.Node) *frame {
	calls := &f.calls[f.plan.ordinal[n.Index]]
	if len(*calls) == 0 {
		return nil
	}
	callee := (*calls)[len(*calls)-1]
	*calls = (*calls)[:len(*calls)-1]
	it.open(callee)
	for i, result := range callee.plan.graph.Results {
		ct := f.cts[f.plan.of(n.Result(i))]
		if ct == nil {
			continue
		}
		if isEach(n) {
			ct = row(ct, callee.elem)
		}
		it.accumulate(callee, result, ct)
	}
	return callee
}

// handBack adds the cotangents of a frame's parameters to those of the arguments
// and drops what the frame holds.
func (it *interpreter) handBack(f *frame) {
	op := f.node.Op.(*recursion.InvokeOp)
	for i, p := range f.plan.graph.Params {
		ct := f.cts[f.plan.of(p)]
		if ct == nil {
			continue
		}
		arg := f.node.In[op.Leading()+i]
		if i < op.Mapped() {
			it.accumulateRow(f.caller, arg, f.elem, ct)
		} else {
			it.accumulate(f.caller, arg, ct)
		}
	}
	f.values, f.cts, f.calls = nil, nil, nil
}

func isEach(n *graph.Node) bool { return n.Op.(*recursion.InvokeOp).Mode() == recursion.Each }

// step executes the adjoint of one node of f that is no invocation.
func (it *interpreter) step(f *frame, s graph.Step) error {
	_, sink := s.Node.Op.(graph.Sink)
	if !sink && f.cts[f.plan.of(s.Node.Result(0))] == nil {
		return nil
	}
	built := map[graph.Value]*ops.Tensor{} // what the rule's nodes compute
	value := func(v graph.Value) *ops.Tensor {
		if x, ok := built[v]; ok {
			return x
		}
		return it.value(f, v)
	}
	for _, n := range s.Nodes {
		if _, ok := n.Op.(graph.Cotangent); ok {
			built[n.Result(0)] = it.cotangent(f, n.In[0])
			continue
		}
		in := make([]*ops.Tensor, len(n.In))
		for i, v := range n.In {
			in[i] = value(v)
		}
		x, err := it.eval(n, in, f.key)
		if err != nil {
			return fmt.Errorf("%s: %w", n.Op.Name(), err)
		}
		built[n.Result(0)] = x
	}
	for i, v := range s.Into {
		if v.IsZero() {
			continue
		}
		arg := s.Node.In[i]
		if got, want := value(v), it.value(f, arg); !slices.Equal(got.Shape, want.Shape) {
			return fmt.Errorf("%w: contribution %d is %v, the input is %v", graph.ErrShape, i, got.Type(), want.Type())
		}
		it.accumulate(f, arg, value(v))
	}
	return nil
}

// cotangent returns what was accumulated for a value of f.
func (it *interpreter) cotangent(f *frame, v graph.Value) *ops.Tensor {
	if ct := f.cts[f.plan.of(v)]; ct != nil {
		return ct.Clone() // more may be added later
	}
	x := it.value(f, v)
	return ops.NewTensor(x.DType, x.Shape...)
}

// accumulate adds ct to the cotangent of a value that f uses.
func (it *interpreter) accumulate(f *frame, v graph.Value, ct *ops.Tensor) {
	if sum := it.sum(f, v); sum != nil {
		it.add(sum.F, ct.F)
	}
}

// accumulateRow adds ct to row i of the cotangent of a list.
func (it *interpreter) accumulateRow(f *frame, list graph.Value, i int, ct *ops.Tensor) {
	it.add(row(it.sum(f, list), i).F, ct.F)
}

// sum returns where the cotangent of v is accumulated, nil when it is not wanted.
func (it *interpreter) sum(f *frame, v graph.Value) *ops.Tensor {
	switch op := v.Node().Op.(type) {
	case *graph.Const:
		return nil
	case *graph.Read:
		return it.result.VarGrads[op.Var] // nil when frozen
	}
	ct := &f.cts[f.plan.of(v)]
	if *ct == nil {
		x := it.value(f, v)
		*ct = ops.NewTensor(x.DType, x.Shape...)
	}
	return *ct
}

func (it *interpreter) add(sum, x []float64) {
	for i := range x {
		sum[i] += x[i]
		if it.options.Float32 {
			sum[i] = float64(float32(sum[i]))
		}
	}
}
