//go:build !amd64 || noasm

package peak

// GFLOPS returns 0: there is no assembly to measure with.
func GFLOPS() float64 { return 0 }
