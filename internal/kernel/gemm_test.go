package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gemmCase is one product with everything it may touch between canaries.
type gemmCase struct {
	m, k, n       int
	lda, ldc, off int
	indirect      bool
	bias, acc     bool
}

// operands returns random operands of the case. The rows of A are shuffled and
// repeated if the case is indirect.
func (tc gemmCase) operands(r *rand.Rand) (a []float32, rows []int32, w []float32, bias []float32) {
	a = randomSlice(r, tc.m*tc.lda+tc.k)
	if tc.indirect {
		rows = make([]int32, tc.m)
		for i := range rows {
			rows[i] = int32(r.IntN(tc.m))
		}
	}
	w = randomSlice(r, tc.k*tc.n)
	if tc.bias {
		bias = randomSlice(r, tc.n)
	}
	return a, rows, w, bias
}

// rowAt is the row of A that the i-th row of a product reads.
func rowAt(a []float32, lda int, rows []int32, i int) []float32 {
	if rows != nil {
		i = int(rows[i])
	}
	return a[i*lda:]
}

// nearDot reports whether got is as near to a dot product summed in float64 as
// float32 allows: each rounding adds half an ulp of a partial sum, which is at
// most magnitude.
func nearDot(got float32, want, magnitude float64, terms int) bool {
	return math.Abs(float64(got)-want) <= float64(terms+2)*magnitude*0x1p-24
}

func (tc gemmCase) run(t *testing.T, r *rand.Rand) {
	a, rows, w, bias := tc.operands(r)
	b := NewPacked(tc.k, tc.n)
	Pack(b, w, tc.n, false)
	start := randomSlice(r, tc.m*tc.ldc)
	c := guard(max(0, (tc.m-1)*tc.ldc+tc.n), tc.off)
	copy(c.data, start)
	Gemm(tc.m, a, tc.lda, rows, b, c.data, tc.ldc, bias, tc.acc)
	c.intact(t)
	for i := range tc.m {
		row := rowAt(a, tc.lda, rows, i)
		for j := range tc.n {
			sum, mag := 0.0, 0.0
			switch {
			case tc.acc:
				sum = float64(start[i*tc.ldc+j])
			case tc.bias:
				sum = float64(bias[j])
			}
			mag = math.Abs(sum)
			for l := range tc.k {
				v := float64(row[l]) * float64(w[l*tc.n+j])
				sum += v
				mag += math.Abs(v)
			}
			if got := c.data[i*tc.ldc+j]; !nearDot(got, sum, mag, tc.k) {
				t.Fatalf("%+v C[%d,%d]: got %g, want %g", tc, i, j, got, sum)
			}
		}
		if i < tc.m-1 {
			gap := i*tc.ldc + tc.n
			require.Equal(t, bits(start[gap:(i+1)*tc.ldc]), bits(c.data[gap:(i+1)*tc.ldc]), "%+v: gap after row %d", tc, i)
		}
	}
}

func TestGemmSmall(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rng(1)
		for m := range 10 {
			for k := 0; k <= 40; k += smallStep {
				for n := 1; n <= 50; n += 1 + r.IntN(4) {
					gemmCase{
						m: m, k: k, n: n, lda: k + r.IntN(3), ldc: n + r.IntN(3), off: r.IntN(8),
						indirect: r.IntN(2) == 0, bias: r.IntN(2) == 0, acc: r.IntN(2) == 0,
					}.run(t, r)
				}
			}
		}
	})
}

func TestGemmLarge(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rng(2)
		rounds := 12
		if raceEnabled {
			rounds = 3
		}
		for range rounds {
			k, n := 1+r.IntN(400), 1+r.IntN(300)
			gemmCase{
				m: 1 + r.IntN(3*rowBlock), k: k, n: n, lda: k, ldc: n, off: r.IntN(8),
				indirect: r.IntN(2) == 0, bias: r.IntN(2) == 0, acc: r.IntN(2) == 0,
			}.run(t, r)
		}
		for _, k := range []int{1023, 1024, 1025, 4096, 9001} {
			gemmCase{m: 1 + r.IntN(8), k: k, n: 21, lda: k, ldc: 21, bias: true}.run(t, r)
		}
	})
}

// TestGemmRowInvariance checks that a row has the same bits alone, in a batch
// of any size, read through indices, and computed panel by panel.
func TestGemmRowInvariance(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rng(3)
		for range 40 {
			m, k, n := 1+r.IntN(40), 1+r.IntN(200), 1+r.IntN(150)
			if r.IntN(5) == 0 {
				k += 2000
			}
			a, b, bias := randomSlice(r, m*k), NewPacked(k, n), randomSlice(r, n)
			Pack(b, randomSlice(r, k*n), n, false)
			acc := r.IntN(2) == 0
			start := randomSlice(r, m*n)

			alone := append([]float32(nil), start...)
			for i := range m {
				Gemm(1, a[i*k:], k, nil, b, alone[i*n:], n, bias, acc)
			}
			batch := append([]float32(nil), start...)
			Gemm(m, a, k, nil, b, batch, n, bias, acc)
			require.Equal(t, bits(alone), bits(batch), "m=%d k=%d n=%d", m, k, n)

			rows, mixed := r.Perm(m), make([]float32, m*n)
			index := make([]int32, m)
			for i, row := range rows {
				index[i] = int32(row)
				copy(mixed[i*n:(i+1)*n], start[row*n:])
			}
			for p := 0; p < b.Panels; {
				end := min(b.Panels, p+1+r.IntN(5))
				GemmPanels(m, a, k, index, b, mixed, n, bias, acc, p, end)
				p = end
			}
			for i, row := range rows {
				require.Equal(t, bits(alone[row*n:(row+1)*n]), bits(mixed[i*n:(i+1)*n]), "m=%d k=%d n=%d", m, k, n)
			}
		}
	})
}

