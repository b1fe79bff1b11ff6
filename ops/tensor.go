package ops

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/graph"
)

// Tensor is a whole tensor of the reference semantics: row-major, float
// elements in F, integers and truth values in I. Its shape has no unknown
// extents.
type Tensor struct {
	DType graph.DType
	Shape graph.Shape
	F     []float64
	I     []int32
}

// NewTensor returns a tensor of zeros.
func NewTensor(d graph.DType, shape ...int) *Tensor {
	t := &Tensor{DType: d, Shape: slices.Clone(shape)}
	if n := size(shape); d.IsFloat() {
		t.F = make([]float64, n)
	} else {
		t.I = make([]int32, n)
	}
	return t
}

// Len returns the number of elements.
func (t *Tensor) Len() int { return size(t.Shape) }

// Type returns the tensor's type.
func (t *Tensor) Type() graph.Type { return graph.Type{DType: t.DType, Shape: t.Shape} }

// Clone returns a copy.
func (t *Tensor) Clone() *Tensor {
	return &Tensor{t.DType, slices.Clone(t.Shape), slices.Clone(t.F), slices.Clone(t.I)}
}

// String prints type and elements.
func (t *Tensor) String() string {
	if t.DType.IsFloat() {
		return fmt.Sprintf("%v%v", t.Type(), t.F)
	}
	return fmt.Sprintf("%v%v", t.Type(), t.I)
}

// size is the number of elements of a shape without unknown extents; 0 extents count.
func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
