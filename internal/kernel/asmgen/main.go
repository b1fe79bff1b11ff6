// Command asmgen writes the AVX2+FMA assembly of package kernel, the Go stubs
// that declare it, and the Go files that choose between it and pure Go.
//
// It is a module of its own so that the assembler library stays out of the
// dependencies of the library that ships the generated files. Run it through
// go generate in the kernel package; its output is reproducible.
//
// The polynomial coefficients of the transcendental kernels are computed here
// by the Remez exchange (package minimax) each time the generator runs.
package main

import (
	"flag"
	"log"
	"path/filepath"
	"slices"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("asmgen: ")
	dir := flag.String("dir", "..", "directory of package kernel")
	flag.BoolVar(&verbose, "v", false, "print the derived coefficients and their errors")
	flag.Parse()
	if err := run(*dir); err != nil {
		log.Fatal(err)
	}
}

var verbose bool

func verbosef(format string, args ...any) {
	if verbose {
		log.Printf(format, args...)
	}
}

func run(dir string) error {
	gemm := newBuilder()
	gemmKernels(gemm)
	gemmTNKernels(gemm)
	transposeKernel(gemm)
	if err := gemm.write(dir, "kernel", "gemm"); err != nil {
		return err
	}
	if err := writeVectors(dir); err != nil {
		return err
	}
	peak := newBuilder()
	peakKernel(peak)
	return peak.write(filepath.Join(dir, "peak"), "peak", "fma")
}

func writeVectors(dir string) error {
	coeffs, err := deriveCoefficients()
	if err != nil {
		return err
	}
	kernels := slices.Concat(arithmeticKernels(), activationKernels(coeffs), reductionKernels(coeffs), optimizerKernels())
	b := newBuilder()
	for _, k := range kernels {
		k.emit(b)
	}
	if err := b.write(dir, "kernel", "vector"); err != nil {
		return err
	}
	return writeDispatch(dir, kernels)
}
