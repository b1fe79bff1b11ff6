package cuda

import (
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// products is a number of products `[n d]·[d h]` per row.
type products struct {
	count, n, d, h int
	transA, transB bool
}

func matMul(o operator) kernel {
	a, b := o.in[0], o.in[1]
	if o.Segments {
		return listProducts{a.Size(), b.Size()}
	}
	p := &products{
		count: 1, n: 1, d: a[len(a)-1], h: o.out[len(o.out)-1],
		transA: attribute[bool](o.Op, "trans_a"), transB: attribute[bool](o.Op, "trans_b"),
	}
	if len(a) > 1 {
		p.n = a[len(a)-2]
	}
	if p.transA {
		p.n, p.d = p.d, p.n
	}
	if len(a) == 3 {
		p.count = a[0]
	}
	return p
}

// outer is the product of a column and a row.
func outer(o operator) kernel {
	return &products{count: 1, n: o.in[0].Size(), d: 1, h: o.in[1].Size()}
}

// isShared reports whether all n rows are one.
func isShared(r device.Rows, n int) bool { return n == 1 || r.Stride == 0 && r.Index.IsZero() }

func (p *products) launch(s *Stream, c *device.Call) error {
	if p.count == 1 && isShared(c.In[1], c.N) && (!p.transA || c.N == 1) && p.d > 1 {
		return p.one(s, c)
	}
	many := kernels.Products{
		Count: c.N * p.count, M: p.n, N: p.h, K: p.d, TransposeA: p.transA, TransposeB: p.transB,
		OneA: p.count == 1 && isShared(c.In[0], c.N), OneB: p.count == 1 && isShared(c.In[1], c.N),
	}
	var err error
	if many.A, err = s.factor(c.In[0], c.N, p.count*p.n*p.d, many.OneA); err != nil {
		return err
	}
	if many.B, err = s.factor(c.In[1], c.N, p.count*p.d*p.h, many.OneB); err != nil {
		return err
	}
	return s.packedResult(c.Out, c.N, p.count*p.n*p.h, func(out gpu.Buffer) error {
		many.C = out
		return s.device.kernels.Products(s.stream, many)
	})
}

// factor returns the matrices of n rows without gaps, or the one that all rows are.
func (s *Stream) factor(r device.Rows, n, width int, one bool) (gpu.Buffer, error) {
	if one {
		n = 1
	}
	return s.packed(r, n, width)
}

// one multiplies the rows of all calls with the matrix that they share in one product.
func (p *products) one(s *Stream, c *device.Call) error {
	b, err := s.packed(c.In[1], 1, p.d*p.h)
	if err != nil {
		return err
	}
	product := kernels.GEMM{B: kernels.Matrix{Buffer: b, Rows: p.d, Columns: p.h}, TransposeA: p.transA, TransposeB: p.transB}
	if p.transB {
		product.B.Rows, product.B.Columns = p.h, p.d
	}
	if p.n == 1 && !p.transA {
		return p.vectors(s, c, product)
	}
	product.A = kernels.Matrix{Rows: c.N * p.n, Columns: p.d}
	if p.transA {
		product.A.Rows, product.A.Columns = p.d, p.n
	}
	if product.A.Buffer, err = s.packed(c.In[0], c.N, p.n*p.d); err != nil {
		return err
	}
	return s.packedResult(c.Out, c.N, p.n*p.h, func(out gpu.Buffer) error {
		product.C = kernels.Matrix{Buffer: out, Rows: c.N * p.n, Columns: p.h}
		return s.product(product)
	})
}

// vectors multiplies a vector per row, which the product finds by its index.
func (p *products) vectors(s *Stream, c *device.Call, product kernels.GEMM) error {
	a, err := s.rows(c.In[0], c.N, p.d)
	if err != nil {
		return err
	}
	if a.indexed() && c.In[0].Stride >= p.d {
		product.A, product.Index, product.IndexLength = a.matrix, a.index, c.N
	} else if product.A, err = s.strided(c.In[0], c.N, p.d); err != nil {
		return err
	}
	if product.C, err = s.target(c.Out, c.N, p.h); err != nil {
		return err
	}
	return s.product(product)
}

// listProducts sums the outer products of the elements of two lists of vectors.
type listProducts struct{ d, h int }

func (p listProducts) launch(s *Stream, c *device.Call) error {
	runs, err := s.runs(c)
	if err != nil {
		return err
	}
	a, err := s.strided(c.In[0], c.Length, p.d)
	if err != nil {
		return err
	}
	b, err := s.strided(c.In[1], c.Length, p.h)
	if err != nil {
		return err
	}
	return s.packedResult(c.Out, c.N, p.d*p.h, func(out gpu.Buffer) error {
		return s.device.kernels.RunProducts(s.stream, out, a, b, runs)
	})
}
