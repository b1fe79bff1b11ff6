package ops

import "github.com/frondml/frond/ops/internal/kernel"

// Packed is a matrix in the layout that products read; see [Gemm].
type Packed = kernel.Packed

// NewPacked returns a zero matrix [k n].
func NewPacked(k, n int) *Packed { return kernel.NewPacked(k, n) }

// Pack fills dst from the row-major matrix b [K N], or [N K] when trans.
func Pack(dst *Packed, b []float32, ldb int, trans bool) { kernel.Pack(dst, b, ldb, trans) }

// Gemm computes C[m N] (= or, when acc, +=) A[m K]·B (+ bias[N] unless acc), where
// row i of A is a[rows[i]*lda:], or a[i*lda:] without rows, and row i of C is
// c[i*ldc:]. A row of C has the same bits whatever m is.
func Gemm(m int, a []float32, lda int, rows []int32, b *Packed, c []float32, ldc int, bias []float32, acc bool) {
	kernel.Gemm(m, a, lda, rows, b, c, ldc, bias, acc)
}

// GemmTN computes panels p0 to p1 of G[k n] (= or, when acc, +=) Aᵀ·B for A [m k]
// and B [m n], with rows chosen by arows and brows when given.
func GemmTN(m int, a []float32, lda int, arows []int32, b []float32, ldb int, brows []int32, k, n int, g *Packed, acc bool, p0, p1 int) {
	kernel.GemmTN(m, a, lda, arows, b, ldb, brows, k, n, g, acc, p0, p1)
}

// AddTo adds x to dst, which has at least the same length.
func AddTo(dst, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += v
	}
}
