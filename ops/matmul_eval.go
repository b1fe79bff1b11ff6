package ops

import "fmt"

// Eval implements Op. A leading axis that only one operand has is that of a
// list; beside a list of matrices b, a of rank 2 is a list of vectors.
func (o MatMulOp) Eval(in []*Tensor) (*Tensor, error) {
	b := factor{t: in[1], trans: o.TransB, many: len(in[1].Shape) == 3}
	a := factor{t: in[0], trans: o.TransA, many: len(in[0].Shape) == 3 || len(in[0].Shape) == 2 && b.many}
	a.vector = len(a.element()) == 1
	n, d := a.extents()
	bd, h := b.extents()
	if d != bd || a.many && b.many && a.t.Shape[0] != b.t.Shape[0] {
		return nil, fmt.Errorf("%w: %v and %v", ErrLength, a.t.Type(), b.t.Type())
	}
	var shape []int
	count := 1
	switch {
	case a.many:
		count, shape = a.t.Shape[0], []int{a.t.Shape[0]}
	case b.many:
		count, shape = b.t.Shape[0], []int{b.t.Shape[0]}
	}
	if !a.vector {
		shape = append(shape, n)
	}
	out := NewTensor(a.t.DType, append(shape, h)...)
	k := 0
	positions([]int{count, n, h}, func(at []int) {
		for j := range d {
			out.F[k] += a.at(at[0], at[1], j) * b.at(at[0], j, at[2])
		}
		k++
	})
	return out, nil
}

// factor is an operand of the reference product.
type factor struct {
	t      *Tensor
	trans  bool
	many   bool // one matrix or vector per element along the first axis
	vector bool // a vector stands for the only row of a matrix
}

// element is the shape of one matrix or vector.
func (f *factor) element() []int {
	if f.many {
		return f.t.Shape[1:]
	}
	return f.t.Shape
}

// extents returns the numbers of rows and columns, after transposition.
func (f *factor) extents() (rows, columns int) {
	e := f.element()
	switch {
	case f.vector:
		return 1, e[0]
	case f.trans:
		return e[1], e[0]
	}
	return e[0], e[1]
}

// at returns an element of matrix k, after transposition.
func (f *factor) at(k, i, j int) float64 {
	e := f.element()
	if f.trans {
		i, j = j, i
	}
	at := i*e[len(e)-1] + j
	if f.many {
		at += k * size(e)
	}
	return f.t.F[at]
}
