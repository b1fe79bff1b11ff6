package main

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/frondml/frond/benchmarks/measure"
	"github.com/frondml/frond/benchmarks/peer"
	"github.com/frondml/frond/benchmarks/report"
	"github.com/frondml/frond/internal/kernel"
	"github.com/frondml/frond/internal/kernel/peak"
)

// The matrix of the gates of an inner node in the usual sizes.
const gemmDepth, gemmColumns = 300, 750

var gemmRows = []int{1, 2, 4, 8, 16, 25, 64, 256, 1024}

// Names of kernels.
const (
	ownGemm   = "Gemm"
	gonumGemm = "gonum Gemm"
)

// kernelSample is how long a kernel is repeated.
const kernelSample = 10 * time.Millisecond

// raceKernels measures products of several heights, the functions of neurons and the
// peak, on one core.
func raceKernels(r *report.Report, budget time.Duration, out io.Writer) error {
	r.Machine.PeakGFs = peak.GFLOPS()
	if err := raceProducts(r, budget*3/4, out); err != nil {
		return err
	}
	r.Machine.PeakGFs = max(r.Machine.PeakGFs, peak.GFLOPS())
	for i := range r.Kernels {
		if k := &r.Kernels[i]; r.Machine.PeakGFs > 0 {
			k.OfPeak = k.GFLOPS.Median / r.Machine.PeakGFs
		}
	}
	return raceFunctions(r, budget/4)
}

func raceProducts(r *report.Report, budget time.Duration, out io.Writer) error {
	b := kernel.NewPacked(gemmDepth, gemmColumns)
	fill(b.Data)
	gonum, err := startGonum()
	if err != nil {
		err = r.Note(out, fmt.Sprintf("gonum: skipped: %v", err))
	} else {
		defer func() { _ = gonum.Close() }()
		err = r.Note(out, "gonum: "+gonum.Library())
	}
	if err != nil {
		return err
	}
	var cases []measure.Case
	var work []float64 // 10⁹ operations per sample
	for _, m := range gemmRows {
		a, c := kernel.Aligned(m*gemmDepth), kernel.Aligned(m*gemmColumns)
		fill(a)
		product := func() error {
			kernel.Gemm(m, a, gemmDepth, nil, b, c, gemmColumns, nil, false)
			return nil
		}
		n, err := measure.Repeat(product, kernelSample)
		if err != nil {
			return err
		}
		add := func(name string, n int, run func() error, elsewhere func() time.Duration) {
			cases = append(cases, measure.Case{Name: name, Run: run, CPU: elsewhere})
			work = append(work, float64(n)*2*float64(m)*gemmDepth*gemmColumns/1e9)
			r.Kernels = append(r.Kernels, report.Kernel{Name: name, Rows: m, Depth: gemmDepth, Columns: gemmColumns})
		}
		add(ownGemm, n, func() error { return repeat(n, product) }, nil)
		if gonum != nil {
			few := max(1, n/8) // it is slower
			add(gonumGemm, few, func() error {
				_, err := gonum.Call(peer.Request{Do: peer.Product, Rows: m, Depth: gemmDepth, Columns: gemmColumns, Repeat: few})
				return err
			}, gonum.CPU)
		}
	}
	samples, err := measure.Race(cases, measure.Options{Rounds: 101, Budget: budget})
	if err != nil {
		return err
	}
	for i, s := range samples {
		r.Kernels[i].GFLOPS = measure.SpreadOf(measure.PerSecond(work[i], s.Undisturbed()))
	}
	return nil
}

func startGonum() (*peer.Process, error) {
	argv, err := inRepository([]string{peersProgram, "gonum"})
	if err != nil {
		return nil, err
	}
	return peer.Start("gonum", []string{"GOMAXPROCS=1"}, argv...)
}

func repeat(n int, run func() error) error {
	for range n {
		if err := run(); err != nil {
			return err
		}
	}
	return nil
}

// raceFunctions compares the functions of neurons with those of package math.
func raceFunctions(r *report.Report, budget time.Duration) error {
	const elements = 1024
	x, y := kernel.Aligned(elements), kernel.Aligned(elements)
	fill(x)
	kernel.AddScalar(x, x, 1) // logarithms of negative numbers would be too easy
	functions := []struct {
		name   string
		vector func(dst, x []float32)
		scalar func(float64) float64
	}{
		{"Exp", kernel.Exp, math.Exp},
		{"Tanh", kernel.Tanh, math.Tanh},
		{"Sigmoid", kernel.Sigmoid, func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }},
		{"Log", kernel.Log, math.Log},
	}
	var cases []measure.Case
	var counts []int
	add := func(run func()) error {
		once := func() error { run(); return nil }
		n, err := measure.Repeat(once, kernelSample/5)
		counts = append(counts, n*elements)
		cases = append(cases, measure.Case{Name: "function", Run: func() error { return repeat(n, once) }})
		return err
	}
	for _, f := range functions {
		if err := add(func() { f.vector(y, x) }); err != nil {
			return err
		}
		if err := add(func() {
			for i, v := range x {
				y[i] = float32(f.scalar(float64(v)))
			}
		}); err != nil {
			return err
		}
	}
	samples, err := measure.Race(cases, measure.Options{Rounds: 101, Budget: budget})
	if err != nil {
		return err
	}
	perElement := func(i int) measure.Spread {
		return measure.SpreadOf(perUnit(samples[i].Undisturbed(), float64(counts[i])))
	}
	for i, f := range functions {
		r.Measurements = append(r.Measurements, report.Measurement{
			Name: f.name + " of the kernels", Unit: "ns per element", Value: perElement(2 * i),
			Note: fmt.Sprintf("package math: %.2f", perElement(2*i+1).Median),
		})
	}
	return nil
}

// perUnit returns the nanoseconds per unit of work of samples with n units each.
func perUnit(seconds []float64, n float64) []float64 {
	ns := make([]float64, len(seconds))
	for i, s := range seconds {
		ns[i] = 1e9 * s / n
	}
	return ns
}

// fill makes numbers of ordinary size: denormal ones would be slow.
func fill(x []float32) {
	for i := range x {
		x[i] = float32(i%17-8) / 16
	}
}
