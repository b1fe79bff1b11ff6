package cublas

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/frondml/frond/gpu"
)

// Type is what the elements of a matrix are, a cudaDataType_t.
type Type int

// Types.
const (
	F32  Type = 0  // float32
	BF16 Type = 14 // bfloat16, the upper half of a float32
)

// size returns the bytes of an element.
func (t Type) size() int64 {
	if t == BF16 {
		return 2
	}
	return 4
}

// Compute says how a product is computed, a cublasComputeType_t. Sums are float32.
type Compute int

// Ways to compute.
const (
	Compute32F Compute = 68 // factors as they are
	FastBF16   Compute = 75 // factors of float32 are rounded to bfloat16
	FastTF32   Compute = 77 // factors of float32 are rounded to 11 significant bits
)

// Matrix is a row-major matrix in a buffer.
type Matrix struct {
	Buffer        gpu.Buffer
	Rows, Columns int
	Stride        int // elements from row to row; 0 means Columns
	Type          Type
}

// Product is C = op(A) op(B), or C += op(A) op(B), with C `[m n]` of float32, A and B of
// one type, and op the transposition if asked for.
type Product struct {
	C, A, B                Matrix
	TransposeA, TransposeB bool
	Accumulate             bool
}

// Sgemm computes a product of float32 without rounding its factors: a handle is in the
// default math mode, whose precision is at least that of the operands. C must not overlap
// anything else.
func (h *Handle) Sgemm(p Product) error {
	if p.A.Type != F32 {
		return fmt.Errorf("cublas: %w: Sgemm takes float32", gpu.ErrArgument)
	}
	return h.multiply(p, "cublasSgemm", func(c call) error {
		return h.library.call(fnSgemm, h.handle, c.opB, c.opA, c.n, c.m, c.k, c.one,
			c.b, c.strideB, c.a, c.strideA, c.beta, c.c, c.strideC)
	})
}

// GemmEx computes a product in some way. C must not overlap anything else.
func (h *Handle) GemmEx(p Product, compute Compute) error {
	const defaultAlgorithm = -1
	algorithm := int32(defaultAlgorithm)
	return h.multiply(p, "cublasGemmEx", func(c call) error {
		kind := uintptr(p.A.Type)
		return h.library.call(fnGemmEx, h.handle, c.opB, c.opA, c.n, c.m, c.k, c.one,
			c.b, kind, c.strideB, c.a, kind, c.strideA, c.beta, c.c, uintptr(F32), c.strideC,
			uintptr(compute), uintptr(uint32(algorithm)))
	})
}

// call is the arguments of a product as the library takes them, but for the order in
// which it takes the operands.
type call struct {
	opA, opB, m, n, k      uintptr
	one, beta              uintptr // addresses of factors
	a, strideA, b, strideB uintptr
	c, strideC             uintptr
}

// multiply checks a product and issues it.
func (h *Handle) multiply(p Product, name string, issue func(call) error) error {
	m, n, k, err := p.shape()
	if err != nil {
		return fmt.Errorf("cublas: %w", err)
	}
	if m == 0 || n == 0 {
		return nil
	}
	zero, one := uintptr(unsafe.Pointer(&h.factors[0])), uintptr(unsafe.Pointer(&h.factors[1]))
	c := call{
		opA: operation(p.TransposeA), opB: operation(p.TransposeB), m: uintptr(m), n: uintptr(n), k: uintptr(k),
		one: one, beta: zero, strideA: p.A.leading(), strideB: p.B.leading(), strideC: p.C.leading(),
	}
	if p.Accumulate {
		c.beta = one
	}
	uses := []gpu.Arg{gpu.InOut(p.C.Buffer), gpu.InOut(h.workspace)}
	if k > 0 {
		uses = append(uses, gpu.In(p.A.Buffer), gpu.In(p.B.Buffer))
	}
	if err := h.stream.Foreign(name, uses, func(_ uintptr, addresses []uintptr) error {
		c.c = addresses[0]
		if k > 0 {
			c.a, c.b = addresses[2], addresses[3]
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.handle == 0 {
			return fmt.Errorf("handle: %w", gpu.ErrClosed)
		}
		return issue(c)
	}); err != nil {
		return h.failed(err)
	}
	return nil
}

// operation returns a cublasOperation_t.
func operation(transposed bool) uintptr {
	if transposed {
		return 1
	}
	return 0
}

// stride returns the distance of rows.
func (m *Matrix) stride() int {
	if m.Stride == 0 {
		return m.Columns
	}
	return m.Stride
}

// leading returns the distance of rows as the library wants it: it refuses 0, also where
// there are no elements.
func (m *Matrix) leading() uintptr { return uintptr(max(1, m.stride())) }

// check returns what is wrong with a matrix.
func (m *Matrix) check(name string) error {
	stride := m.stride()
	if m.Rows < 0 || m.Columns < 0 || stride < m.Columns || max(m.Rows, stride) > math.MaxInt32 {
		return fmt.Errorf("%w: %s is [%d %d] with a stride of %d", gpu.ErrArgument, name, m.Rows, m.Columns, stride)
	}
	if m.Type != F32 && m.Type != BF16 {
		return fmt.Errorf("%w: %s is of type %d, want F32 or BF16", gpu.ErrArgument, name, m.Type)
	}
	if m.Rows == 0 || m.Columns == 0 {
		return nil
	}
	if want := m.Type.size() * (int64(m.Rows-1)*int64(stride) + int64(m.Columns)); m.Buffer.Size() < want {
		return fmt.Errorf("%w: %s is [%d %d] with a stride of %d, which are %d bytes, in a buffer of %d bytes",
			gpu.ErrArgument, name, m.Rows, m.Columns, stride, want, m.Buffer.Size())
	}
	return nil
}

// shape checks the operands and returns the extents of the product.
func (p *Product) shape() (m, n, k int, err error) {
	if err := errors.Join(p.C.check("C"), p.A.check("A"), p.B.check("B")); err != nil {
		return 0, 0, 0, err
	}
	if p.C.Type != F32 || p.A.Type != p.B.Type {
		return 0, 0, 0, fmt.Errorf("%w: types are C %d, A %d, B %d; want C F32, and A and B of one type", gpu.ErrArgument, p.C.Type, p.A.Type, p.B.Type)
	}
	m, k = p.A.Rows, p.A.Columns
	if p.TransposeA {
		m, k = k, m
	}
	inner, n := p.B.Rows, p.B.Columns
	if p.TransposeB {
		inner, n = n, inner
	}
	if k != inner || m != p.C.Rows || n != p.C.Columns {
		return 0, 0, 0, fmt.Errorf("%w: [%d %d] times [%d %d] into [%d %d]", gpu.ErrArgument, m, k, inner, n, p.C.Rows, p.C.Columns)
	}
	return m, n, k, nil
}
