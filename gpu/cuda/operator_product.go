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

// isShared reports whether all rows are one. How a product is computed depends on this
// and on the types, but not on the number of rows, and so do its bits.
func isShared(r device.Rows) bool { return r.Stride == 0 && r.Index.IsZero() }

// largeProduct is the number of multiplications from which a product of its own is
// faster than one thread for each of its elements.
const largeProduct = 1 << 20

func (p *products) launch(s *Stream, c *device.Call) error {
	if p.count == 1 && !p.transA && p.d > 1 && isShared(c.In[1]) {
		return p.withOne(s, c)
	}
	many := kernels.Products{
		Count: c.N * p.count, M: p.n, N: p.h, K: p.d, TransposeA: p.transA, TransposeB: p.transB,
		OneA: p.count == 1 && isShared(c.In[0]), OneB: p.count == 1 && isShared(c.In[1]),
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
		if p.n*p.d*p.h >= largeProduct {
			return s.oneByOne(many)
		}
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

// oneByOne computes products of large matrices.
func (s *Stream) oneByOne(p kernels.Products) error {
	for i := range p.Count {
		product := kernels.GEMM{
			C: matrixOf(p.C, i, p.M, p.N, false), A: matrixOf(p.A, i, p.M, p.K, p.TransposeA), TransposeA: p.TransposeA,
			B: matrixOf(p.B, i, p.K, p.N, p.TransposeB), TransposeB: p.TransposeB,
		}
		if p.OneA {
			product.A.Buffer = p.A
		}
		if p.OneB {
			product.B.Buffer = p.B
		}
		if err := s.product(product); err != nil {
			return err
		}
	}
	return nil
}

// matrixOf returns matrix number i of those that follow each other in a buffer, of which
// the transposed ones have so many rows and columns.
func matrixOf(b gpu.Buffer, i, rows, columns int, transposed bool) kernels.Matrix {
	size := 4 * int64(rows) * int64(columns)
	if transposed {
		rows, columns = columns, rows
	}
	return kernels.Matrix{Buffer: b.Slice(int64(i)*size, int64(i+1)*size), Rows: rows, Columns: columns}
}

// withOne multiplies the rows of all calls with the matrix that they share in one
// product.
func (p *products) withOne(s *Stream, c *device.Call) error {
	b, err := s.packed(c.In[1], 1, p.d*p.h)
	if err != nil {
		return err
	}
	product := kernels.GEMM{B: matrixOf(b, 0, p.d, p.h, p.transB), TransposeB: p.transB}
	if p.n == 1 {
		return p.vectors(s, c, product)
	}
	a, err := s.packed(c.In[0], c.N, p.n*p.d)
	if err != nil {
		return err
	}
	product.A = matrixOf(a, 0, c.N*p.n, p.d, false)
	return s.packedResult(c.Out, c.N, p.n*p.h, func(out gpu.Buffer) error {
		product.C = matrixOf(out, 0, c.N*p.n, p.h, false)
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
