package ops

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

// product is a number of equally large matrix products [n d]·[d h].
type product struct {
	count, n, d, h int
	transA, transB bool
}

// product returns what has to be done for operands of the given row shapes.
func (o MatMulOp) product(a, b graph.Shape) product {
	p := product{count: 1, n: 1, d: a[len(a)-1], h: b[len(b)-1], transA: o.TransA, transB: o.TransB}
	if len(a) > 1 {
		p.n = a[len(a)-2]
	}
	if o.TransA {
		p.n, p.d = p.d, p.n
	}
	if o.TransB {
		p.h = b[len(b)-2]
	}
	if len(a) == 3 {
		p.count = a[0]
	}
	return p
}

// Lower implements Op. Executors may know faster ways for an operand b that all
// rows share.
func (o MatMulOp) Lower(in []graph.Type, _ graph.Type) Lowering {
	a, b := in[0], in[1]
	if o.overLists(a, b) {
		d, h := a.Shape[1], b.Shape[1]
		return Lowering{Segments: func(bt *Batch) error {
			for f := range bt.N {
				out := bt.Out.Row(f, d*h)
				clear(out)
				for r := int(bt.Seg[f]); r < int(bt.Seg[f+1]); r++ {
					addOuter(out, bt.In[0].Row(r, d), bt.In[1].Row(r, h))
				}
			}
			return nil
		}}
	}
	p := o.product(rowType(a).Shape, rowType(b).Shape)
	return Lowering{Rows: func(bt *Batch) error {
		for r := range bt.N {
			p.multiply(bt.Out.Row(r, p.count*p.n*p.h), bt.In[0].Row(r, p.count*p.n*p.d), bt.In[1].Row(r, p.count*p.d*p.h))
		}
		return nil
	}}
}

// addOuter adds the outer product of x and y to the matrix out.
func addOuter(out, x, y []float32) {
	for i, v := range x {
		kernel.Axpy(out[i*len(y):(i+1)*len(y)], y, v)
	}
}

// multiply computes c = a·b for all products.
func (p product) multiply(c, a, b []float32) {
	for k := range p.count {
		p.one(c[k*p.n*p.h:], a[k*p.n*p.d:], b[k*p.d*p.h:])
	}
}

// one computes one product.
func (p product) one(c, a, b []float32) {
	rowStep, step := p.d, 1
	if p.transA {
		rowStep, step = 1, p.n
	}
	for i := range p.n {
		row, at := c[i*p.h:(i+1)*p.h], i*rowStep
		if p.transB {
			for j := range row {
				row[j] = dot(a[at:], step, b[j*p.d:(j+1)*p.d])
			}
			continue
		}
		clear(row)
		for k := range p.d {
			kernel.Axpy(row, b[k*p.h:(k+1)*p.h], a[at+k*step])
		}
	}
}

// dot is the sum over k of a[k*step]*b[k].
func dot(a []float32, step int, b []float32) float32 {
	if step == 1 {
		return kernel.Dot(a[:len(b)], b)
	}
	var sum float32
	at := 0
	for _, y := range b {
		sum += float32(a[at] * y)
		at += step
	}
	return sum
}
