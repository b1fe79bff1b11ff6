package cuda

import (
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu/kernels"
	"github.com/frondml/frond/graph"
)

// elementwise is an operation on the elements of rows that lie anywhere.
type elementwise struct {
	op       kernels.Op
	operands []operandRow
	out      operandRow
	axes     []axis // within a row
}

// operandRow is the part of a row that an operand has in an operation.
type operandRow struct {
	input int // its number in the call
	words int // of the row
	from  int // where the part begins
}

func (k *elementwise) launch(s *Stream, c *device.Call) error {
	e := kernels.Elements{Op: k.op, Rows: c.N}
	steps, indexed := [4]int{c.Out.Stride}, false
	var err error
	if e.Out, err = s.part(c.Out, c.N, k.out); err != nil {
		return err
	}
	for i, o := range k.operands {
		r := c.In[o.input]
		if e.In[i], err = s.part(r, c.N, o); err != nil {
			return err
		}
		steps[i+1], indexed = r.Stride, indexed || !r.Index.IsZero()
	}
	axes, memory := k.axes, [kernels.ElementAxes]axis{}
	if !indexed {
		if flat, ok := withRows(memory[:0], axis{c.N, steps}, axes); ok {
			axes, e.Rows = flat, 1
		}
	}
	return s.elements(e, axes)
}

// withRows makes the rows an axis before the others, on which they mostly go on. It
// reports whether there is room.
func withRows(memory []axis, rows axis, axes []axis) ([]axis, bool) {
	switch {
	case rows.extent == 1:
		return axes, true
	case len(axes) > 0 && rows.continues(axes[0]):
		rows, axes = axis{rows.extent * axes[0].extent, axes[0].steps}, axes[1:]
	}
	return append(append(memory, rows), axes...), len(axes) < cap(memory)
}

// part returns the part of n rows that an operand has.
func (s *Stream) part(r device.Rows, n int, o operandRow) (kernels.View, error) {
	v, err := s.view(r, n, o.words)
	if err == nil && o.from > 0 {
		v.Buffer = v.Buffer.Slice(4*int64(o.from), v.Buffer.Size())
	}
	return v, err
}

// whole returns an operation on whole rows of all inputs.
func whole(op kernels.Op, o operator, axes []axis) *elementwise {
	k := &elementwise{op: op, out: operandRow{words: o.out.Size()}, axes: axes}
	for i, shape := range o.in {
		k.operands = append(k.operands, operandRow{input: i, words: shape.Size()})
	}
	return k
}

// pairs are the operations of operators whose operands are broadcast.
var pairs = map[string]kernels.Op{
	"add": kernels.Add, "sub": kernels.Subtract, "mul": kernels.Multiply, "div": kernels.Divide,
	"pow": kernels.Power, "minimum": kernels.Minimum, "maximum": kernels.Maximum,
	"less": kernels.ElementLess, "less_equal": kernels.ElementLessEqual,
	"greater": kernels.ElementLess, "greater_equal": kernels.ElementLessEqual, // with exchanged operands
	"equal": kernels.ElementEqual, "not_equal": kernels.ElementNotEqual, "where": kernels.ElementChoose,
}

func arithmetic(o operator) kernel {
	name := o.Op.Name()
	if name == "greater" || name == "greater_equal" {
		k := whole(pairs[name], o, broadcast(o.out, o.in[1], o.in[0]))
		k.operands[0], k.operands[1] = k.operands[1], k.operands[0]
		return k
	}
	return whole(pairs[name], o, broadcast(o.out, o.in...))
}

func cast(o operator) kernel {
	op := kernels.ElementIntegerToFloat
	switch o.Out.DType {
	case graph.Int32:
		op = kernels.ElementFloatToInteger
	case graph.Boolean:
		op = kernels.ElementFloatToTruth
	}
	return whole(op, o, broadcast(o.out, o.in[0]))
}

// expand repeats the input along new axes and along those of extent 1. Another input
// only gives the length of a list.
func expand(o operator) kernel {
	shape, next := make(graph.Shape, len(o.out)), 0
	isNew := map[int]bool{}
	for _, a := range attribute[[]int](o.Op, "axes") {
		isNew[rowAxis(o.Out, a)] = true
	}
	for i := range shape {
		shape[i] = 1
		if !isNew[i] {
			shape[i] = o.in[0][next]
			next++
		}
	}
	o.in = o.in[:1]
	return whole(kernels.ElementCopy, o, broadcast(o.out, shape))
}

func transpose(o operator) kernel {
	perm := attribute[[]int](o.Op, "perm")
	if o.In[0].IsList() {
		perm = perm[1:]
	}
	from, axes := strides(o.in[0]), make([]axis, len(perm))
	for i, step := range strides(o.out) {
		axes[i] = axis{o.out[i], [4]int{step, from[rowAxis(o.In[0], perm[i])]}}
	}
	return whole(kernels.ElementCopy, o, collapse(axes))
}
