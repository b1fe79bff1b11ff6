//go:build !linux || (!amd64 && !arm64)

package standin

import "testing"

// CuBLAS is a loaded stand-in.
type CuBLAS struct {
	// Library is the path by which package cublas opens it.
	Library string
}

// Open skips the test: the stand-in is built for Linux only.
func Open(t testing.TB, _ string) *CuBLAS {
	t.Helper()
	t.Skip("the stand-in for cuBLAS is built for linux/amd64 and linux/arm64 only")
	return nil
}
