//go:build !amd64 || noasm

package kernel

func gemmBlock(j *gemmJob) { gemmBlockGo(j) }

func gemmTNPanel(dst []float32, k int, a []float32, offs []int, panel []float32, w int, acc bool) {
	gemmTNPanelGo(dst, k, a, offs, panel, w, acc)
}

func transposeTile(dst []float32, ldd int, src []float32, lds int) bool { return false }
