package optest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// F is a float tensor with the given shape and elements, row-major.
func F(shape []int, elems ...float64) *ops.Tensor {
	return &ops.Tensor{DType: graph.Float32, Shape: slices.Clone(shape), F: elems}
}

// I is an integer tensor with the given shape and elements, row-major.
func I(shape []int, elems ...int32) *ops.Tensor {
	return &ops.Tensor{DType: graph.Int32, Shape: slices.Clone(shape), I: elems}
}

// B is a tensor of truth values, given as 0 and 1.
func B(shape []int, elems ...int32) *ops.Tensor {
	return &ops.Tensor{DType: graph.Boolean, Shape: slices.Clone(shape), I: elems}
}

// Dims abbreviates a shape.
func Dims(dims ...int) []int { return dims }

// rng returns a source that depends on the case's name and a purpose.
func (c Case) rng(purpose string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%s", c.Name, purpose)
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// lengths returns the sets of list lengths to try, one length per list.
func (c Case) lengths() ([][]int, error) {
	lists := 0
	for _, t := range c.In {
		if t.IsList() {
			lists++
		}
	}
	if lists == 0 {
		return [][]int{nil}, nil
	}
	given := c.Lengths
	if given == nil {
		given = [][]int{{0}, {1}, {3}}
	}
	var all [][]int
	for _, lens := range given {
		if len(lens) == 1 {
			lens = slices.Repeat(lens, lists)
		}
		if len(lens) != lists {
			return nil, fmt.Errorf("%d lengths %v for %d lists", len(lens), lens, lists)
		}
		all = append(all, lens)
	}
	return all, nil
}

// inputs draws the inputs for the given lengths of the lists.
func (c Case) inputs(rng *rand.Rand, lens []int) []*ops.Tensor {
	in := make([]*ops.Tensor, len(c.In))
	list := 0
	for i, t := range c.In {
		shape := slices.Clone(t.Shape)
		if t.IsList() {
			shape[0] = lens[list]
			list++
		}
		in[i] = ops.NewTensor(t.DType, shape...)
		for j := range in[i].F {
			in[i].F[j] = c.float(i, rng)
		}
		lo, hi := c.intRange(i, lens)
		for j := range in[i].I {
			in[i].I[j] = int32(lo + rng.IntN(hi-lo))
		}
	}
	return in
}

func (c Case) float(i int, rng *rand.Rand) float64 {
	if c.Domain == nil {
		return Interval(-1.5, 1.5)(i, rng)
	}
	return c.Domain(i, rng)
}

func (c Case) intRange(i int, lens []int) (lo, hi int) {
	switch {
	case c.In[i].DType == graph.Boolean:
		return 0, 2
	case c.IntRange == nil:
		return 0, 4
	}
	lo, hi = c.IntRange(i, lens)
	return lo, max(hi, lo+1)
}

// cotangents draws cotangents of the given values: different for each element,
// so that no symmetry hides a mistake.
func cotangents(rng *rand.Rand, values []*ops.Tensor) []*ops.Tensor {
	cts := make([]*ops.Tensor, len(values))
	for i, v := range values {
		cts[i] = ops.NewTensor(v.DType, v.Shape...)
		for j := range cts[i].F {
			cts[i].F[j] = 0.25 + rng.Float64()
			if rng.IntN(2) == 0 {
				cts[i].F[j] *= -1
			}
		}
	}
	return cts
}
