package kernel

import "sync"

const (
	// stepBlock is how many rows of A and B are contracted per pass over G: a
	// packed panel of that many rows and the strip of A beside it share the
	// first level cache.
	stepBlock = 192
	// panelBlock is how many panels of B are packed together, so that a row of
	// B is read in runs longer than a cache line.
	panelBlock = 4
)

// gemmTNScratch is what a call of GemmTN needs beside its operands.
type gemmTNScratch struct {
	offs   [stepBlock]int
	panels []float32 // panelBlock packed panels of stepBlock rows
}

var gemmTNPool = sync.Pool{New: func() any {
	return &gemmTNScratch{panels: Aligned(panelBlock * stepBlock * PanelWidth)}
}}

// GemmTN computes G = Aᵀ·B, or G += Aᵀ·B if acc, for A [m k], B [m n] and
// G [k n]: the gradient of a weight from all rows of a step at once. Row i of A
// starts at a[i*lda], or at a[arows[i]*lda] if arows is not nil; likewise B.
// Only panels p0 to p1-1 of g are written, so that workers can share the
// product; their lanes beyond column n become zero.
//
// Each element of G is one chain of fused multiply-adds in the order of the
// rows that starts from zero or from G: its bits depend on the rows and their
// order only.
func GemmTN(m int, a []float32, lda int, arows []int32, b []float32, ldb int, brows []int32, k, n int, g *Packed, acc bool, p0, p1 int) {
	if g.K != k || g.N != n || p0 < 0 || p1 > g.Panels || g.Panels*PanelWidth < n {
		panic("kernel: GemmTN: G has other dimensions or fewer panels")
	}
	need(g.Data, p1*k*PanelWidth)
	if p0 >= p1 {
		return
	}
	if m == 0 {
		if !acc {
			clear(g.Data[p0*k*PanelWidth : p1*k*PanelWidth])
		}
		return
	}
	s := gemmTNPool.Get().(*gemmTNScratch)
	for i := 0; i < m; i += stepBlock {
		offs := s.offs[:min(stepBlock, m-i)]
		for p := p0; p < p1; p += panelBlock {
			end := min(p+panelBlock, p1)
			rowOffsets(offs, b, ldb, brows, i, n)
			packStep(s.panels, b, offs, g, p, end)
			rowOffsets(offs, a, lda, arows, i, k)
			for q := p; q < end; q++ {
				panel := s.panels[(q-p)*len(offs)*PanelWidth:]
				gemmTNPanel(g.panel(q), k, a, offs, panel, g.width(q), acc || i > 0)
			}
		}
	}
	gemmTNPool.Put(s)
}

// packStep copies the columns of panels p to end-1 of the rows of B at byte
// offsets offs into panels of len(offs) rows.
func packStep(dst, b []float32, offs []int, g *Packed, p, end int) {
	for q := p; q < end; q++ {
		panel, w := dst[(q-p)*len(offs)*PanelWidth:], g.width(q)
		for l, off := range offs {
			src := b[off/4+q*PanelWidth : off/4+q*PanelWidth+w]
			row := (*[PanelWidth]float32)(panel[l*PanelWidth:])
			if w == PanelWidth {
				*row = [PanelWidth]float32(src)
				continue
			}
			clear(row[copy(row[:], src):])
		}
	}
}
