package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

type whereOp struct{}

// Where returns x where cond is true and y where it is false, element-wise;
// cond is bool, x and y have one element type, all three are broadcast.
// Gradient: ct goes to the operand that was chosen.
func Where(cond, x, y graph.Value) graph.Value { return apply(whereOp{}, cond, x, y) }

// Name implements graph.Op.
func (whereOp) Name() string { return "where" }

// Attrs implements graph.Op.
func (whereOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (whereOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 3); err != nil {
		return nil, err
	}
	if in[0].DType != graph.Boolean {
		return nil, fmt.Errorf("%w: cond %v, want bool", graph.ErrDType, in[0])
	}
	out, err := elements(in[1:])
	if err != nil {
		return nil, err
	}
	if out.Shape, err = broadcast(in[0], out); err != nil {
		return nil, fmt.Errorf("%w: cond %v does not broadcast with x %v, y %v", graph.ErrShape, in[0], in[1], in[2])
	}
	return []graph.Type{out}, nil
}

// Gradient implements graph.Differentiable.
func (whereOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	cond, zero := n.In[0], ct.Module().Float(0)
	return operands(n, graph.Value{}, Where(cond, ct, zero), Where(cond, zero, ct))
}

// Lower implements Op.
func (whereOp) Lower(in []graph.Type, out graph.Type) Lowering {
	shapes, row := rowShapes(in, out)
	a := align(row, shapes...)
	if out.DType.IsFloat() {
		return Lowering{Rows: chooseRows(a, floats)}
	}
	return Lowering{Rows: chooseRows(a, ints)}
}

// chooseRows is the kernel dst = cond ? x : y.
func chooseRows[T element](a *alignment, s store[T]) func(*Batch) error {
	return func(b *Batch) error {
		x, y, z := s.of(&b.In[1]), s.of(&b.In[2]), s.of(&b.Out)
		w := a.over(b)
		n := w.copies()
		// Integer operands share their scratch with the condition's.
		mask := b.Tmp.Ints(3 * n)[2*n:]
		buf := s.scratch(b.Tmp, 2*n)
		for w.step() {
			choose(z[w.at:w.at+w.n], take(&w, 0, b.In[0].I, mask), take(&w, 1, x, buf[:n]), take(&w, 2, y, buf[n:]))
		}
		return nil
	}
}

func choose[T element](dst []T, cond []int32, x, y []T) {
	cond, x, y = cond[:len(dst)], x[:len(dst)], y[:len(dst)]
	for i := range dst {
		if cond[i] != 0 {
			dst[i] = x[i]
		} else {
			dst[i] = y[i]
		}
	}
}

// Eval implements Op.
func (whereOp) Eval(in []*Tensor) (*Tensor, error) {
	cond, x, y := in[0], in[1], in[2]
	shape, err := evalShape(cond, x, y)
	if err != nil {
		return nil, err
	}
	z := NewTensor(x.DType, shape...)
	i := 0
	positions(shape, func(at []int) {
		from := y
		if cond.I[cond.index(at)] != 0 {
			from = x
		}
		if x.DType.IsFloat() {
			z.F[i] = from.F[from.index(at)]
		} else {
			z.I[i] = from.I[from.index(at)]
		}
		i++
	})
	return z, nil
}

var _ graph.Differentiable = whereOp{}
