package kernels_test

import (
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// product is op(A) op(B) in float64, with rows of A by an index, and the sum of the
// absolute values of what was added, by which errors are measured.
func product(a, b func(row, column int) float64, m, n, k int) (sum, size []float64) {
	sum, size = make([]float64, m*n), make([]float64, m*n)
	for i := range m {
		for j := range n {
			for l := range k {
				sum[i*n+j] += a(i, l) * b(l, j)
				size[i*n+j] += math.Abs(a(i, l) * b(l, j))
			}
		}
	}
	return sum, size
}

// at returns the element function of a matrix in memory.
func at(x []float32, stride int, transposed bool, index []int32) func(row, column int) float64 {
	return func(row, column int) float64 {
		if transposed {
			row, column = column, row
		}
		if index != nil {
			row = int(index[row])
		}
		if row < 0 {
			return 0
		}
		return float64(x[row*stride+column])
	}
}

func TestGEMM(t *testing.T) {
	r := setUp(t, "")
	for _, shape := range [][3]int{{1, 1, 1}, {64, 64, 16}, {65, 66, 17}, {3, 130, 40}, {70, 5, 33}, {4, 4, 0}} {
		for _, transposed := range [][2]bool{{false, false}, {false, true}, {true, false}, {true, true}} {
			t.Run(fmt.Sprintf("%v %v", shape, transposed), func(t *testing.T) {
				r := &rig{t, r.device, r.stream, r.set}
				r.gemm(shape[0], shape[1], shape[2], transposed, false, false, false)
			})
		}
	}
	for options := range 8 {
		r.gemm(20, 30, 21, [2]bool{options%2 == 0, false}, options&1 != 0, options&2 != 0, options&4 != 0)
	}
}

// gemm compares one product with the sum in float64.
func (r *rig) gemm(m, n, k int, transposed [2]bool, accumulate, biased, indexed bool) {
	r.Helper()
	extents := func(rows, columns int, t bool) kernels.Matrix {
		if t {
			rows, columns = columns, rows
		}
		return kernels.Matrix{Rows: rows, Columns: columns, Stride: columns + 3}
	}
	a, b, c := extents(m, k, transposed[0]), extents(k, n, transposed[1]), extents(m, n, false)
	var index []int32
	p := kernels.GEMM{TransposeA: transposed[0], TransposeB: transposed[1], Accumulate: accumulate}
	if indexed {
		index = indices(7, a.Rows, 9)
		p.Index, p.IndexLength = put(r, index), len(index)
		a.Rows = 9
	}
	x, y, z := random(1, max(1, a.Rows*a.Stride)), random(2, max(1, b.Rows*b.Stride)), random(3, m*c.Stride)
	a.Buffer, b.Buffer, c.Buffer = put(r, x), put(r, y), put(r, z)
	bias := random(4, n)
	if biased {
		p.Bias = put(r, bias)
	}
	p.A, p.B, p.C = a, b, c
	require.NoError(r, r.set.GEMM(r.stream, p))

	sum, size := product(at(x, a.Stride, transposed[0], index), at(y, b.Stride, transposed[1], nil), m, n, k)
	for i := range sum {
		if accumulate {
			sum[i] += float64(z[i/n*c.Stride+i%n])
			size[i] += math.Abs(float64(z[i/n*c.Stride+i%n]))
		}
		if biased {
			sum[i] += float64(bias[i%n])
			size[i] += math.Abs(float64(bias[i%n]))
		}
	}
	r.compare(c, z, sum, size, k)
}

// compare compares a matrix with sums in float64, and what lies between its rows with
// what was there before.
func (r *rig) compare(c kernels.Matrix, before []float32, sum, size []float64, k int) {
	r.Helper()
	for i, v := range r.get(c.Buffer) {
		row, column := i/c.Stride, i%c.Stride
		if column >= c.Columns {
			require.Equal(r, before[i], v, "what is between the rows stays")
			continue
		}
		at := row*c.Columns + column
		require.InDelta(r, sum[at], v, size[at]*float64(k+2)*0x1p-24, "row %d, column %d", row, column)
	}
}

// The bits of a row do not depend on the rows beside it.
func TestGEMMRowsDoNotDependOnTheBatch(t *testing.T) {
	r := setUp(t, "")
	const m, n, k = 70, 20, 50
	a := kernels.Matrix{Buffer: put(r, random(1, m*k)), Rows: m, Columns: k}
	b := kernels.Matrix{Buffer: put(r, random(2, k*n)), Rows: k, Columns: n}
	c := kernels.Matrix{Buffer: put(r, make([]float32, m*n)), Rows: m, Columns: n}
	require.NoError(t, r.set.GEMM(r.stream, kernels.GEMM{A: a, B: b, C: c}))
	whole := r.get(c.Buffer)
	for _, rows := range [][2]int{{0, 1}, {5, 9}, {63, 70}} {
		low, high := rows[0], rows[1]
		part := kernels.Matrix{Buffer: a.Buffer.Slice(int64(4*low*k), int64(4*high*k)), Rows: high - low, Columns: k}
		out := kernels.Matrix{Buffer: put(r, make([]float32, (high-low)*n)), Rows: high - low, Columns: n}
		require.NoError(t, r.set.GEMM(r.stream, kernels.GEMM{A: part, B: b, C: out}))
		require.Equal(t, whole[low*n:high*n], r.get(out.Buffer))
	}
}

// Products of many rows have larger tiles. Their rows have the same bits, down to the
// sign of a zero.
func TestGEMMTilesHaveTheSameBits(t *testing.T) {
	r := setUp(t, "")
	const n = 3
	few, many := 20, 64*(r.device.Info().Multiprocessors-1)+1
	zero := float32(math.Copysign(0, -1))
	for i, k := range []int{17, 48} {
		x, bias := random(1, many*k), put(r, []float32{zero, zero, zero})
		for i := range k {
			x[i] = zero
		}
		positive := random(2, k*n) // so that the zeros stay negative
		for i, v := range positive {
			positive[i] = max(v, -v)
		}
		b := kernels.Matrix{Buffer: put(r, positive), Rows: k, Columns: n}
		if i == 1 {
			b.Rows, b.Columns = n, k
		}
		product := func(m int) []float32 {
			p := kernels.GEMM{
				A: kernels.Matrix{Buffer: put(r, x[:m*k]), Rows: m, Columns: k}, B: b, TransposeB: i == 1,
				C: kernels.Matrix{Buffer: put(r, make([]float32, m*n)), Rows: m, Columns: n}, Bias: bias,
			}
			require.NoError(t, r.set.GEMM(r.stream, p))
			return r.get(p.C.Buffer)
		}
		large := product(many)
		require.Equal(t, bitsOf(large[:few*n]), bitsOf(product(few)))
		y := r.get(b.Buffer)
		sum, size := product64(x[len(x)-k:], y, n, k, i == 1)
		for j, v := range large[(many-1)*n:] {
			require.InDelta(t, sum[j], v, size[j]*float64(k+2)*0x1p-24)
		}
	}
}

// product64 is the product of one row with a matrix.
func product64(x, y []float32, n, k int, transposed bool) (sum, size []float64) {
	stride := n
	if transposed {
		stride = k
	}
	return product(at(x, k, false, nil), at(y, stride, transposed, nil), 1, n, k)
}

func bitsOf(x []float32) (bits []uint32) {
	for _, v := range x {
		bits = append(bits, math.Float32bits(v))
	}
	return bits
}

// A row that is repeated is as good as as many equal ones.
func TestGEMMOfRepeatedRows(t *testing.T) {
	r := setUp(t, "")
	const m, n, k = 5, 7, 20
	x, y := random(1, k), random(2, k*n)
	p := kernels.GEMM{
		A: kernels.Matrix{Buffer: put(r, x), Rows: m, Columns: k, Repeated: true},
		B: kernels.Matrix{Buffer: put(r, y), Rows: k, Columns: n}, C: r.empty(m, n),
	}
	require.NoError(t, r.set.GEMM(r.stream, p))
	sum, size := product64(x, y, n, k, false)
	for i, v := range r.dense(p.C) {
		require.InDelta(t, sum[i%n], v, size[i%n]*float64(k+2)*0x1p-24)
	}
}

func TestGEMMRefusesShapes(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 12))
	matrix := func(rows, columns int) kernels.Matrix { return kernels.Matrix{Buffer: b, Rows: rows, Columns: columns} }
	for message, p := range map[string]kernels.GEMM{
		"[3 4] times [3 4] into f32[3 4]":                     {A: matrix(3, 4), B: matrix(3, 4), C: matrix(3, 4)},
		"[4 3] times [3 4] into f32[3 4]":                     {A: matrix(3, 4), TransposeA: true, B: matrix(3, 4), C: matrix(3, 4)},
		"C is f32[4 4] with a stride of 4":                    {A: matrix(4, 3), B: matrix(3, 4), C: matrix(4, 4)},
		"A is f32[-1 4]":                                      {A: matrix(-1, 4)},
		"B is f32[1 4] with a stride of 2":                    {B: kernels.Matrix{Buffer: b, Rows: 1, Columns: 4, Stride: 2}},
		"Bias has 4 bytes, want 2 words":                      {A: matrix(2, 2), B: matrix(2, 2), C: matrix(2, 2), Bias: b.Slice(0, 4)},
		"Index has 4 bytes, want 2 words":                     {A: matrix(2, 2), B: matrix(2, 2), C: matrix(2, 2), Index: b.Slice(0, 4), IndexLength: 2},
		"which are 4611686014132420609 elements, in a buffer": {A: matrix(2, 1), B: matrix(1, 2), C: kernels.Matrix{Buffer: b, Rows: math.MaxInt32, Columns: math.MaxInt32}},
	} {
		err := r.set.GEMM(r.stream, p)
		require.ErrorIs(t, err, gpu.ErrArgument, message)
		require.ErrorContains(t, err, message)
	}
}

