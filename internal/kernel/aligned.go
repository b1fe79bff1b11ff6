package kernel

import "unsafe"

// cacheLine is the alignment of packed data in bytes.
const cacheLine = 64

// Aligned returns n zeroed floats that start on a cache line. Vector loads of
// such memory never straddle two lines.
func Aligned(n int) []float32 {
	const line = cacheLine / 4
	if n == 0 {
		return nil
	}
	buf := make([]float32, n+line-1)
	skip := 0
	if over := uintptr(unsafe.Pointer(&buf[0])) % cacheLine; over != 0 {
		skip = int(cacheLine-over) / 4
	}
	return buf[skip : skip+n : skip+n]
}
