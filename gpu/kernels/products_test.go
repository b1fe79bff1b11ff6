package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

func TestProducts(t *testing.T) {
	r := setUp(t, "")
	for _, size := range [][4]int{{0, 2, 2, 2}, {1, 1, 1, 1}, {3, 5, 7, 4}, {40, 1, 9, 6}, {2, 17, 19, 33}, {2, 3, 4, 0}} {
		for options := range 32 {
			p := kernels.Products{
				Count: size[0], M: size[1], N: size[2], K: size[3], TransposeA: options&1 != 0, TransposeB: options&2 != 0,
				OneA: options&4 != 0, OneB: options&8 != 0, Accumulate: options&16 != 0,
			}
			r.smallProducts(p)
		}
	}
}

// smallProducts compares products of random matrices with sums in float64.
func (r *rig) smallProducts(p kernels.Products) {
	r.Helper()
	a, b, c := random(1, max(1, p.Count)*p.M*p.K), random(2, max(1, p.Count)*p.K*p.N), random(3, p.Count*p.M*p.N)
	p.A, p.B, p.C = put(r, a), put(r, b), put(r, c)
	require.NoError(r, r.set.Products(r.stream, p))
	var want []float64
	for i := range p.Count {
		left, right := a[i*p.M*p.K:], b[i*p.K*p.N:]
		if p.OneA {
			left = a
		}
		if p.OneB {
			right = b
		}
		strideA, strideB := p.K, p.N
		if p.TransposeA {
			strideA = p.M
		}
		if p.TransposeB {
			strideB = p.K
		}
		sum, _ := product(at(left, strideA, p.TransposeA, nil), at(right, strideB, p.TransposeB, nil), p.M, p.N, p.K)
		want = append(want, sum...)
	}
	for i := range want {
		if p.Accumulate {
			want[i] += float64(c[i])
		}
	}
	r.close(want, r.get(p.C), 2e-6)
}

func TestOuter(t *testing.T) {
	r := setUp(t, "")
	const n, d, h = 5, 9, 33
	a, b := random(1, n*d), random(2, n*h)
	out := put(r, make([]float32, n*d*h))
	require.NoError(t, r.set.Outer(r.stream, out, kernels.Matrix{Buffer: put(r, a), Rows: n, Columns: d}, kernels.Matrix{Buffer: put(r, b), Rows: n, Columns: h}))
	for i, v := range r.get(out) {
		require.Equal(t, a[i/h]*b[i/h/d*h+i%h], v)
	}
}

func TestRunProducts(t *testing.T) {
	r := setUp(t, "")
	const rows, d, h = 45, 7, 5
	a, b := random(1, rows*d), random(2, rows*h)
	for _, division := range r.divisions(rows) {
		var want []float64
		for _, run := range division.want {
			for i := range d {
				for j := range h {
					sum := 0.0
					for l := run.first; l < run.end; l++ {
						sum += float64(a[l*d+i]) * float64(b[l*h+j])
					}
					want = append(want, sum)
				}
			}
		}
		out := put(r, make([]float32, division.runs.N*d*h))
		require.NoError(t, r.set.RunProducts(r.stream, out, r.spread(a, rows, d), r.spread(b, rows, h), division.runs))
		r.close(want, r.get(out), 2e-6)
	}
}

func TestProductsRefuseArguments(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 12))
	m := kernels.Matrix{Buffer: b, Rows: 3, Columns: 4}
	gaps := kernels.Matrix{Buffer: b, Rows: 3, Columns: 2, Stride: 4}
	for message, err := range map[string]error{
		"2 products into f32[-1 1]":                r.set.Products(r.stream, kernels.Products{Count: 2, M: -1, N: 1}),
		"2147483647 products into f32[1 1]":        r.set.Products(r.stream, kernels.Products{Count: math.MaxInt32, M: 1, N: 1}),
		"the inner dimension is -1":                r.set.Products(r.stream, kernels.Products{K: -1}),
		"C is 2 matrices f32[3 4] in 48 bytes":     r.set.Products(r.stream, kernels.Products{C: b, Count: 2, M: 3, N: 4}),
		"A is 2 matrices f32[2 4] in 48 bytes":     r.set.Products(r.stream, kernels.Products{C: b, A: b, B: b, Count: 2, M: 2, N: 1, K: 4}),
		"B is 1 matrices f32[4 4] in 48 bytes":     r.set.Products(r.stream, kernels.Products{C: b, A: b, B: b, Count: 2, M: 1, N: 4, K: 4, OneB: true}),
		"a is f32[3 2] with a stride of 4":         r.set.Outer(r.stream, b, gaps, m),
		"run products: invalid argument: a is f32": r.set.RunProducts(r.stream, b, m, kernels.Matrix{Buffer: b, Rows: 2, Columns: 4}, kernels.Runs{}),
	} {
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
}
