package kernels

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/elements.ptx
var elementsPTX string

type elementKernels struct{ elements *gpu.Kernel }

func (k *elementKernels) module() module {
	return module{elementsPTX, map[string]**gpu.Kernel{"elements": &k.elements}}
}

// Operations of [Set.Elements] on words x, y and z, which are float32, integers or truth
// values (0 or 1), numbered as in cuda/elements.cu. Beside them it knows those of the
// element-wise operations that have two operands, v and o for x and y.
const (
	ElementZero Op = iota + 64 // 0
	ElementCopy                // x
	ElementLess                // x < y, a truth value of floats
	ElementLessEqual
	ElementEqual
	ElementNotEqual
	ElementChoose         // y where x is true, else z
	ElementIntegerToFloat // float32(x)
	ElementFloatToInteger // x without fraction, the nearest integer where that does not fit, 0 for NaN
	ElementFloatToTruth   // x != 0
	elementOpEnd
)

// operands returns how many operands the operation has in [Set.Elements], and whether
// it is one of those.
func (op Op) operands() (n int, ok bool) {
	switch op {
	case ElementZero:
		return 0, true
	case ElementCopy, ElementIntegerToFloat, ElementFloatToInteger, ElementFloatToTruth:
		return 1, true
	case ElementChoose:
		return 3, true
	case Add, Subtract, SubtractFrom, Multiply, Divide, DivideInto, Minimum, Maximum, Power,
		SigmoidGradient, TanhGradient, ReluGradient, AbsoluteGradient:
		return 2, true
	}
	return 2, op > ElementZero && op < elementOpEnd
}

// ElementAxes is the number of axes that a row has in [Elements].
const ElementAxes = 4

// View says where the elements of rows lie: element (i, j, k, l) of row r is word
//
//	r*Stride + i*Axes[0] + j*Axes[1] + k*Axes[2] + l*Axes[3]
//
// of the buffer, with Index[r] in place of r if there is an Index. Distances of 0 repeat
// rows or elements.
type View struct {
	Buffer gpu.Buffer
	Index  gpu.Buffer // a list of int32
	Stride int
	Axes   [ElementAxes]int
}

// Elements is an operation on all elements of so many rows with the given extents. Out
// has no index, and may be an operand that lies as it does.
type Elements struct {
	Op      Op
	Rows    int
	Extents [ElementAxes]int
	Out     View
	In      [3]View
}

// Elements computes out = op(in...) element by element. The indices of rows are not
// checked.
func (k *Set) Elements(s *gpu.Stream, e Elements) error {
	n, err := e.check()
	if err != nil {
		return fmt.Errorf("elements: %w", err)
	}
	x, y, z := &e.In[0], &e.In[1], &e.In[2]
	return s.Launch(k.elements.elements, gpu.Cover(n, wordThreads), gpu.Out(e.Out.Buffer),
		optional(x.Buffer), optional(x.Index), optional(y.Buffer), optional(y.Index), optional(z.Buffer), optional(z.Index),
		gpu.Bytes(e.layout()), integer(int(e.Op)), integer(n))
}

// check returns the number of elements, and what is wrong with an operation.
func (e *Elements) check() (n int, err error) {
	operands, ok := e.Op.operands()
	if !ok || e.Out.Index != (gpu.Buffer{}) {
		return 0, fmt.Errorf("%w: operation %d, whose result has an index: %t", gpu.ErrArgument, e.Op, e.Out.Index != gpu.Buffer{})
	}
	n = e.Rows
	const limit = math.MaxInt32 - wordThreads
	for _, extent := range e.Extents {
		if n < 0 || n > limit || extent < 0 || extent > limit {
			return 0, fmt.Errorf("%w: %d rows of %v", gpu.ErrArgument, e.Rows, e.Extents)
		}
		n *= extent
	}
	if n > limit {
		return 0, fmt.Errorf("%w: %d rows of %v", gpu.ErrArgument, e.Rows, e.Extents)
	}
	if n == 0 {
		return 0, nil
	}
	err = e.reach("out", &e.Out)
	for i, name := range []string{"x", "y", "z"} {
		if i < operands {
			err = errors.Join(err, e.reach(name, &e.In[i]))
		} else if e.In[i] != (View{}) {
			err = errors.Join(err, fmt.Errorf("%w: operation %d has no operand %s", gpu.ErrArgument, e.Op, name))
		}
	}
	return n, err
}

// reach returns what is wrong with a view, as far as the host can tell.
func (e *Elements) reach(name string, v *View) error {
	last := 0
	for i, extent := range e.Extents {
		if v.Axes[i] < 0 || v.Axes[i] > math.MaxInt32 || v.Stride < 0 || v.Stride > math.MaxInt32 {
			return fmt.Errorf("%w: the distances of %s are %d and %v", gpu.ErrArgument, name, v.Stride, v.Axes)
		}
		last += (extent - 1) * v.Axes[i]
	}
	if v.Index != (gpu.Buffer{}) {
		return errors.Join(reaches(name, v.Buffer, last), checkList("the index of "+name, v.Index, e.Rows))
	}
	return reaches(name, v.Buffer, last+(e.Rows-1)*v.Stride)
}

// layout returns the Layout of cuda/elements.cu.
func (e *Elements) layout() []byte {
	data := make([]byte, 0, 4*(ElementAxes+4*(1+ElementAxes)))
	put := func(n int) { data = binary.LittleEndian.AppendUint32(data, uint32(n)) }
	for _, extent := range e.Extents {
		put(extent)
	}
	for _, v := range [4]*View{&e.Out, &e.In[0], &e.In[1], &e.In[2]} {
		put(v.Stride)
		for _, distance := range v.Axes {
			put(distance)
		}
	}
	return data
}