func TestIndexOutsideOfTableIsAFault(t *testing.T) {
	if os.Getenv("FROND_GPU_LIBRARY") != "" {
		t.Skip("a real device is lost for the whole process")
	}
	for name, run := range map[string]func(r *rig, table, out kernels.Matrix, index gpu.Buffer) error{
		"gather": func(r *rig, table, out kernels.Matrix, index gpu.Buffer) error {
			return r.set.GatherRows(r.stream, out, table, index)
		},
		"scatter": func(r *rig, table, out kernels.Matrix, index gpu.Buffer) error {
			return r.set.ScatterAddRows(r.stream, table, out, index)
		},
		"gemm": func(r *rig, table, out kernels.Matrix, index gpu.Buffer) error {
			square := kernels.Matrix{Buffer: put(r, make([]float32, 4)), Rows: 2, Columns: 2}
			return r.set.GEMM(r.stream, kernels.GEMM{A: table, Index: index, IndexLength: 1, B: square, C: out})
		},
	} {
		r := setUp(t, "")
		table := kernels.Matrix{Buffer: put(r, make([]float32, 6)), Rows: 3, Columns: 2}
		out := kernels.Matrix{Buffer: put(r, make([]float32, 2)), Rows: 1, Columns: 2}
		require.NoError(t, run(r, table, out, put(r, []int32{3})), name)
		require.ErrorIs(t, r.stream.Download(ctx, make([]byte, 8), out.Buffer), gpu.ErrKernel, name)
	}
}
