package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// positions calls f with every position of a tensor of the given shape, in
// row-major order. The slice is reused.
func positions(shape graph.Shape, f func(at []int)) {
	at := make([]int, len(shape))
	for range size(shape) {
		f(at)
		for k := len(at) - 1; k >= 0; k-- {
			if at[k]++; at[k] < shape[k] {
				break
			}
			at[k] = 0
		}
	}
}

// index returns where the element at a position of a broadcast result is in t:
// axes are aligned at the last one, and an extent of 1 is repeated.
func (t *Tensor) index(at []int) int {
	i := 0
	for k, d := range t.Shape {
		i *= d
		if d != 1 {
			i += at[k+len(at)-len(t.Shape)]
		}
	}
	return i
}

// evalShape returns the shape of an element-wise result. Whole tensors that do
// not fit, although their types did, are lists of different lengths.
func evalShape(in ...*Tensor) (graph.Shape, error) {
	out := in[0].Type()
	for _, t := range in[1:] {
		s, err := broadcast(out, t.Type())
		if err != nil {
			return nil, fmt.Errorf("%w: %v and %v", ErrLength, out, t.Type())
		}
		out.Shape = s
	}
	return out.Shape, nil
}

// evalFloats applies f to the elements of broadcast float tensors.
func evalFloats(x, y *Tensor, f func(x, y float64) float64) (*Tensor, error) {
	shape, err := evalShape(x, y)
	if err != nil {
		return nil, err
	}
	z := NewTensor(x.DType, shape...)
	i := 0
	positions(shape, func(at []int) {
		z.F[i] = f(x.F[x.index(at)], y.F[y.index(at)])
		i++
	})
	return z, nil
}

// evalInts applies f to the elements of broadcast integer tensors.
func evalInts(x, y *Tensor, f func(x, y int32) int32) (*Tensor, error) {
	shape, err := evalShape(x, y)
	if err != nil {
		return nil, err
	}
	z := NewTensor(x.DType, shape...)
	i := 0
	positions(shape, func(at []int) {
		z.I[i] = f(x.I[x.index(at)], y.I[y.index(at)])
		i++
	})
	return z, nil
}
