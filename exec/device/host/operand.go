package host

import (
	"fmt"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/ops"
)

// rows returns n rows of an operand, each of some words, for a kernel. It notes that the
// operation reads or writes them.
func (s *Stream) rows(r device.Rows, n, width int, write bool) (ops.Rows, error) {
	if n == 0 || width == 0 {
		return ops.Rows{Stride: r.Stride}, nil
	}
	last := n - 1
	var index []int32
	if !r.Index.IsZero() {
		var err error
		if index, err = s.list(r.Index, n); err != nil {
			return ops.Rows{}, err
		}
		if last, err = largest(index); err != nil {
			return ops.Rows{}, err
		}
	}
	size, err := extent(last, r.Stride, width)
	if err != nil {
		return ops.Rows{}, err
	}
	words, err := s.resolve(r.Buffer, r.Offset, size, write)
	if err != nil {
		return ops.Rows{}, fmt.Errorf("%d rows of %d words with stride %d, the last being row %d: %w", n, width, r.Stride, last, err)
	}
	return ops.Rows{F: words, I: integers(words), Stride: r.Stride, Index: index}, nil
}

// largest returns the largest element of a list of row numbers.
func largest(index []int32) (int, error) {
	most := int32(0)
	for i, x := range index {
		if x < 0 {
			return 0, argument("element %d of an index is %d", i, x)
		}
		most = max(most, x)
	}
	return int(most), nil
}

// extent returns how many words rows 0 to last span.
func extent(last, stride, width int) (int, error) {
	const most = 1 << 40 // words, so that nothing below overflows
	if last < 0 || stride < 0 || width < 0 || width > most || stride > 0 && last > (most-width)/stride {
		return 0, argument("row %d of %d words with stride %d", last, width, stride)
	}
	return last*stride + width, nil
}

// matrix returns the words of a matrix from its first element on.
func (s *Stream) matrix(m device.Matrix, write bool) ([]float32, error) {
	if m.Rows == 0 || m.Columns == 0 {
		return nil, nil
	}
	if m.Stride < m.Columns && m.Rows > 1 {
		return nil, argument("rows of %d columns with stride %d overlap", m.Columns, m.Stride)
	}
	size, err := extent(m.Rows-1, m.Stride, m.Columns)
	if err != nil {
		return nil, fmt.Errorf("matrix of %d rows: %w", m.Rows, err)
	}
	words, err := s.resolve(m.Buffer, m.Offset, size, write)
	if err != nil {
		return nil, fmt.Errorf("matrix [%d %d] with stride %d: %w", m.Rows, m.Columns, m.Stride, err)
	}
	return words, nil
}

// indexed gives rows that are all the same, which kernels of products do not know, an
// index.
func (s *Stream) indexed(r ops.Rows, n, width int) ops.Rows {
	if r.Stride == 0 {
		if len(s.zeros) < n {
			s.zeros = make([]int32, n+n/2)
		}
		r.Index, r.Stride = s.zeros[:n], width
	}
	return r
}
