package kernel

import (
	"fmt"
	"testing"

	"github.com/frondml/frond/internal/kernel/peak"
)

// reportRate adds the arithmetic rate to a benchmark whose iteration performs
// flops operations, and the share of what this core can do at this moment.
func reportRate(b *testing.B, flops float64) {
	rate := flops * float64(b.N) / b.Elapsed().Seconds() / 1e9
	b.ReportMetric(rate, "GFLOP/s")
	if best := peak.GFLOPS(); best > 0 {
		b.ReportMetric(100*rate/best, "%peak")
	}
}

var benchRows = []int{1, 2, 4, 8, 25, 64, 256}

func BenchmarkGemm(b *testing.B) {
	for _, n := range []int{450, 750} {
		for _, m := range benchRows {
			const k = 300
			b.Run(fmt.Sprintf("k=%d/n=%d/m=%d", k, n, m), func(b *testing.B) {
				x, w := randomMatrix(m, k), randomPacked(k, n)
				y, bias := Aligned(m*n), randomMatrix(1, n)
				b.ReportAllocs()
				for b.Loop() {
					Gemm(m, x, k, nil, w, y, n, bias, false)
				}
				reportRate(b, 2*float64(m*k*n))
			})
		}
	}
}

func BenchmarkGemmTN(b *testing.B) {
	for _, n := range []int{450, 750} {
		for _, m := range benchRows {
			const k = 300
			b.Run(fmt.Sprintf("k=%d/n=%d/m=%d", k, n, m), func(b *testing.B) {
				x, dy, g := randomMatrix(m, k), randomMatrix(m, n), NewPacked(k, n)
				b.ReportAllocs()
				for b.Loop() {
					GemmTN(m, x, k, nil, dy, n, nil, k, n, g, true, 0, g.Panels)
				}
				reportRate(b, 2*float64(m*k*n))
			})
		}
	}
}

func BenchmarkTransposePacked(b *testing.B) {
	src := randomPacked(300, 750)
	dst := NewPacked(750, 300)
	b.SetBytes(300 * 750 * 4)
	for b.Loop() {
		TransposePacked(dst, src)
	}
}

func BenchmarkPack(b *testing.B) {
	for _, trans := range []bool{false, true} {
		b.Run(fmt.Sprintf("trans=%t", trans), func(b *testing.B) {
			dst, src := NewPacked(300, 750), randomMatrix(300, 750)
			ld := 750
			if trans {
				ld = 300
			}
			b.SetBytes(300 * 750 * 4)
			for b.Loop() {
				Pack(dst, src, ld, trans)
			}
		})
	}
}
