//go:build !noasm

package kernel

import "unsafe"

const (
	// callBytes bounds the packed data that one assembly call reads: at the
	// pace of cold memory 256 KiB are some 25 µs.
	callBytes = 256 << 10
	// callPanels divides the panels of a call of few rows, so that the groups
	// of two and of three that their tiles take come out even.
	callPanels = 6
	// cacheBytes is the packed data that stays in the first level cache while
	// all tiles of a block of rows pass over it.
	cacheBytes = 24 << 10
	// depthBlock bounds the steps of k per call. A longer chain goes on from C.
	depthBlock = callBytes / (callPanels * PanelWidth * 4)
)

// lanes holds 16 set words, then 16 clear ones. A mask of w lanes starts at
// index 16-w.
var lanes = [2 * PanelWidth]int32{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}

// laneMask returns a mask of w lanes, nil for all.
func laneMask(w int) *int32 {
	if w == PanelWidth {
		return nil
	}
	return &lanes[PanelWidth-w]
}

// gemmBlock multiplies a block of rows, a chunk of panels at a time.
func gemmBlock(j *gemmJob) {
	if !useAVX2 {
		gemmBlockGo(j)
		return
	}
	m, k := len(j.offs), j.b.K
	for k0 := 0; k0 == 0 || k0 < k; k0 += depthBlock {
		depth := min(depthBlock, k-k0)
		chunk := panelChunk(m, depth)
		for p := j.p0; p < j.p1; p += chunk {
			end := min(p+chunk, j.p1)
			for i := 0; i < m; {
				rows := tileHeight(m - i)
				j.strip(i, rows, k0, depth, p, end)
				i += rows
			}
		}
	}
}

// panelChunk is how many panels the tiles of m rows visit in turn. Two tiles do
// well with panels from the second level cache, which leaves room for wide
// groups. More tiles want the panels to stay in the first level.
func panelChunk(m, depth int) int {
	size := max(depth, 1) * PanelWidth * 4
	if m <= 2*smallRows {
		return max(1, callBytes/size/callPanels) * callPanels
	}
	return max(2, cacheBytes/size)
}

// tileHeight is the height of the next tile when left rows are left. Six rows
// are best; the exceptions leave no tile of one or two rows behind.
func tileHeight(left int) int {
	switch left {
	case 7:
		return 4
	case 8, 10:
		return 5
	}
	return min(left, smallRows)
}

// strip multiplies rows i to i+rows-1 with panels p to end-1 over depth steps
// from k0.
func (j *gemmJob) strip(i, rows, k0, depth, p, end int) {
	w := tileWidth(rows)
	whole := end
	if j.b.width(end-1) < PanelWidth {
		whole--
	}
	groups := max(0, whole-p) / w
	if groups > 0 {
		j.tile(i, rows, w, k0, depth, p, groups)
		p += groups * w
	}
	if p < end {
		j.tile(i, rows, end-p, k0, depth, p, 1)
	}
}

// tileWidth is the number of panels that a tile of the given height takes at
// once, and one more than the most that a strip may have left over.
func tileWidth(rows int) int {
	switch rows {
	case 1:
		return 4
	case 2, 4:
		return 3
	case 3:
		return 2
	}
	return 1
}

// tile runs the kernel of rows by width panels over groups*width panels from p.
// The last panel of B must be in a group of its own call.
func (j *gemmJob) tile(row, rows, width, k0, k, p, groups int) {
	last := p + groups*width - 1
	a := unsafe.SliceData(j.a[k0:])
	offs := &j.offs[row]
	b := unsafe.SliceData(j.b.Data[(p*j.b.K+k0)*PanelWidth:])
	stride := j.b.K * PanelWidth * 4
	c := &j.c[row*j.ldc+p*PanelWidth]
	ldc := 4 * j.ldc
	mask := laneMask(j.b.width(last))
	acc := 0
	if j.acc || k0 > 0 {
		acc = 1
	}
	var bias *float32
	if j.bias != nil {
		bias = &j.bias[p*PanelWidth]
	}
	switch rows*8 + width {
	case 1*8 + 1:
		gemm1x16(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	case 1*8 + 2:
		gemm1x32(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	case 1*8 + 3:
		gemm1x48(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	case 1*8 + 4:
		gemm1x64(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	case 2*8 + 1:
		gemm2x16(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	case 2*8 + 2:
		gemm2x32(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	case 2*8 + 3:
		gemm2x48(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	case 3*8 + 1:
		gemm3x16(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	case 3*8 + 2:
		gemm3x32(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	case 4*8 + 1:
		gemm4x16(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	case 4*8 + 2:
		gemm4x32(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	case 4*8 + 3:
		gemm4x48(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	case 5*8 + 1:
		gemm5x16(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	case 6*8 + 1:
		gemm6x16(k, a, offs, b, stride, c, ldc, groups, bias, acc, mask)
	}
}
