package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// gemmTNCase is one weight gradient.
type gemmTNCase struct {
	m, k, n    int
	lda, ldb   int
	ai, bi     bool
	acc        bool
	panelSplit bool
}

func (tc gemmTNCase) run(t *testing.T, r *rand.Rand) {
	index := func(on bool) []int32 {
		if !on {
			return nil
		}
		rows := make([]int32, tc.m)
		for i := range rows {
			rows[i] = int32(r.IntN(tc.m))
		}
		return rows
	}
	a, b := randomSlice(r, tc.m*tc.lda), randomSlice(r, tc.m*tc.ldb)
	arows, brows := index(tc.ai), index(tc.bi)
	start := randomSlice(r, tc.k*tc.n)
	g := NewPacked(tc.k, tc.n)
	box := guard(len(g.Data), 0)
	g.Data = box.data
	Pack(g, start, tc.n, false)
	tc.product(a, arows, b, brows, g, r)
	box.intact(t)

	got := make([]float32, tc.k*tc.n)
	g.Unpack(got, tc.n, false)
	for i := range tc.k {
		for j := range tc.n {
			sum := 0.0
			if tc.acc {
				sum = float64(start[i*tc.n+j])
			}
			mag := math.Abs(sum)
			for l := range tc.m {
				v := float64(rowAt(a, tc.lda, arows, l)[i]) * float64(rowAt(b, tc.ldb, brows, l)[j])
				sum += v
				mag += math.Abs(v)
			}
			if v := got[i*tc.n+j]; !nearDot(v, sum, mag, tc.m) {
				t.Fatalf("%+v G[%d,%d]: got %g, want %g", tc, i, j, v, sum)
			}
		}
	}
	zeroPadding(t, g)
}

func (tc gemmTNCase) product(a []float32, arows []int32, b []float32, brows []int32, g *Packed, r *rand.Rand) {
	for p := 0; p < g.Panels; {
		end := g.Panels
		if tc.panelSplit {
			end = min(end, p+1+r.IntN(3))
		}
		GemmTN(tc.m, a, tc.lda, arows, b, tc.ldb, brows, tc.k, tc.n, g, tc.acc, p, end)
		p = end
	}
}

// zeroPadding checks the lanes beyond the last column.
func zeroPadding(t *testing.T, b *Packed) {
	t.Helper()
	for p := range b.Panels {
		for i, v := range b.panel(p) {
			if i%PanelWidth >= b.width(p) && math.Float32bits(v) != 0 {
				t.Fatalf("padding lane %d of panel %d is %g", i, p, v)
			}
		}
	}
}

func TestGemmTNSmall(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rng(4)
		for m := range 10 {
			for k := 1; k <= 40; k += smallStep {
				for n := 1; n <= 50; n += 1 + r.IntN(6) {
					gemmTNCase{
						m: m, k: k, n: n, lda: k + r.IntN(3), ldb: n + r.IntN(3),
						ai: r.IntN(2) == 0, bi: r.IntN(2) == 0, acc: r.IntN(2) == 0, panelSplit: r.IntN(2) == 0,
					}.run(t, r)
				}
			}
		}
	})
}

func TestGemmTNLarge(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rng(5)
		for range 8 {
			k, n := 1+r.IntN(300), 1+r.IntN(200)
			gemmTNCase{
				m: 1 + r.IntN(3*stepBlock), k: k, n: n, lda: k, ldb: n,
				ai: r.IntN(2) == 0, bi: r.IntN(2) == 0, acc: r.IntN(2) == 0, panelSplit: r.IntN(2) == 0,
			}.run(t, r)
		}
	})
}

// TestGemmTNDeterministic checks that G depends on the rows and their order
// only: not on where they lie, on the panels per call, or on how rows are
// split over calls that accumulate.
func TestGemmTNDeterministic(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rng(6)
		const m, k, n = 500, 31, 70
		a, b := randomSlice(r, m*k), randomSlice(r, m*n)
		want := NewPacked(k, n)
		GemmTN(m, a, k, nil, b, n, nil, k, n, want, false, 0, want.Panels)

		perm := r.Perm(m)
		sa, sb, rows := make([]float32, m*k), make([]float32, m*n), make([]int32, m)
		for i, p := range perm {
			rows[i] = int32(p)
			copy(sa[p*k:(p+1)*k], a[i*k:])
			copy(sb[p*n:(p+1)*n], b[i*n:])
		}
		got := NewPacked(k, n)
		for i := 0; i < m; {
			end := min(m, i+1+r.IntN(250))
			for p := range got.Panels {
				GemmTN(end-i, sa, k, rows[i:end], sb, n, rows[i:end], k, n, got, i > 0, p, p+1)
			}
			i = end
		}
		require.Equal(t, bits(want.Data), bits(got.Data))
	})
}

func TestGemmTNKeepsPaddingZeroForNonFiniteRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		const m, k, n = 5, 13, 19
		a, b := randomMatrix(m, k), randomMatrix(m, n)
		a[3] = float32(math.Inf(1))
		a[7] = float32(math.NaN())
		g := NewPacked(k, n)
		GemmTN(m, a, k, nil, b, n, nil, k, n, g, false, 0, g.Panels)
		zeroPadding(t, g)
		GemmTN(m, a, k, nil, b, n, nil, k, n, g, true, 0, g.Panels)
		zeroPadding(t, g)
	})
}
