package cuda

import (
	"errors"
	"fmt"
	"sync"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cublas"
	"github.com/frondml/frond/gpu/kernels"
)

// Products says what multiplies matrices.
type Products int

// Ways to multiply matrices.
const (
	OwnProducts Products = iota // the kernels of package gpu/kernels
	CuBLAS                      // NVIDIA's cuBLAS, where it takes the operands
	productsCount
)

// blas is cuBLAS and its handles, one for each stream. It is safe for concurrent use.
type blas struct {
	library *cublas.Library

	mu      sync.Mutex
	handles map[*cublas.Handle]*gpu.Stream // open ones
	closed  bool
}

// openBLAS returns cuBLAS if it is asked for, and nil otherwise.
func openBLAS(o Options) (*blas, error) {
	switch {
	case o.Products < 0 || o.Products >= productsCount:
		return nil, fmt.Errorf("cuda: %w: products %d", gpu.ErrArgument, o.Products)
	case o.Products == CuBLAS:
		library, err := cublas.Open(o.CuBLASLibrary)
		if err != nil {
			return nil, fmt.Errorf("cuda: %w", err)
		}
		return &blas{library: library, handles: map[*cublas.Handle]*gpu.Stream{}}, nil
	case o.CuBLASLibrary != "":
		return nil, fmt.Errorf("cuda: %w: CuBLASLibrary is %q, but Products is not CuBLAS", gpu.ErrArgument, o.CuBLASLibrary)
	}
	return nil, nil
}

// open returns a handle for a stream.
func (b *blas) open(s *gpu.Stream) (*cublas.Handle, error) {
	h, err := b.library.NewHandle(s)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errors.Join(fmt.Errorf("cuda: device: %w", gpu.ErrClosed), h.Close())
	}
	b.handles[h] = s
	return h, nil
}

// release closes a handle.
func (b *blas) release(h *cublas.Handle) error {
	if err := h.Close(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.handles, h)
	return nil
}

// close releases the handles of streams that nobody has closed. They may be in use.
func (b *blas) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	var err error
	for h, s := range b.handles {
		by, failed := s.Device().NewStream()
		if failed != nil {
			return errors.Join(err, failed)
		}
		err = errors.Join(err, h.Abandon(by), by.Close())
		delete(b.handles, h)
	}
	return err
}

// From which product on rows that are named by an index are copied together for cuBLAS,
// which has no index. The copy moves 8 bytes for each element of A, which so many columns
// multiply 512 times, and a product of so many multiplications takes longer than its
// launch. This is reckoned, not measured.
const (
	gatherColumns         = 512
	gatherMultiplications = 1 << 26
)

// maxBLASElements bounds the elements of C, which package kernels counts to add the bias.
const maxBLASElements = 1 << 30

// suitsBLAS reports whether cuBLAS is to compute a product. It cannot repeat a row, and
// sums of nothing are not worth a call.
func (s *Stream) suitsBLAS(p *kernels.GEMM) bool {
	m, n, inner := float64(p.C.Rows), float64(p.C.Columns), float64(p.B.Rows)
	if p.TransposeB {
		inner = float64(p.B.Columns)
	}
	if s.blas == nil || p.A.Repeated || p.B.Repeated || m*n*inner == 0 || m*n > maxBLASElements {
		return false
	}
	return p.Index == (gpu.Buffer{}) || worthGathering(m, n, inner)
}

// worthGathering reports whether m rows of so many words are copied to be multiplied.
func worthGathering(m, n, inner float64) bool {
	return n >= gatherColumns && m*n*inner >= gatherMultiplications
}

// multiplyByBLAS computes a product with cuBLAS. The bias is in C before the product,
// which is added to it.
func (s *Stream) multiplyByBLAS(p kernels.GEMM) error {
	if err := s.placeBias(&p); err != nil {
		return err
	}
	if p.Index != (gpu.Buffer{}) {
		rows := kernels.Matrix{Rows: p.IndexLength, Columns: p.A.Columns}
		var err error
		if rows.Buffer, err = s.scratch(rows.Rows * rows.Columns); err != nil {
			return err
		}
		if err := s.device.kernels.GatherRows(s.stream, rows, p.A, p.Index); err != nil {
			return err
		}
		p.A = rows
	}
	product := cublas.Product{
		C: blasMatrix(p.C), A: blasMatrix(p.A), B: blasMatrix(p.B),
		TransposeA: p.TransposeA, TransposeB: p.TransposeB, Accumulate: p.Accumulate,
	}
	switch s.device.precision {
	case TF32:
		return s.blas.GemmEx(product, cublas.FastTF32)
	case BF16:
		return s.blas.GemmEx(product, cublas.FastBF16)
	}
	return s.blas.Sgemm(product)
}

// placeBias writes or adds the bias of a product to C, and has the product added to it.
func (s *Stream) placeBias(p *kernels.GEMM) error {
	if p.Bias == (gpu.Buffer{}) {
		return nil
	}
	place := s.device.kernels.CopyStrided
	if p.Accumulate {
		place = s.device.kernels.AddStrided
	}
	p.Accumulate = true
	return place(s.stream, p.C.Buffer, p.Bias, kernels.Layout{
		{Extent: p.C.Rows, Out: p.C.Stride, From: 0}, {Extent: p.C.Columns, Out: 1, From: 1},
	})
}

// blasMatrix returns a matrix as package cublas takes it.
func blasMatrix(m kernels.Matrix) cublas.Matrix {
	return cublas.Matrix{Buffer: m.Buffer, Rows: m.Rows, Columns: m.Columns, Stride: m.Stride}
}
