package device

// Device computes. It is safe for concurrent use.
type Device interface {
	// Name describes the device, as "cuda:0 (NVIDIA H200)".
	Name() string
	// Compile returns the kernel of an operator, or an error that wraps ErrNoKernel.
	Compile(Operator) (Kernel, error)
	// Fuse returns the kernel of a chain. Every chain of operators whose batching rule
	// has Elements can be had, or the error wraps ErrNoKernel.
	Fuse(Chain) (Kernel, error)
	// NewStream returns a stream that is ordered against no other.
	NewStream() (Stream, error)
}

// Kernel is compiled code of a device. It is immutable.
type Kernel interface{}

// Buffer is memory of a device: 32-bit words, floats or integers.
type Buffer interface {
	// Words returns the size.
	Words() int
}

// Event is a point in a stream's order. It is safe for concurrent use and must be
// released.
type Event interface {
	// Release gives the event back. Streams that wait for it go on waiting.
	Release()
}

// Index is a list of int32 in device memory, from word Offset on. The zero Index is no
// list.
type Index struct {
	Buffer Buffer
	Offset int
}

// IsZero reports whether there is no list.
func (i Index) IsZero() bool { return i.Buffer == nil }

// Rows are rows of words. Row i begins at word
//
//	Offset + i*Stride           without an Index
//	Offset + Index[i]*Stride    with one
//
// A Stride of 0 repeats one row. Indices have been checked by the host.
type Rows struct {
	Buffer Buffer
	Offset int
	Stride int
	Index  Index
}

// Matrix is a matrix of floats: element (i, j) is word Offset + i*Stride + j.
type Matrix struct {
	Buffer        Buffer
	Offset        int
	Rows, Columns int
	Stride        int
}
