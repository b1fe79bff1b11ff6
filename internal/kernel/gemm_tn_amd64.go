//go:build !noasm

package kernel

import "unsafe"

// tnSteps bounds the steps of one call of a gemmTN kernel, of six cycles each.
const tnSteps = 12 << 10

// gemmTNPanel computes one panel of G, k rows of w columns, from the rows of A
// at byte offsets offs and a packed panel of as many rows of B.
func gemmTNPanel(dst []float32, k int, a []float32, offs []int, panel []float32, w int, acc bool) {
	if !useAVX2 {
		gemmTNPanelGo(dst, k, a, offs, panel, w, acc)
		return
	}
	most := max(1, tnSteps/len(offs))
	i := 0
	for i+smallRows <= k {
		tiles := min(most, (k-i)/smallRows)
		gemmTNTiles(smallRows, dst[i*PanelWidth:], a[i:], offs, panel, tiles, w, acc)
		i += tiles * smallRows
	}
	if i < k {
		gemmTNTiles(k-i, dst[i*PanelWidth:], a[i:], offs, panel, 1, w, acc)
	}
}

// gemmTNTiles runs the kernel of the given height over tiles tiles.
func gemmTNTiles(rows int, dst, a []float32, offs []int, panel []float32, tiles, w int, acc bool) {
	m := len(offs)
	pa, po := unsafe.SliceData(a), &offs[0]
	pb, pg := &panel[:m*PanelWidth][0], &dst[:rows*tiles*PanelWidth][0]
	mask := laneMask(w)
	flag := 0
	if acc {
		flag = 1
	}
	switch rows {
	case 1:
		gemmTN1(m, pa, po, pb, pg, tiles, flag, mask)
	case 2:
		gemmTN2(m, pa, po, pb, pg, tiles, flag, mask)
	case 3:
		gemmTN3(m, pa, po, pb, pg, tiles, flag, mask)
	case 4:
		gemmTN4(m, pa, po, pb, pg, tiles, flag, mask)
	case 5:
		gemmTN5(m, pa, po, pb, pg, tiles, flag, mask)
	case 6:
		gemmTN6(m, pa, po, pb, pg, tiles, flag, mask)
	}
}
