package ops

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/graph"
)

// Op is what every operator of the package implements.
type Op interface {
	graph.Op
	// Lower returns the batching rule for inputs and a result of the given
	// types. When it sets Rows or Window and an input is a list, the operator
	// works on every element of the list: a row is then one element.
	Lower(in []graph.Type, out graph.Type) Lowering
	// Eval computes the result on whole tensors in float64.
	Eval(in []*Tensor) (*Tensor, error)
}

// Lowering is a batching rule. Exactly one of Rows, Segments, Names and Window
// is set.
type Lowering struct {
	// Rows computes N independent rows. Inputs that are not lists, beside lists,
	// are repeated for every element of their frame.
	Rows func(*Batch) error
	// Segments reduces or normalises lists: input rows Seg[i]..Seg[i+1] of the
	// list inputs belong to frame i. Inputs that are not lists have one row per
	// frame. The result has one row per frame, or, when it is a list, one row
	// per row of the lists.
	Segments func(*Batch) error
	// Names works on integer words and list handles without touching elements.
	Names func(*Words) error
	// Window says that a result row is a part of the first input's row.
	Window *Window
	// Elements may describe Rows further.
	Elements *Elements
}

// Elements says that Rows works element by element on floats: every operand's row
// has as many elements as the result's, and an element of the result depends on
// the elements at its place alone. Whoever executes may then call the function for
// any part of a row, and together with those of other operators. The slices are of
// equal length; dst may be any of the others. Exactly one of Map and Zip is set.
type Elements struct {
	Map func(dst, x []float32)
	Zip func(dst, x, y []float32)
	// AddMap and AddZip add to dst what Map and Zip would store there, perhaps with
	// one rounding less; dst is none of the other slices. They may be nil, and are
	// nil if the operator's gradient reads its result.
	AddMap func(dst, x []float32)
	AddZip func(dst, x, y []float32)
}

// Window is the part [From, From+Size) of a row, in elements.
type Window struct{ From, Size int }

// Batch is one call of a kernel.
type Batch struct {
	N    int      // rows of the result; frames for Segments
	In   []Rows   // one per input
	Out  Rows     // contiguous rows, Stride >= row size; may alias In only where the operator says so
	Seg  []int32  // for Segments: N+1 offsets
	Keys []uint32 // per row, a key that does not depend on the schedule (dropout)
	Seed uint64   // of the run (dropout)
	Tmp  *Scratch
}

// Rows is an operand: row i starts at element Index[i]*Stride, or i*Stride
// without an Index. Stride 0 means that all rows are the same one. Float
// operands have F, integers and truth values (0 or 1) I.
type Rows struct {
	F      []float32
	I      []int32
	Stride int
	Index  []int32
}

// At returns the offset of row i.
func (r *Rows) At(i int) int {
	if r.Index != nil {
		i = int(r.Index[i])
	}
	return i * r.Stride
}

// Row returns the n floats of row i.
func (r *Rows) Row(i, n int) []float32 {
	o := r.At(i)
	return r.F[o : o+n : o+n]
}

// Ints returns the n integers of row i.
func (r *Rows) Ints(i, n int) []int32 {
	o := r.At(i)
	return r.I[o : o+n : o+n]
}

// Scratch is a worker's temporary memory, reused from call to call.
type Scratch struct {
	floats []float32
	ints   []int32
}

// Floats returns n floats with arbitrary contents, valid until the next call.
func (s *Scratch) Floats(n int) []float32 {
	if cap(s.floats) < n {
		s.floats = make([]float32, n+n/2)
	}
	return s.floats[:n]
}

// Ints returns n integers with arbitrary contents, valid until the next call.
func (s *Scratch) Ints(n int) []int32 {
	if cap(s.ints) < n {
		s.ints = make([]int32, n+n/2)
	}
	return s.ints[:n]
}

// Words is one call of a function on words. A word is an integer, a truth
// value, the name of a row, or a list handle; names and handles are opaque.
type Words struct {
	N     int
	In    [][]int32 // per input, N words
	Out   []int32
	Lists Lists
}

// Lists gives access to lists by handle.
type Lists interface {
	// Get returns the elements: integers of a list of scalars, names otherwise.
	Get(handle int32) []int32
	// New makes a list of n elements and returns where to put them, valid
	// until the next call. Without room for the list elems is nil, and the run
	// ends when the function that asked for it has returned.
	New(n int) (handle int32, elems []int32)
}

// ErrIndex is wrapped by errors about an index out of range.
var ErrIndex = errors.New("index out of range")

// ErrDivide is wrapped by errors about integer division by zero.
var ErrDivide = errors.New("integer division by zero")

// ErrLength is wrapped by errors about lists of different or impossible lengths.
var ErrLength = errors.New("list length")

// RowError is an error in one row of a batch.
type RowError struct {
	Row int
	Err error
}

// Error returns "row 0: what went wrong".
func (e *RowError) Error() string { return fmt.Sprintf("row %d: %v", e.Row, e.Err) }

// Unwrap returns the cause.
func (e *RowError) Unwrap() error { return e.Err }

// indexError reports index i into n elements in the given row.
func indexError(row int, i int32, n int) error {
	return &RowError{row, outOfRange(int(i), n)}
}

func outOfRange(i, n int) error {
	return fmt.Errorf("%w: index %d, %d elements", ErrIndex, i, n)
}

// apply adds a node with one result.
func apply(op Op, in ...graph.Value) graph.Value { return graph.Apply(op, in...) }
