package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cublas"
	"github.com/frondml/frond/gpu/kernels"
)

// way is a way to compute a product.
type way struct {
	name string
	unit float64 // bounds the error of the product of two factors
	run  func() error
}

// Bounds for factors of 24, 11 and 8 significant bits. The library may cut the bits that
// it drops instead of rounding.
const (
	unitFP32 = 0x1p-23
	unitTF32 = 0x1p-8
	unitBF16 = 0x1p-5
)

// compare checks all ways to compute a product and measures them.
func (g *gemms) compare(p product) (err error) {
	a, b, c, err := g.operands(p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.free(a), g.free(b), g.stream.Free(c)) }()
	ways := g.ours(p, a, b, c)
	if g.blas != nil {
		ways = append(ways, g.theirs(p, a, b, c)...)
	}
	var subjects []subject
	var failures []error
	result := make([]byte, c.Size())
	for _, way := range ways {
		if err := g.check(p, a, b, c, way, result); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", way.name, err))
			continue
		}
		subjects = append(subjects, subject{
			name: way.name, setting: p.String(), unit: "TFLOP/s", amount: 2e-12 * float64(p.m) * float64(p.n) * float64(p.k),
			run: timed(func(n int) error { return g.repeat(way, n) }), most: queued,
		})
	}
	return errors.Join(append(failures, g.measure(subjects))...)
}

// operands returns the factors and room for the result.
func (g *gemms) operands(p product) (a, b *operand, c gpu.Buffer, err error) {
	rows, columns := p.m, p.k
	if p.transposeA {
		rows, columns = columns, rows
	}
	if a, err = g.operand(1, rows, columns); err != nil {
		return nil, nil, c, err
	}
	rows, columns = p.k, p.n
	if p.transposeB {
		rows, columns = columns, rows
	}
	if b, err = g.operand(2, rows, columns); err != nil {
		return nil, nil, c, errors.Join(err, g.free(a))
	}
	if c, err = g.stream.Alloc(4 * int64(p.m) * int64(p.n)); err != nil {
		return nil, nil, c, errors.Join(err, g.free(a), g.free(b))
	}
	return a, b, c, nil
}

// repeat multiplies n times, and waits.
func (g *gemms) repeat(way way, n int) error {
	for range n {
		if err := way.run(); err != nil {
			return err
		}
	}
	return g.device.Synchronize()
}

// check computes a product once and compares the result.
func (g *gemms) check(p product, a, b *operand, c gpu.Buffer, way way, result []byte) error {
	const nan = 0x7fffffff
	err := g.stream.Fill(c, nan)
	if err == nil {
		err = way.run()
	}
	if err == nil {
		err = g.stream.Download(context.Background(), result, c)
	}
	if err != nil {
		return err
	}
	worst, err := p.wrong(a, b, result, way.unit+float64(p.k)*unitFP32)
	if err != nil {
		return err
	}
	g.add(way.name, p.String(), "relative error", []float64{worst})
	return nil
}

// ours are the ways of package kernels.
func (g *gemms) ours(p product, a, b *operand, c gpu.Buffer) []way {
	q := kernels.GEMM{
		C: kernels.Matrix{Buffer: c, Rows: p.m, Columns: p.n},
		A: kernels.Matrix{Buffer: a.full, Rows: a.rows, Columns: a.columns},
		B: kernels.Matrix{Buffer: b.full, Rows: b.rows, Columns: b.columns},

		TransposeA: p.transposeA, TransposeB: p.transposeB,
	}
	split := g.split(p, 32)
	if split.Slice == 0 {
		split.Slice = pieces * ((p.k + pieces - 1) / pieces)
	}
	tensor := func(precision kernels.Precision) func() error {
		return func() error { return g.set.TensorGEMM(g.stream, q, precision, g.split(p, 64)) }
	}
	return []way{
		{"GEMM", unitFP32, func() error { return g.set.GEMM(g.stream, q) }},
		{"SplitGEMM", unitFP32, func() error { return g.set.SplitGEMM(g.stream, q, split) }},
		{"TensorGEMM tf32", unitTF32, tensor(kernels.TF32)},
		{"TensorGEMM bf16", unitBF16, tensor(kernels.BF16)},
	}
}

// pieces of the inner dimension are multiples of this.
const pieces = 32

// split cuts the inner dimension of a product into so many pieces that there are two
// blocks, of a tile each, for every multiprocessor, but none shorter than four steps of
// the kernels. It is the zero Split if there is nothing to be gained.
func (g *gemms) split(p product, tile int) kernels.Split {
	blocks := ((p.m + tile - 1) / tile) * ((p.n + tile - 1) / tile)
	count := min(2*g.device.Info().Multiprocessors/blocks, p.k/(4*pieces))
	if count < 2 {
		return kernels.Split{}
	}
	slice := (p.k + count - 1) / count
	return kernels.Split{Slice: pieces * ((slice + pieces - 1) / pieces)}
}

// theirs are the ways of cuBLAS.
func (g *gemms) theirs(p product, a, b *operand, c gpu.Buffer) []way {
	full := cublas.Product{
		C: cublas.Matrix{Buffer: c, Rows: p.m, Columns: p.n},
		A: cublas.Matrix{Buffer: a.full, Rows: a.rows, Columns: a.columns},
		B: cublas.Matrix{Buffer: b.full, Rows: b.rows, Columns: b.columns},

		TransposeA: p.transposeA, TransposeB: p.transposeB,
	}
	half := full
	half.A.Buffer, half.A.Type = a.half, cublas.BF16
	half.B.Buffer, half.B.Type = b.half, cublas.BF16
	return []way{
		{"cuBLAS fp32", unitFP32, func() error { return g.blas.Sgemm(full) }},
		{"cuBLAS tf32", unitTF32, func() error { return g.blas.GemmEx(full, cublas.FastTF32) }},
		{"cuBLAS bf16", unitBF16, func() error { return g.blas.GemmEx(full, cublas.FastBF16) }},
		{"cuBLAS, bf16 in memory", unitBF16, func() error { return g.blas.GemmEx(half, cublas.Compute32F) }},
	}
}
