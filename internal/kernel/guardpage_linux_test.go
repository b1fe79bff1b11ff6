package kernel

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// pageOrHeap returns a copy of x that ends where unmapped memory begins, so
// that a read beyond it is a fault.
func pageOrHeap(t *testing.T, x []float32) []float32 {
	t.Helper()
	if len(x) == 0 {
		return nil
	}
	page := syscall.Getpagesize()
	size := (4*len(x) + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(mem)) })
	require.NoError(t, syscall.Mprotect(mem[size:], syscall.PROT_NONE))
	y := unsafe.Slice((*float32)(unsafe.Pointer(&mem[size-4*len(x)])), len(x))
	copy(y, x)
	return y
}
