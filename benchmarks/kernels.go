package main

import (
	"time"

	"github.com/frondml/frond/benchmarks/measure"
	"github.com/frondml/frond/benchmarks/report"
	"github.com/frondml/frond/internal/kernel"
	"github.com/frondml/frond/internal/kernel/peak"
)

// The matrix of the gates of an inner node in the usual sizes.
const gemmDepth, gemmColumns = 300, 750

// raceKernels measures products of several heights and the peak, on one core.
func raceKernels(r *report.Report, budget time.Duration) error {
	const sample = 5 * time.Millisecond
	b := kernel.NewPacked(gemmDepth, gemmColumns)
	fill(b.Data)
	rows := []int{1, 2, 4, 8, 16, 25, 64, 256, 1024}
	var cases []measure.Case
	var work []float64 // 10⁹ operations per sample
	for _, m := range rows {
		a, c := kernel.Aligned(m*gemmDepth), kernel.Aligned(m*gemmColumns)
		fill(a)
		product := func() error {
			kernel.Gemm(m, a, gemmDepth, nil, b, c, gemmColumns, nil, false)
			return nil
		}
		n, err := measure.Repeat(product, sample)
		if err != nil {
			return err
		}
		cases = append(cases, measure.Case{Name: "gemm", Run: func() error {
			for range n {
				_ = product()
			}
			return nil
		}})
		work = append(work, float64(n)*2*float64(m)*gemmDepth*gemmColumns/1e9)
	}
	r.Machine.PeakGFs = peak.GFLOPS()
	samples, err := measure.Race(cases, measure.Options{Rounds: 101, Budget: budget})
	if err != nil {
		return err
	}
	r.Machine.PeakGFs = max(r.Machine.PeakGFs, peak.GFLOPS())
	for i, s := range samples {
		rate := measure.SpreadOf(measure.PerSecond(work[i], s.Wall))
		k := report.Kernel{Name: "Gemm", Rows: rows[i], Depth: gemmDepth, Columns: gemmColumns, GFLOPS: rate}
		if r.Machine.PeakGFs > 0 {
			k.OfPeak = rate.Median / r.Machine.PeakGFs
		}
		r.Kernels = append(r.Kernels, k)
	}
	return nil
}

// fill makes numbers of ordinary size: denormal ones would be slow.
func fill(x []float32) {
	for i := range x {
		x[i] = float32(i%17-8) / 16
	}
}
