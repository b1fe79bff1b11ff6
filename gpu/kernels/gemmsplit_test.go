package kernels_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// problem is a product of random matrices with the result it should have.
type problem struct {
	kernels.GEMM
	want, size []float64 // the result, and the sum of the absolute values of what was added
}

// problem makes a product of so many rows, columns and inner elements.
func (r *rig) problem(m, n, k int, transposed [2]bool, accumulate, biased, indexed bool) problem {
	r.Helper()
	operand := func(seed uint64, rows, columns int, t bool, index []int32) (kernels.Matrix, func(row, column int) float64) {
		if t {
			rows, columns = columns, rows
		}
		if index != nil {
			rows = 9
		}
		x := random(seed, rows*columns)
		return r.spread(x, rows, columns), at(x, columns, t, index)
	}
	p := problem{GEMM: kernels.GEMM{TransposeA: transposed[0], TransposeB: transposed[1], Accumulate: accumulate}}
	var index []int32
	if indexed {
		index = indices(5, m, 9)
		if transposed[0] {
			index = indices(5, k, 9)
		}
		p.Index, p.IndexLength = put(r, index), len(index)
	}
	var a, b func(row, column int) float64
	p.A, a = operand(1, m, k, transposed[0], index)
	p.B, b = operand(2, k, n, transposed[1], nil)
	p.want, p.size = product(a, b, m, n, k)
	c, bias := random(3, m*n), random(4, n)
	p.C = r.spread(c, m, n)
	if biased {
		p.Bias = put(r, bias)
	}
	for i := range p.want {
		if accumulate {
			p.want[i] += float64(c[i])
		}
		if biased {
			p.want[i] += float64(bias[i%n])
		}
		p.size[i] += 2
	}
	return p
}

// check compares what is in C now.
func (p *problem) check(r *rig, unit float64) {
	r.Helper()
	for i, v := range r.dense(p.C) {
		require.InDelta(r, p.want[i], v, unit*p.size[i], "element %d of %v", i, p.C)
	}
}

var transpositions = [][2]bool{{false, false}, {false, true}, {true, false}, {true, true}}

func TestSplitGEMM(t *testing.T) {
	r := setUp(t, "")
	for _, shape := range [][3]int{{1, 1, 1}, {32, 32, 64}, {33, 35, 100}, {5, 70, 31}, {4, 4, 0}, {0, 3, 3}} {
		for _, transposed := range transpositions {
			for _, anyOrder := range []bool{false, true} {
				t.Run(fmt.Sprint(shape, transposed, anyOrder), func(t *testing.T) {
					r := &rig{t, r.device, r.stream, r.set}
					p := r.problem(shape[0], shape[1], shape[2], transposed, false, false, false)
					require.NoError(t, r.set.SplitGEMM(r.stream, p.GEMM, kernels.Split{Slice: 32, AnyOrder: anyOrder}))
					p.check(r, 64*0x1p-24)
				})
			}
		}
	}
	for options := range 16 {
		p := r.problem(20, 30, 75, [2]bool{options&8 != 0, false}, options&1 != 0, options&2 != 0, options&4 != 0)
		require.NoError(t, r.set.SplitGEMM(r.stream, p.GEMM, kernels.Split{Slice: 64, AnyOrder: options%3 == 0}))
		p.check(r, 64*0x1p-24)
	}
}

// Schedules of the device that differ give the same bits.
func TestSplitGEMMIsDeterministic(t *testing.T) {
	var first []float32
	for _, seed := range []string{"seed=1", "seed=2", "seed=3"} {
		r := setUp(t, seed)
		p := r.problem(10, 40, 300, [2]bool{true, false}, true, true, false)
		require.NoError(t, r.set.SplitGEMM(r.stream, p.GEMM, kernels.Split{Slice: 32}))
		got := r.dense(p.C)
		if first == nil {
			first = got
		}
		require.Equal(t, first, got)
	}
}

func TestSplitGEMMRefusesArguments(t *testing.T) {
	r := setUp(t, "")
	p := r.problem(3, 4, 70000, [2]bool{}, false, false, false)
	for _, slice := range []int{-32, 0, 16, 33} {
		err := r.set.SplitGEMM(r.stream, p.GEMM, kernels.Split{Slice: slice})
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, fmt.Sprintf("an inner dimension of 70000 in slices of %d, for f32[3 4]", slice))
	}
	p.A.Columns--
	require.ErrorIs(t, r.set.SplitGEMM(r.stream, p.GEMM, kernels.Split{Slice: 32}), gpu.ErrArgument)
}
