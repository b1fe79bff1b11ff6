package devicetest

import (
	"math"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
)

// matrix is a matrix with a copy of its memory.
type matrix struct {
	device.Matrix
	memory []float32
}

func (m *matrix) at(i, j int) float64 { return float64(m.memory[m.Offset+i*m.Stride+j]) }

// matrix returns a matrix of numbers between -1 and 1, tight or behind an offset and
// with gaps between its rows.
func (s *suite) matrix(rows, columns int, tight bool) *matrix {
	m := &matrix{Matrix: device.Matrix{Rows: rows, Columns: columns, Stride: columns}}
	if !tight {
		m.Offset, m.Stride = 3, columns+2
	}
	m.memory = s.uniform(m.Offset + rows*m.Stride + 1)
	m.Buffer = s.floats(m.memory)
	return m
}

// multiply compares products of many forms.
func (s *suite) multiply() {
	shapes := [][3]int{{0, 3, 4}, {1, 1, 1}, {3, 5, 7}, {17, 33, 20}, {5, 64, 65}}
	if !s.o.Small {
		shapes = append(shapes, [][3]int{{1, 300, 130}, {65, 30, 64}, {130, 150, 33}}...)
	}
	for _, shape := range shapes {
		for form := range 8 {
			c := productCase{m: shape[0], k: shape[1], n: shape[2], transpose: form&1 != 0, bias: form&2 != 0, add: form&4 != 0}
			c.a, c.c, c.tight = layout((form+shape[0])%int(layouts)), layout((form/2+shape[1])%2), form%3 != 0
			s.product(c)
			s.freeAll()
		}
	}
	for l := range layouts {
		s.product(productCase{m: 9, k: 6, n: 10, a: l, c: strided, bias: true})
	}
}

type productCase struct {
	m, k, n              int
	transpose, bias, add bool
	a, c                 layout
	tight                bool
}

func (s *suite) product(c productCase) {
	s.t.Helper()
	a, out := s.operand(c.m, c.k, c.a), s.operand(c.m, c.n, c.c)
	p := device.Product{M: c.m, A: a.Rows, C: out.Rows, Transpose: c.transpose, Add: c.add}
	w := s.matrix(c.k, c.n, c.tight)
	at := w.at
	if c.transpose {
		w = s.matrix(c.n, c.k, c.tight)
		at = func(k, j int) float64 { return w.at(j, k) }
	}
	p.W = w.Matrix
	bias := make([]float32, c.n+2)
	if c.bias {
		bias = s.uniform(c.n + 2)
		p.Bias, p.BiasOffset = s.floats(bias), 2
	}
	want := imageOf(out.memory)
	for i := range c.m {
		row := a.row(i)
		for j := range c.n {
			sum := float64(bias[2+j])
			for k, x := range row {
				sum += float64(x) * at(k, j)
			}
			if c.add {
				sum += float64(out.row(i)[j])
			}
			want.set(out.at(i)+j, sum)
		}
	}
	require.NoError(s.t, s.stream.Multiply(p))
	s.holds(out.Buffer, want, s.o.productTolerance()*math.Sqrt(1+float64(c.k)/16), "%+v", c)
}

// multiplyBits checks that a row of a product has the same bits beside any others.
func (s *suite) multiplyBits() {
	most, k, n := 70, 40, 37
	if s.o.Small {
		most, k, n = 20, 17, 19
	}
	a, w := s.operand(most, k, contiguous), s.matrix(k, n, true)
	c := s.alloc(most * n)
	product := func(first, m int) []float32 {
		p := device.Product{M: m, A: a.Rows, C: device.Rows{Buffer: c, Stride: n}, W: w.Matrix}
		p.A.Offset = first * k
		require.NoError(s.t, s.stream.Multiply(p))
		got := make([]float32, m*n)
		require.NoError(s.t, s.stream.DownloadFloats(got, c, 0))
		return got
	}
	all := product(0, most)
	for _, m := range s.o.sizes([]int{1, 2, 5, 16}, 3, 7, 31, 33, 64, 65) {
		first := min(3, most-m)
		require.True(s.t, sameBits(all[first*n:(first+m)*n], product(first, m)), "%d rows have other bits than among %d", m, most)
	}
}
