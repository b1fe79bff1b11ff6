//go:build linux && (amd64 || arm64)

package cublas_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cublas"
)

// way is a way to compute a product, with the error of a factor that it may make.
type way struct {
	name    string
	kind    cublas.Type
	compute cublas.Compute // 0 for Sgemm
	unit    float64
}

var ways = []way{
	{"sgemm", cublas.F32, 0, 0x1p-23}, {"f32", cublas.F32, cublas.Compute32F, 0x1p-23},
	{"tf32", cublas.F32, cublas.FastTF32, 0x1p-10}, {"f32 as bf16", cublas.F32, cublas.FastBF16, 0x1p-7},
	{"bf16", cublas.BF16, cublas.Compute32F, 0x1p-23},
}

// operand is a matrix with gaps between its rows, on the device and on the host.
type operand struct {
	cublas.Matrix
	host []float32
}

func (r *rig) operand(seed uint64, rows, columns int, transposed bool, kind cublas.Type) operand {
	if transposed {
		rows, columns = columns, rows
	}
	stride := columns + 3
	x := random(seed, max(1, rows*stride))
	m := cublas.Matrix{Rows: rows, Columns: columns, Stride: stride, Type: kind}
	if kind == cublas.F32 {
		m.Buffer = put(r, x)
		return operand{m, x}
	}
	halves := make([]uint16, len(x))
	for i := range x {
		halves[i] = uint16(math.Float32bits(x[i]) >> 16)
		x[i] = math.Float32frombits(uint32(halves[i]) << 16)
	}
	m.Buffer = put(r, halves)
	return operand{m, x}
}

// at returns element (i, j) of the operand or its transpose.
func (o *operand) at(i, j int, transposed bool) float64 {
	if transposed {
		i, j = j, i
	}
	return float64(o.host[i*o.Stride+j])
}

func TestProducts(t *testing.T) {
	r := setUp(t)
	h := r.handle()
	for _, way := range ways {
		for _, shape := range [][3]int{{1, 1, 1}, {7, 5, 33}, {4, 6, 0}, {0, 3, 2}, {3, 0, 2}} {
			for options := range 8 {
				t.Run(fmt.Sprint(way.name, shape, options), func(t *testing.T) {
					r := &rig{T: t, stream: r.stream}
					r.compare(h, way, shape, options&1 != 0, options&2 != 0, options&4 != 0)
				})
			}
		}
	}
}

// compare compares a product with its definition in float64. The error of a sum is
// bounded by that of its terms.
func (r *rig) compare(h *cublas.Handle, way way, shape [3]int, transposeA, transposeB, accumulate bool) {
	m, n, k := shape[0], shape[1], shape[2]
	a, b := r.operand(1, m, k, transposeA, way.kind), r.operand(2, k, n, transposeB, way.kind)
	c := r.operand(3, m, n, false, cublas.F32)
	p := cublas.Product{C: c.Matrix, A: a.Matrix, B: b.Matrix, TransposeA: transposeA, TransposeB: transposeB, Accumulate: accumulate}
	if way.compute == 0 {
		require.NoError(r, h.Sgemm(p))
	} else {
		require.NoError(r, h.GemmEx(p, way.compute))
	}
	got := r.get(c.Buffer)
	for i := range m {
		for j := range c.Stride {
			before := float64(c.host[i*c.Stride+j])
			if j >= n {
				require.EqualValues(r, before, got[i*c.Stride+j], "the gap behind row %d", i)
				continue
			}
			want, terms := 0.0, 0.0
			if accumulate {
				want, terms = before, math.Abs(before)
			}
			for l := range k {
				term := a.at(i, l, transposeA) * b.at(l, j, transposeB)
				want, terms = want+term, terms+math.Abs(term)
			}
			require.InDelta(r, want, got[i*c.Stride+j], 2*way.unit*terms+float64(k)*0x1p-24*terms, "element %d %d", i, j)
		}
	}
}

// Products are ordered and checked like other work of their stream.
func TestProductsAreWorkOfTheStream(t *testing.T) {
	r := setUp(t)
	h := r.handle()
	one := cublas.Matrix{Buffer: put(r, []float32{3}), Rows: 1, Columns: 1}
	c := cublas.Matrix{Buffer: put(r, []float32{0}), Rows: 1, Columns: 1}
	for range 3 {
		require.NoError(t, h.Sgemm(cublas.Product{C: c, A: one, B: one, Accumulate: true}))
		require.NoError(t, r.stream.Copy(one.Buffer, c.Buffer))
	}
	require.EqualValues(t, 8190, r.get(c.Buffer)[0], "9, then 9+81, then 90+8100")

	other, err := r.device.NewStream()
	require.NoError(t, err)
	require.NoError(t, h.Sgemm(cublas.Product{C: c, A: one, B: one}))
	require.ErrorIs(t, other.Fill(one.Buffer, 0), gpu.ErrRace)
}

func TestProductsThatAreRefused(t *testing.T) {
	r := setUp(t)
	h := r.handle()
	matrix := func(rows, columns int) cublas.Matrix {
		return cublas.Matrix{Buffer: put(r, make([]float32, rows*columns)), Rows: rows, Columns: columns}
	}
	good := cublas.Product{C: matrix(2, 3), A: matrix(2, 4), B: matrix(4, 3)}
	for message, change := range map[string]func(p *cublas.Product){
		"[2 4] times [3 4] into [2 3]":                            func(p *cublas.Product) { p.TransposeB = true; p.B.Rows, p.B.Columns = 4, 3 },
		"B is [4 3] with a stride of 5, which are 72 bytes":       func(p *cublas.Product) { p.B.Stride = 5 },
		"A is [2 4] with a stride of 3":                           func(p *cublas.Product) { p.A.Stride = 3 },
		"C is [-2 3] with a stride of 3":                          func(p *cublas.Product) { p.C.Rows = -2 },
		"types are C 0, A 14, B 0; want C F32":                    func(p *cublas.Product) { p.A.Type = cublas.BF16 },
		"A is of type 7, want F32 or BF16":                        func(p *cublas.Product) { p.A.Type = 7 },
		"C is [2 3] with a stride of 3, which are 24 bytes, in a": func(p *cublas.Product) { p.C.Buffer = p.C.Buffer.Slice(0, 20) },
	} {
		p := good
		change(&p)
		err := h.GemmEx(p, cublas.Compute32F)
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
	p := good
	p.A.Type, p.B.Type = cublas.BF16, cublas.BF16
	require.ErrorIs(t, h.Sgemm(p), gpu.ErrArgument)
	require.NoError(t, h.GemmEx(good, cublas.Compute32F), "nothing of this harms the handle")
	require.NoError(t, h.Close())
	require.ErrorIs(t, h.Sgemm(good), gpu.ErrClosed)
}
