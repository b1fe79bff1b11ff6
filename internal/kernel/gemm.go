package kernel

// rowBlock is how many rows of A are multiplied with a panel of B before the
// next panel: the block of A must stay in the second level cache while all
// panels pass.
const rowBlock = 96

// Gemm computes C = A·B + bias, or C += A·B if acc, for A [m K], B [K N] and
// C [m N]. Row i of A starts at a[i*lda], or at a[rows[i]*lda] if rows is not
// nil; row i of C starts at c[i*ldc] and only its first N floats are touched.
// bias [N] may be nil and is ignored if acc. C must not overlap A, B or bias.
//
// Each element of C is one chain of fused multiply-adds in the order of k that
// starts from the bias, from zero or from C.
func Gemm(m int, a []float32, lda int, rows []int32, b *Packed, c []float32, ldc int, bias []float32, acc bool) {
	GemmPanels(m, a, lda, rows, b, c, ldc, bias, acc, 0, b.Panels)
}

// GemmPanels is [Gemm] restricted to the columns of panels p0 to p1-1 of B, so
// that workers can share a product. bias and C are those of the whole product.
func GemmPanels(m int, a []float32, lda int, rows []int32, b *Packed, c []float32, ldc int, bias []float32, acc bool, p0, p1 int) {
	if m == 0 || p0 >= p1 {
		return
	}
	job := gemmJob{a: a, b: b, c: c, ldc: ldc, acc: acc, p0: p0, p1: p1}
	if !acc && bias != nil {
		need(bias, b.N)
		job.bias = bias
	}
	job.check(m)
	if m <= smallRows {
		var offs [smallRows]int
		rowOffsets(offs[:m], a, lda, rows, 0, b.K)
		job.offs = offs[:m]
		gemmBlock(&job)
		return
	}
	gemmBlocks(job, m, lda, rows)
}

// smallRows is the height of the tallest register tile. Up to it a product is
// one pass over B, and setting up a whole block of offsets would be felt.
const smallRows = 6

func gemmBlocks(job gemmJob, m, lda int, rows []int32) {
	var offs [rowBlock]int
	a, c := job.a, job.c
	for i := 0; i < m; i += rowBlock {
		n := min(rowBlock, m-i)
		rowOffsets(offs[:n], a, lda, rows, i, job.b.K)
		job.offs = offs[:n]
		job.c = c[i*job.ldc:]
		gemmBlock(&job)
	}
}

// gemmJob is a product of a block of rows whose bounds have been checked: the
// rows of A are the K floats at byte offsets offs of a.
type gemmJob struct {
	a      []float32
	offs   []int
	b      *Packed
	c      []float32
	ldc    int
	bias   []float32
	acc    bool
	p0, p1 int
}

// check panics unless C has m rows of N floats and the panels exist.
func (j *gemmJob) check(m int) {
	b := j.b
	need(b.Data, b.Panels*b.K*PanelWidth)
	if j.p0 < 0 || j.p1 > b.Panels || b.Panels*PanelWidth < b.N {
		panic("kernel: Gemm: panel out of range")
	}
	if m > 1 && j.ldc < b.N {
		panic("kernel: Gemm: rows of C overlap")
	}
	need(j.c, (m-1)*j.ldc+b.N)
}

// rowOffsets sets offs[i] to the byte offset of row first+i of A in a, where a
// row is k floats.
func rowOffsets(offs []int, a []float32, lda int, rows []int32, first, k int) {
	if rows == nil {
		need(a, (first+len(offs)-1)*lda+k)
		for i := range offs {
			offs[i] = 4 * (first + i) * lda
		}
		return
	}
	for i, r := range rows[first : first+len(offs)] {
		start := int(r) * lda
		if start < 0 || start+k > len(a) {
			panic("kernel: row index out of range")
		}
		offs[i] = 4 * start
	}
}
