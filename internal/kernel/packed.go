package kernel

// PanelWidth is the number of columns of a panel of a [Packed] matrix.
const PanelWidth = 16

// Packed is a matrix B [K N] stored in column panels, the order in which a
// product reads it: panel p holds columns 16p to 16p+15, and B[k, n] is
// Data[(p*K+k)*16+j] with p = n/16, j = n%16. The lanes of the last panel
// beyond column N are zero.
//
// Element-wise updates may treat Data as one flat vector: weights, gradients
// and optimiser state of one matrix share the layout.
type Packed struct {
	K, N   int
	Panels int       // ceil(N / 16)
	Data   []float32 // Panels * K * 16 floats, cache-line aligned for speed
}

// NewPacked returns a zero matrix [k n].
func NewPacked(k, n int) *Packed {
	panels := (n + PanelWidth - 1) / PanelWidth
	return &Packed{K: k, N: n, Panels: panels, Data: Aligned(panels * k * PanelWidth)}
}

// panel returns the K*16 floats of panel p.
func (b *Packed) panel(p int) []float32 {
	size := b.K * PanelWidth
	return b.Data[p*size : (p+1)*size : (p+1)*size]
}

// width is the number of columns of panel p, 16 for all but the last.
func (b *Packed) width(p int) int { return min(PanelWidth, b.N-p*PanelWidth) }

// Pack fills dst, whose K, N and Data are set, from the row-major matrix b with
// row stride ldb: b is [K N], or [N K] if trans, when dst becomes bᵀ.
func Pack(dst *Packed, b []float32, ldb int, trans bool) {
	if dst.K == 0 {
		return
	}
	for p := range dst.Panels {
		if trans {
			packColumns(dst.panel(p), b[p*PanelWidth*ldb:], ldb, dst.K, dst.width(p))
		} else {
			packRows(dst.panel(p), b[p*PanelWidth:], ldb, dst.K, dst.width(p))
		}
	}
}

// packRows copies k rows of w floats into a panel.
func packRows(panel, b []float32, ldb, k, w int) {
	if w == PanelWidth {
		for i := range k {
			*(*[PanelWidth]float32)(panel[i*PanelWidth:]) = [PanelWidth]float32(b[i*ldb:])
		}
		return
	}
	for i := range k {
		row := panel[i*PanelWidth : (i+1)*PanelWidth]
		copy(row, b[i*ldb:i*ldb+w])
		clear(row[w:])
	}
}

// packColumns transposes w rows of k floats into a panel.
func packColumns(panel, b []float32, ldb, k, w int) {
	for i := 0; i < k; i += PanelWidth {
		rows := min(PanelWidth, k-i)
		transposeBlock(panel[i*PanelWidth:], PanelWidth, b[i:], ldb, w, rows)
		if w < PanelWidth {
			for r := i; r < i+rows; r++ {
				clear(panel[r*PanelWidth+w : (r+1)*PanelWidth])
			}
		}
	}
}

// Unpack writes b row-major into dst with row stride ld: as [K N], or as its
// transpose [N K] if trans. It is the inverse of [Pack].
func (b *Packed) Unpack(dst []float32, ld int, trans bool) {
	for p := range b.Panels {
		panel, w := b.panel(p), b.width(p)
		if !trans {
			for k := range b.K {
				copy(dst[k*ld+p*PanelWidth:k*ld+p*PanelWidth+w], panel[k*PanelWidth:])
			}
			continue
		}
		for k := 0; k < b.K; k += PanelWidth {
			transposeBlock(dst[p*PanelWidth*ld+k:], ld, panel[k*PanelWidth:], PanelWidth, min(PanelWidth, b.K-k), w)
		}
	}
}

// TransposePacked sets dst [N K] to srcᵀ, where src is [K N]. The dimensions of
// dst must be set; dst and src must not share Data.
func TransposePacked(dst, src *Packed) {
	if dst.K != src.N || dst.N != src.K {
		panic("kernel: TransposePacked: dimensions of dst are not those of srcᵀ")
	}
	for p := range dst.Panels {
		to, w := dst.panel(p), dst.width(p)
		for q := range src.Panels {
			rows := src.width(q)
			block := to[q*PanelWidth*PanelWidth:]
			transposeBlock(block, PanelWidth, src.panel(q)[p*PanelWidth*PanelWidth:], PanelWidth, w, rows)
		}
		if w < PanelWidth {
			for k := range dst.K {
				clear(to[k*PanelWidth+w : (k+1)*PanelWidth])
			}
		}
	}
}

// transposeBlock sets dst[j*ldd+i] = src[i*lds+j] for i < rows, j < cols, both
// at most 16.
func transposeBlock(dst []float32, ldd int, src []float32, lds, rows, cols int) {
	if rows == PanelWidth && cols == PanelWidth && transposeTile(dst, ldd, src, lds) {
		return
	}
	for i := range rows {
		row := src[i*lds : i*lds+cols]
		for j, v := range row {
			dst[j*ldd+i] = v
		}
	}
}
