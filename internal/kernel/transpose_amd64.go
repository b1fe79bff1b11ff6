//go:build !noasm

package kernel

// transposeTile transposes a 16x16 block if there is assembly for it.
func transposeTile(dst []float32, ldd int, src []float32, lds int) bool {
	if !useAVX2 {
		return false
	}
	const last = PanelWidth - 1
	_, _ = dst[:last*ldd+PanelWidth], src[:last*lds+PanelWidth]
	transpose16(&dst[0], 4*ldd, &src[0], 4*lds)
	return true
}
