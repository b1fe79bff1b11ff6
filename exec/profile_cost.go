package exec

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Note [Costs]
//
// Profiles give floating-point operations and bytes by rules, not by measurement.
//
// Operations: a product of matrices [m k] and [k n] counts 2·m·k·n. An operator counts
// so many operations per element as flopsPerElement says, one when it does not say;
// moving elements and working on integers count none. A transcendental function counts
// about what its vector kernel executes per element, a polynomial and the reduction of
// its argument. Adding into a cotangent or a gradient counts one per element.
//
// Bytes: four per element of every operand and result, read or written once per row,
// whether or not they were in a cache. A row of a table is a row; a matrix or another
// operand that all rows share counts once per call; what is added to is read and
// written. Padding and temporary memory of kernels do not count.

// work is an amount of floating-point operations and of bytes read and written.
type work struct{ flops, bytes int64 }

func (w *work) add(o work) {
	w.flops += o.flops
	w.bytes += o.bytes
}

func (w work) times(n int64) work { return work{w.flops * n, w.bytes * n} }

const bytesPerElement = 4

// cost is what an instruction costs per row, per frame and per call.
type cost struct{ row, frame, call work }

func (c cost) of(n *instrCount) work {
	sum := c.row.times(n.rows)
	sum.add(c.frame.times(n.frames))
	sum.add(c.call.times(n.calls))
	return sum
}

// productCost is that of one product Xᵀ·dY over rows of k and n elements.
func productCost(rows, k, n int) work {
	return work{2 * int64(rows) * int64(k) * int64(n), bytesPerElement * (int64(rows)*int64(k+n) + int64(k)*int64(n))}
}

// costOf estimates an instruction.
func (p *plan) costOf(in *instr) cost {
	size := int64(in.size)
	switch in.kind {
	case doRows, doSegments:
		return kernelCost(in)
	case doGemm:
		w := p.weights[in.index]
		c := cost{row: work{bytes: bytesPerElement * (size + size/int64(w.width())*int64(w.depth()))},
			call: work{bytes: bytesPerElement * int64(w.rows*w.cols)}}
		c.row.flops = 2 * size * int64(w.depth())
		if !in.bias.IsZero() || w.hasBias() {
			c.row.flops += size
			c.call.bytes += bytesPerElement * int64(w.width())
		}
		if in.add {
			c.row.flops += size
			c.row.bytes += bytesPerElement * size
		}
		return c
	case doCopy:
		return cost{row: work{bytes: 2 * bytesPerElement * size}}
	case doZero, doCollect:
		return cost{row: work{bytes: bytesPerElement * size}}
	case doAdd, doScatter, doScatterAt, doSparseRows:
		return cost{row: work{size, 3 * bytesPerElement * size}}
	case doSumRows:
		return cost{row: work{size, bytesPerElement * size}, call: work{bytes: 2 * bytesPerElement * size}}
	case doLoss:
		return cost{row: work{1, bytesPerElement}}
	case doReserve, doConst:
		return cost{}
	}
	return cost{row: work{bytes: bytesPerElement * int64(len(in.in)+1)}} // words
}

// kernelCost is the cost of an operator's kernel.
func kernelCost(in *instr) cost {
	var c cost
	add := func(o *operand, elements int, shared bool) {
		w := work{bytes: bytesPerElement * int64(elements)}
		switch {
		case shared:
			c.call.add(w)
		case in.kind == doSegments && o.space == frameSpace:
			c.frame.add(w)
		default:
			c.row.add(w)
		}
	}
	_, picks := in.node.Op.(ops.AtOp)
	for k := range in.in {
		o, elements := &in.in[k], rowType(in.node.In[k].Type()).Size()
		if in.elem != nil {
			elements = in.size // also of several neighbouring parts
		}
		if picks && k == 0 { // rows of a table
			add(o, in.size, false)
			continue
		}
		add(o, elements, o.kind == inGlobal)
	}
	add(&in.out, in.size, false)
	if in.add {
		add(&in.out, in.size, false)
		c.row.flops += int64(in.size)
	}
	if in.kind == doSegments {
		c.row.flops += int64(segmentFlops(in.node, in.size))
	} else {
		c.row.flops += int64(kernelFlops(in.node, in.size))
	}
	return c
}

// flopsPerElement lists the operators that do not count one operation per element of
// the result; see Note [Costs].
var flopsPerElement = map[string]int{
	"at": 0, "concat": 0, "join": 0, "list": 0, "expand": 0, "pad": 0, "reshape": 0, "slice": 0, "span": 0, "transpose": 0,
	"where": 0, "one_hot": 0, "range": 0, "len": 0, "stop_gradient": 0,
	"exp": transcendental, "log": transcendental, "sigmoid": transcendental, "tanh": transcendental,
	"softplus": 2 * transcendental, "pow": 2 * transcendental,
	"sigmoid_grad": 3, "tanh_grad": 3,
	"softmax": transcendental + 4, "log_softmax": transcendental + 4, "cross_entropy_grad": transcendental + 6,
	"normalize": 8, "normalize_grad": 12,
}

const transcendental = 20

// kernelFlops is the number of operations per row of a result of the given size.
func kernelFlops(n *graph.Node, size int) int {
	first := rowType(n.In[0].Type())
	if op, ok := n.Op.(ops.MatMulOp); ok {
		inner := lastExtent(first)
		if op.TransA {
			inner = first.Shape[first.Rank()-2]
		}
		return 2 * size * inner
	}
	switch n.Op.Name() {
	case "sum", "max", "argmax": // what is reduced counts
		return floatElements(first)
	case "cross_entropy":
		return (transcendental + 4) * floatElements(first)
	}
	if !rowType(n.Out[0]).DType.IsFloat() {
		return 0
	}
	if f, ok := flopsPerElement[n.Op.Name()]; ok {
		return f * size
	}
	return size
}

// segmentFlops is the number of operations per element of the lists.
func segmentFlops(n *graph.Node, size int) int {
	if _, ok := n.Op.(ops.MatMulOp); ok {
		return 2 * size // an outer product per element
	}
	for _, v := range n.In {
		if v.Type().IsList() {
			return kernelFlops(n, rowType(v.Type()).Size())
		}
	}
	return kernelFlops(n, size)
}

func floatElements(t graph.Type) int {
	if !t.DType.IsFloat() {
		return 0
	}
	return t.Size()
}
