package cuda

import (
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu/kernels"
	"github.com/frondml/frond/graph"
)

// copies puts parts of the inputs' rows into the rows of the result, after clearing
// these where the parts do not cover them.
type copies struct {
	clear bool
	words int // of a row of the result
	parts []elementwise
}

func (k *copies) launch(s *Stream, c *device.Call) error {
	if k.clear {
		if err := s.zero(c.Out, c.N, k.words); err != nil {
			return err
		}
	}
	for i := range k.parts {
		if err := k.parts[i].launch(s, c); err != nil {
			return err
		}
	}
	return nil
}

// zero sets the n rows of a result to 0.
func (s *Stream) zero(r device.Rows, n, width int) error {
	out, err := s.target(r, n, width)
	if err != nil || n*width == 0 {
		return err
	}
	if n == 1 || r.Stride == width {
		return s.stream.Fill(out.Buffer, 0)
	}
	e := kernels.Elements{Op: kernels.ElementZero, Rows: n, Out: kernels.View{Buffer: out.Buffer, Stride: r.Stride}}
	return s.elements(e, []axis{{width, [4]int{1}}})
}

// block is a part of a value along one axis.
type block struct {
	shape graph.Shape // of the row that it is a part of
	axis  int
	from  int
}

// copyBlock copies a block of an input's row, of so many elements along the axis, to a
// block of the result.
func copyBlock(input, extent int, to, from block) elementwise {
	outer, inner := from.shape[:from.axis].Size(), from.shape[from.axis+1:].Size()
	axes := []axis{
		{outer, [4]int{to.shape[to.axis] * inner, from.shape[from.axis] * inner}},
		{extent * inner, [4]int{1, 1}},
	}
	return elementwise{
		op:       kernels.ElementCopy,
		out:      operandRow{words: to.shape.Size(), from: to.from * inner},
		operands: []operandRow{{input: input, words: from.shape.Size(), from: from.from * inner}},
		axes:     collapse(axes),
	}
}

// window copies a row that keeps its elements.
func window(o operator) kernel {
	return whole(kernels.ElementCopy, o, []axis{{o.out.Size(), [4]int{1, 1}}})
}

func slice(o operator) kernel {
	along := rowAxis(o.In[0], attribute[int](o.Op, "axis"))
	k := copyBlock(0, o.out[along], block{o.out, along, 0}, block{o.in[0], along, attribute[int](o.Op, "from")})
	return &k
}

func pad(o operator) kernel {
	along := rowAxis(o.In[0], attribute[int](o.Op, "axis"))
	k := &copies{clear: true, words: o.out.Size()}
	if o.in[0].Size() > 0 {
		to := block{o.out, along, attribute[int](o.Op, "from")}
		k.parts = []elementwise{copyBlock(0, o.in[0][along], to, block{o.in[0], along, 0})}
	}
	return k
}

func concat(o operator) kernel {
	along, at := rowAxis(o.Out, attribute[int](o.Op, "axis")), 0
	k := &copies{words: o.out.Size()}
	for i, shape := range o.in {
		if shape.Size() > 0 {
			k.parts = append(k.parts, copyBlock(i, shape[along], block{o.out, along, at}, block{shape, along, 0}))
		}
		at += shape[along]
	}
	return k
}
