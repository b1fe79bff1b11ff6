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
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("asmgen: ")
	dir := flag.String("dir", "..", "directory of package kernel")
	flag.Parse()
	if err := run(*dir); err != nil {
		log.Fatal(err)
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

	peak := newBuilder()
	peakKernel(peak)
	return peak.write(filepath.Join(dir, "peak"), "peak", "fma")
}
