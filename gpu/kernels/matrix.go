package kernels

import (
	"fmt"
	"math"

	"github.com/frondml/frond/gpu"
)

// Matrix is a row-major matrix of float32 in a buffer.
type Matrix struct {
	Buffer        gpu.Buffer
	Rows, Columns int
	Stride        int // elements from row to row; 0 means Columns
	// Repeated says that all rows are the one in memory. It is for what is only read.
	Repeated bool
}

// stride returns the distance of rows.
func (m Matrix) stride() int {
	switch {
	case m.Repeated:
		return 0
	case m.Stride == 0:
		return m.Columns
	}
	return m.Stride
}

// String returns the shape, as "f32[3 4]".
func (m Matrix) String() string { return fmt.Sprintf("f32[%d %d]", m.Rows, m.Columns) }

// check returns what is wrong with a matrix.
func (m Matrix) check(name string) error {
	stride := m.stride()
	if m.Rows < 0 || m.Columns < 0 || m.Rows > math.MaxInt32 || m.Columns > math.MaxInt32 || stride > math.MaxInt32 ||
		stride < m.Columns && !m.Repeated {
		return fmt.Errorf("%w: %s is %v with a stride of %d", gpu.ErrArgument, name, m, stride)
	}
	if m.Rows == 0 || m.Columns == 0 {
		return nil
	}
	want := int64(m.Rows-1)*int64(stride) + int64(m.Columns)
	if m.Buffer.Size()/4 < want {
		return fmt.Errorf("%w: %s is %v with a stride of %d, which are %d elements, in a buffer of %d bytes",
			gpu.ErrArgument, name, m, stride, want, m.Buffer.Size())
	}
	return nil
}

// checkList returns what is wrong with a list of n words.
func checkList(name string, b gpu.Buffer, n int) error {
	if n < 0 || n > math.MaxInt32 || b.Size() < 4*int64(n) {
		return fmt.Errorf("%w: %s has %d bytes, want %d words", gpu.ErrArgument, name, b.Size(), n)
	}
	return nil
}

// integer passes a number that was checked to fit.
func integer(n int) gpu.Arg { return gpu.I32(int32(n)) }

// optional passes a buffer to be read, or null for one that is not there.
func optional(b gpu.Buffer) gpu.Arg {
	if b == (gpu.Buffer{}) {
		return gpu.Null()
	}
	return gpu.In(b)
}
