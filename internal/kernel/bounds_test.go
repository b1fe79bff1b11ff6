package kernel

import "testing"

// The tests of this file place every operand before unmapped memory.

func TestGemmReadsOnlyItsOperands(t *testing.T) {
	r := rng(7)
	slice := func(n int) []float32 { return pageOrHeap(t, randomSlice(r, n)) }
	for _, s := range [][3]int{{1, 5, 3}, {2, 7, 17}, {3, 9, 31}, {4, 16, 33}, {5, 3, 8}, {6, 21, 9}, {7, 4, 50}, {23, 18, 65}} {
		m, k, n := s[0], s[1], s[2]
		b := NewPacked(k, n)
		b.Data = slice(len(b.Data))
		a, c, bias := slice(m*k), slice(m*n), slice(n)
		Gemm(m, a, k, nil, b, c, n, bias, false)
		Gemm(m, a, k, nil, b, c, n, nil, true)
		g := &Packed{K: k, N: n, Panels: b.Panels, Data: slice(len(b.Data))}
		GemmTN(m, a, k, nil, c, n, nil, k, n, g, false, 0, g.Panels)
		GemmTN(m, a, k, nil, c, n, nil, k, n, g, true, 0, g.Panels)
		b.Unpack(slice(k*n), n, false)
		b.Unpack(slice(k*n), k, true)
		Pack(b, slice(k*n), n, false)
		Pack(b, slice(k*n), k, true)
	}
}

func TestVectorsReadOnlyTheirOperands(t *testing.T) {
	for n := range 20 {
		dst, a, b, c := vectorCase{positive: true}.inputs(n)
		dst, a, b, c = pageOrHeap(t, dst), pageOrHeap(t, a), pageOrHeap(t, b), pageOrHeap(t, c)
		for _, tc := range vectorCases() {
			tc.run(dst, a, b, c)
		}
		for _, tc := range optimizerCases() {
			tc.run(dst, a, b, c)
		}
		Softmax(dst, a)
		LogSoftmax(dst, a)
		LayerNorm(dst, a, b, c, 1e-5)
	}
}