func TestGemmPanelsTouchOnlyTheirColumns(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		const m, k, n = 9, 20, 75
		b, a := randomPacked(k, n), randomMatrix(m, k)
		c := guard(m*n, 0)
		for i := range c.data {
			c.data[i] = canary
		}
		GemmPanels(m, a, k, nil, b, c.data, n, nil, false, 1, 3)
		c.intact(t)
		for i, v := range c.data {
			inside := i%n >= 16 && i%n < 48
			assert.Equal(t, inside, math.Float32bits(v) != math.Float32bits(canary), "element %d", i)
		}
	})
}

// TestGemmNonFinite checks that what IEEE arithmetic makes of NaN and Inf
// reaches exactly the elements that depend on them.
func TestGemmNonFinite(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		const m, k, n = 7, 12, 21
		a, b := randomMatrix(m, k), randomPacked(k, n)
		a[2*k+3] = float32(math.NaN())
		a[4*k+1] = float32(math.Inf(1))
		c := make([]float32, m*n)
		Gemm(m, a, k, nil, b, c, n, nil, false)
		for i, v := range c {
			switch i / n {
			case 2:
				assert.True(t, v != v, "C[%d] = %g", i, v)
			case 4:
				assert.True(t, math.IsInf(float64(v), 0), "C[%d] = %g", i, v)
			default:
				assert.False(t, math.IsNaN(float64(v)) || math.IsInf(float64(v), 0), "C[%d] = %g", i, v)
			}
		}
	})
}

func TestGemmPanicsOnShortOperands(t *testing.T) {
	b := NewPacked(4, 20)
	a, c := make([]float32, 8), make([]float32, 40)
	for name, f := range map[string]func(){
		"A":          func() { Gemm(2, a[:7], 4, nil, b, c, 20, nil, false) },
		"C":          func() { Gemm(2, a, 4, nil, b, c[:39], 20, nil, false) },
		"bias":       func() { Gemm(2, a, 4, nil, b, c, 20, a, false) },
		"index":      func() { Gemm(2, a, 4, []int32{0, 2}, b, c, 20, nil, false) },
		"negative":   func() { Gemm(2, a, 4, []int32{0, -1}, b, c, 20, nil, false) },
		"indices":    func() { Gemm(2, a, 4, []int32{0}, b, c, 20, nil, false) },
		"B":          func() { Gemm(2, a, 4, nil, &Packed{K: 4, N: 20, Panels: 2, Data: c}, c, 20, nil, false) },
		"panels":     func() { GemmPanels(2, a, 4, nil, b, c, 20, nil, false, 1, 3) },
		"ldc":        func() { Gemm(2, a, 4, nil, b, c, 19, nil, false) },
		"TN A":       func() { GemmTN(2, a[:7], 4, nil, c, 20, nil, 4, 20, b, false, 0, 2) },
		"TN B":       func() { GemmTN(2, a, 4, nil, c[:39], 20, nil, 4, 20, b, false, 0, 2) },
		"TN index":   func() { GemmTN(2, a, 4, nil, c, 20, []int32{0, 2}, 4, 20, b, false, 0, 2) },
		"TN G":       func() { GemmTN(2, a, 4, nil, c, 20, nil, 4, 21, b, false, 0, 2) },
		"TN panels":  func() { GemmTN(2, a, 4, nil, c, 20, nil, 4, 20, b, false, 0, 3) },
		"TN G short": func() { GemmTN(2, a, 4, nil, c, 20, nil, 4, 20, &Packed{K: 4, N: 20, Panels: 2, Data: c}, false, 0, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			eachImplementation(t, func(t *testing.T) { assert.Panics(t, f) })
		})
	}
}

func TestGemmAgreesWithPureGo(t *testing.T) {
	const m, k, n = 13, 300, 90
	a, b := randomMatrix(m, k), randomPacked(k, n)
	fast, slow := make([]float32, m*n), make([]float32, m*n)
	Gemm(m, a, k, nil, b, fast, n, nil, false)
	restore := forcePureGo()
	Gemm(m, a, k, nil, b, slow, n, nil, false)
	restore()
	assert.InDeltaSlice(t, slow, fast, 1e-4)
}

func TestGemmDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool drop items at random")
	}
	eachImplementation(t, func(t *testing.T) {
		const m, k, n = 20, 30, 40
		a, b, c := randomMatrix(m, k), randomPacked(k, n), make([]float32, m*n)
		g := NewPacked(k, n)
		rows := make([]int32, m)
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			Gemm(m, a, k, rows, b, c, n, nil, false)
			Gemm(3, a, k, rows, b, c, n, nil, false)
			GemmTN(m, a, k, rows, c, n, rows, k, n, g, false, 0, g.Panels)
		}))
	})
}
