package exec

import (
	"github.com/frondml/frond/exec/device"
)

// noteProduct places the list of the rows that a product reads.
func (d *deviceEngine) noteProduct(in *instr, n int) {
	o := &in.in[0]
	if in.reps == 1 {
		d.note(o, in.space)
		return
	}
	_, names, ok := d.listOf(o, in.space)
	if !ok {
		return
	}
	// Rows of the matrix are counted in a unit that divides all distances.
	stride, k := d.productStride(o), d.x.plan.weights[in.index].depth()
	unit := gcd(stride, k)
	l := &d.lists
	l.placed = append(l.placed, placedList{listKey{kind: listOfCopies, source: o}, len(l.words)})
	for j := range n {
		for r := range in.reps {
			l.words = append(l.words, int32((int(names[j])*stride+r*k)/unit))
		}
	}
}

func (d *deviceEngine) productStride(o *operand) int {
	switch o.kind {
	case inTable, inTableFlat, inTableBuffer:
		return o.stride
	case inGlobal:
		return 0
	}
	return d.strideOf(o)
}

// issueProduct multiplies rows by a matrix that all rows share.
func (d *deviceEngine) issueProduct(in *instr, n int) error {
	if n == 0 {
		return nil
	}
	d.x.counts.kernel(in, n)
	w, err := d.weight(in.index)
	if err != nil {
		return err
	}
	p := device.Product{M: n, W: w.matrix, Transpose: w.trans, Bias: w.bias, Add: in.add}
	if !in.bias.IsZero() {
		if p.Bias, err = d.global(in.bias); err != nil {
			return err
		}
	}
	if p.A, err = d.rows(&in.in[0], in.space); err != nil {
		return err
	}
	if p.C, err = d.rows(&in.out, in.space); err != nil {
		return err
	}
	if in.reps > 1 {
		err = d.matrices(in, &p)
	} else {
		err = d.stream.Multiply(p)
	}
	if err != nil {
		return err
	}
	return d.checkFinite(in, in.out)
}

// matrices computes a product whose operand has several rows of the matrix per row.
func (d *deviceEngine) matrices(in *instr, p *device.Product) error {
	w := &d.x.plan.weights[in.index]
	k, width, m := w.depth(), w.width(), p.M
	a := p.A
	p.M = in.reps
	if o := &in.in[0]; !a.Index.IsZero() {
		p.A.Stride = gcd(d.productStride(o), k)
		p.A.Index = d.lists.index(listKey{kind: listOfCopies, source: o})
	} else {
		p.A.Stride = k
	}
	whole := p.C.Stride == in.reps*width
	if whole && (!a.Index.IsZero() || a.Stride == in.reps*k) {
		p.M, p.C.Stride = m*in.reps, width
		return d.stream.Multiply(*p)
	}
	c := p.C
	p.C.Stride = width
	for j := range m {
		p.C.Offset = c.Offset + j*c.Stride
		if a.Index.IsZero() {
			p.A.Offset = a.Offset + j*a.Stride
		} else if j > 0 {
			p.A.Index.Offset += in.reps
		}
		if err := d.stream.Multiply(*p); err != nil {
			return err
		}
	}
	return nil
}
