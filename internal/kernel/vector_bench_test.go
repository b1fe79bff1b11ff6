package kernel

import (
	"fmt"
	"testing"
)

// reportPace adds the time per element to a benchmark.
func reportPace(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
}

func BenchmarkVector(b *testing.B) {
	for _, tc := range vectorCases() {
		for _, n := range []int{150, 1500} {
			b.Run(fmt.Sprintf("%s/n=%d", tc.name, n), func(b *testing.B) {
				dst, x, y, z := tc.inputs(n)
				b.ReportAllocs()
				for b.Loop() {
					tc.run(dst, x, y, z)
				}
				reportPace(b, n)
			})
		}
	}
}

func BenchmarkReduction(b *testing.B) {
	for _, n := range []int{5, 150, 1500} {
		x, y := randomMatrix(1, n), randomMatrix(1, n)
		dst := make([]float32, n)
		for name, f := range map[string]func(){
			"Sum":        func() { Sum(x) },
			"Dot":        func() { Dot(x, y) },
			"MaxOf":      func() { MaxOf(x) },
			"Softmax":    func() { Softmax(dst, x) },
			"LogSoftmax": func() { LogSoftmax(dst, x) },
			"LayerNorm":  func() { LayerNorm(dst, x, y, y, 1e-5) },
		} {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
				reportPace(b, n)
			})
		}
	}
}

func BenchmarkOptimizer(b *testing.B) {
	const n = 300 * 464
	for _, tc := range optimizerCases() {
		b.Run(tc.name, func(b *testing.B) {
			w, p, q, g := vectorCase{}.inputs(n)
			Mul(q, q, q)
			Scale(g, g, 1e-3)
			for b.Loop() {
				tc.run(w, p, q, g)
			}
			reportPace(b, n)
		})
	}
}
