package devicetest

import (
	"fmt"
	"math"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
)

// canary fills memory that nobody may read or write: a NaN, or a large integer.
const canary = 0x7fe5beef

// layout says how the rows of an operand lie in memory.
type layout int

const (
	contiguous layout = iota
	strided           // behind an offset and with gaps
	indexed           // found through an index, some of them the same
	permuted          // found through an index, all different
	repeated          // all the same
	layouts
)

func (l layout) String() string {
	return [...]string{"contiguous", "strided", "indexed", "permuted", "repeated"}[l]
}

// rows is an operand with a copy of its memory on the host.
type rows struct {
	device.Rows
	memory []float32
	index  []int32
	width  int
}

// at returns where row i begins.
func (r *rows) at(i int) int {
	if r.index != nil {
		i = int(r.index[i])
	}
	return r.Offset + i*r.Stride
}

func (r *rows) row(i int) []float32 { return r.memory[r.at(i) : r.at(i)+r.width] }

// place decides where the n rows of an operand lie; the memory is full of canaries.
func (s *suite) place(n, width int, l layout) *rows {
	r := &rows{width: width}
	r.Stride = width
	places := max(n, 1) // no rows may be where one could be
	switch l {
	case strided:
		r.Offset, r.Stride = 5, width+3
	case indexed, permuted:
		places += 2
		r.Offset, r.Stride = 1, width+1
		r.index = make([]int32, n)
		for i, p := range s.rng.Perm(places)[:n] {
			r.index[i] = int32(p)
			if l == indexed && i%3 == 2 {
				r.index[i] = r.index[i-1]
			}
		}
		r.Index = s.index(r.index)
	case repeated:
		r.Offset, r.Stride = 2, 0
	}
	r.memory = slices.Repeat([]float32{math.Float32frombits(canary)}, r.Offset+places*max(width, r.Stride)+4)
	return r
}

// fill sets all rows to numbers between -1 and 1 and sends the memory to the device.
func (s *suite) fill(r *rows, n int) *rows {
	for i := range n {
		copy(r.row(i), s.uniform(r.width))
	}
	r.Buffer = s.floats(r.memory)
	return r
}

// operand returns n rows of numbers between -1 and 1.
func (s *suite) operand(n, width int, l layout) *rows { return s.fill(s.place(n, width, l), n) }

// image is what a buffer should hold: what it did, but for words that are set.
type image struct {
	before []float32
	want   []float64
	isSet  []bool
}

func imageOf(before []float32) *image {
	m := &image{before, make([]float64, len(before)), make([]bool, len(before))}
	for i, x := range before {
		m.want[i] = float64(x)
	}
	return m
}

func (m *image) set(at int, x float64) { m.want[at], m.isSet[at] = x, true }

func (m *image) add(at int, x float64) { m.set(at, m.want[at]+x) }

func (m *image) get(at int) float64 { return m.want[at] }

// holds checks the contents of a buffer.
func (s *suite) holds(b device.Buffer, m *image, tolerance float64, what string, args ...any) {
	s.t.Helper()
	got := s.download(b)
	for i, x := range got {
		want, set := m.want[i], m.isSet[i]
		switch {
		case set && !near(float64(x), want, tolerance):
			require.Failf(s.t, "wrong", "%s: word %d is %.9g, want %.9g", fmt.Sprintf(what, args...), i, x, want)
		case !set && math.Float32bits(x) != math.Float32bits(m.before[i]):
			require.Failf(s.t, "written", "%s: word %d, which is no part of the result, was %v and is %v", fmt.Sprintf(what, args...), i, m.before[i], x)
		}
	}
}

// near compares floats; infinities must be equal, and NaN is near NaN.
func near(got, want, tolerance float64) bool {
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return got == want || math.IsNaN(got) && math.IsNaN(want)
	}
	return math.Abs(got-want) <= tolerance*(1+math.Abs(want))
}

// sameBits reports whether two results are equal bit for bit.
func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}
