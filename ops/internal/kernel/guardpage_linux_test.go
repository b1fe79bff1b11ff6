package kernel

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// pageEnd returns n random floats that end where unmapped memory begins, so
// that a read beyond them is a fault.
func pageEnd(t *testing.T, n int) []float32 {
	t.Helper()
	page := syscall.Getpagesize()
	size := (4*n + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(mem)) })
	require.NoError(t, syscall.Mprotect(mem[size:], syscall.PROT_NONE))
	if n == 0 {
		return nil
	}
	x := unsafe.Slice((*float32)(unsafe.Pointer(&mem[size-4*n])), n)
	copy(x, randomSlice(rng(uint64(n)), n))
	return x
}

func TestGemmStaysInsideMappedMemory(t *testing.T) {
	for _, s := range [][3]int{{1, 5, 3}, {2, 7, 17}, {3, 9, 31}, {4, 16, 33}, {5, 3, 8}, {6, 21, 9}, {7, 4, 50}, {23, 18, 65}} {
		m, k, n := s[0], s[1], s[2]
		b := NewPacked(k, n)
		data := pageEnd(t, len(b.Data))
		copy(data, randomPacked(k, n).Data)
		b.Data = data
		a, c, bias := pageEnd(t, m*k), pageEnd(t, m*n), pageEnd(t, n)
		Gemm(m, a, k, nil, b, c, n, bias, false)
		Gemm(m, a, k, nil, b, c, n, nil, true)
		g := &Packed{K: k, N: n, Panels: b.Panels, Data: pageEnd(t, len(b.Data))}
		GemmTN(m, a, k, nil, c, n, nil, k, n, g, false, 0, g.Panels)
		GemmTN(m, a, k, nil, c, n, nil, k, n, g, true, 0, g.Panels)
		b.Unpack(pageEnd(t, k*n), n, false)
		b.Unpack(pageEnd(t, k*n), k, true)
		Pack(b, pageEnd(t, k*n), n, false)
		Pack(b, pageEnd(t, k*n), k, true)
	}
}
