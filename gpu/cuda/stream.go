package cuda

import (
	"errors"
	"math"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cublas"
	"github.com/frondml/frond/gpu/kernels"
)

// Stream is a queue of work on a device. It is for one goroutine at a time.
type Stream struct {
	device    *Device
	stream    *gpu.Stream
	blas      *cublas.Handle // nil where all products are by kernels
	temporary []gpu.Buffer   // freed behind the present call
}

var _ device.Stream = (*Stream)(nil)

// NewStream implements device.Device.
func (d *Device) NewStream() (device.Stream, error) {
	stream, err := d.gpu.NewStream()
	if err != nil {
		return nil, translated(err)
	}
	s := &Stream{device: d, stream: stream}
	if d.blas != nil {
		if s.blas, err = d.blas.open(stream); err != nil {
			return nil, translated(errors.Join(err, stream.Close()))
		}
	}
	return s, nil
}

// Close implements device.Stream.
func (s *Stream) Close() error {
	var err error
	if s.blas != nil {
		err = unlessLost(s.device.blas.release(s.blas))
	}
	return errors.Join(err, s.device.unlessGone(s.stream.Close()))
}

// Launch implements device.Stream.
func (s *Stream) Launch(k device.Kernel, c *device.Call) error {
	compiled, ok := k.(kernel)
	if !ok {
		return foreign("kernel", k)
	}
	return s.finish(compiled.launch(s, c))
}

// finish ends a call that may have used scratch memory.
func (s *Stream) finish(err error) error {
	for _, b := range s.temporary {
		err = errors.Join(err, s.stream.Free(b))
	}
	s.temporary = s.temporary[:0]
	return translated(err)
}

// scratch returns words of memory that is freed behind the present call.
func (s *Stream) scratch(words int) (gpu.Buffer, error) {
	b, err := s.stream.Alloc(4 * int64(words))
	if err == nil {
		s.temporary = append(s.temporary, b)
	}
	return b, err
}

// operand is rows as kernels take them: row i is row i of the matrix, or row index[i]
// where there is an index.
type operand struct {
	matrix kernels.Matrix
	index  gpu.Buffer // of n int32
	n      int        // rows
}

// indexed reports whether there is an index.
func (o *operand) indexed() bool { return o.index != (gpu.Buffer{}) }

// rows returns n rows of a width where they lie.
func (s *Stream) rows(r device.Rows, n, width int) (operand, error) {
	o := operand{matrix: kernels.Matrix{Rows: n, Columns: width, Stride: r.Stride, Repeated: r.Stride == 0}, n: n}
	if n == 0 || width == 0 {
		return o, nil
	}
	buffer, err := bufferOf(r.Buffer)
	if err != nil {
		return o, err
	}
	end := r.Offset + (n-1)*r.Stride + width
	if !r.Index.IsZero() {
		if o.index, err = s.index(r.Index, n); err != nil {
			return o, err
		}
		end = buffer.Words()
		o.matrix.Rows = rowsIn(end-r.Offset, r.Stride, width)
	}
	o.matrix.Buffer, err = buffer.words(r.Offset, end-r.Offset)
	return o, err
}

// rowsIn returns how many rows of a width lie in so many words: without end, if they are
// all the same.
func rowsIn(words, stride, width int) int {
	if stride <= 0 {
		return math.MaxInt32
	}
	return max(0, words-width)/stride + 1
}

// dense returns n rows of a width as a matrix without an index. Rows that lie otherwise
// are copied to scratch memory.
func (s *Stream) dense(r device.Rows, n, width int) (kernels.Matrix, error) {
	o, err := s.rows(r, n, width)
	if err != nil || !o.indexed() && (o.matrix.Repeated || r.Stride >= width) {
		return o.matrix, err
	}
	copied := kernels.Matrix{Rows: n, Columns: width}
	if copied.Buffer, err = s.scratch(n * width); err != nil {
		return copied, err
	}
	to := device.Rows{Buffer: &Buffer{copied.Buffer, n * width}, Stride: width}
	return copied, s.copyRows(to, r, n, width)
}

// index returns the n integers of an index list.
func (s *Stream) index(i device.Index, n int) (gpu.Buffer, error) {
	buffer, err := bufferOf(i.Buffer)
	if err != nil {
		return gpu.Buffer{}, err
	}
	return buffer.words(i.Offset, n)
}

// matrix returns a matrix where it lies.
func (s *Stream) matrix(m device.Matrix) (kernels.Matrix, error) {
	result := kernels.Matrix{Rows: m.Rows, Columns: m.Columns, Stride: m.Stride}
	if m.Rows == 0 || m.Columns == 0 {
		return result, nil
	}
	buffer, err := bufferOf(m.Buffer)
	if err != nil {
		return result, err
	}
	result.Buffer, err = buffer.words(m.Offset, (m.Rows-1)*m.Stride+m.Columns)
	return result, err
}
