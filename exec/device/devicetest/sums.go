package devicetest

import (
	"math"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
)

// outerProducts compares sums of outer products, and one with itself.
func (s *suite) outerProducts() {
	shapes := [][3]int{{0, 3, 4}, {1, 1, 1}, {7, 5, 3}, {33, 17, 20}, {300, 5, 6}}
	if !s.o.Small {
		shapes = append(shapes, [][3]int{{500, 30, 65}, {65, 100, 9}}...)
	}
	for _, shape := range shapes {
		for l := range layouts {
			for _, set := range []bool{false, true} {
				s.outerProduct(shape[0], shape[1], shape[2], l, (l+2)%layouts, set)
				s.freeAll()
			}
		}
	}
}

func (s *suite) outerProduct(n, rows, columns int, la, lb layout, set bool) {
	s.t.Helper()
	a, b, into := s.operand(n, rows, la), s.operand(n, columns, lb), s.matrix(rows, columns, n%2 == 0)
	want := imageOf(into.memory)
	for i := range rows {
		for j := range columns {
			sum := into.at(i, j)
			if set {
				sum = 0
			}
			for r := range n {
				sum += float64(a.row(r)[i]) * float64(b.row(r)[j])
			}
			want.set(into.Offset+i*into.Stride+j, sum)
		}
	}
	call := device.OuterSum{Into: into.Matrix, Set: set, N: n, A: a.Rows, B: b.Rows}
	require.NoError(s.t, s.stream.AddOuter(call))
	tolerance := s.o.tolerance() * math.Sqrt(1+float64(n)/16)
	s.holds(into.Buffer, want, tolerance, "%d rows of %d and %d, %v and %v, set %v", n, rows, columns, la, lb, set)
	first := s.download(into.Buffer)
	require.NoError(s.t, s.stream.UploadFloats(into.Buffer, 0, into.memory))
	require.NoError(s.t, s.stream.AddOuter(call))
	require.True(s.t, sameBits(first, s.download(into.Buffer)), "other bits the second time")
}

// groups compares sums of groups of rows; some are empty and sources occur repeatedly.
func (s *suite) groups() {
	for _, n := range s.o.sizes([]int{0, 1, 5, 23}, 200) {
		for _, width := range []int{1, 4, 37} {
			for l := range 2 {
				s.groupSum(n, width, layout(l), n%2 == 0)
				s.freeAll()
			}
		}
	}
}

func (s *suite) groupSum(n, width int, l layout, shared bool) {
	s.t.Helper()
	const places = 11
	to, from := s.operand(n+3, width, l), s.operand(places, width, 1-l)
	if shared { // all sources are the same row
		from = s.operand(places, width, repeated)
	}
	target, start, source := make([]int32, n), make([]int32, n+1), []int32{}
	for i, p := range s.rng.Perm(n + 3)[:n] {
		target[i] = int32(p)
		for range s.rng.IntN(5) * (i % 3) {
			source = append(source, s.rng.Int32N(places))
		}
		start[i+1] = int32(len(source))
	}
	want := imageOf(to.memory)
	for i := range n {
		for _, j := range source[start[i]:start[i+1]] {
			for k, x := range from.row(int(j)) {
				want.add(to.at(int(target[i]))+k, float64(x))
			}
		}
	}
	g := device.Groups{To: to.Rows, From: from.Rows, Target: s.index(target), Start: s.index(start), Source: s.index(source), N: n, Sources: len(source), Width: width}
	require.NoError(s.t, s.stream.AddGroups(g))
	s.holds(to.Buffer, want, s.o.tolerance(), "%d groups of rows of %d, %v", n, width, l)
	first := s.download(to.Buffer)
	require.NoError(s.t, s.stream.UploadFloats(to.Buffer, 0, to.memory))
	require.NoError(s.t, s.stream.AddGroups(g))
	require.True(s.t, sameBits(first, s.download(to.Buffer)), "other bits the second time")
}

// columns compares sums of rows.
func (s *suite) columns() {
	for _, n := range s.o.sizes([]int{0, 1, 9, 300}, 1000) {
		for _, width := range []int{1, 5, 40} {
			for l := range layouts {
				x, into := s.operand(n, width, l), s.uniform(width+5)
				want := imageOf(into)
				for i := range n {
					for j, v := range x.row(i) {
						want.add(3+j, float64(v))
					}
				}
				b := s.floats(into)
				sum := device.ColumnSum{Into: b, Offset: 3, X: x.Rows, N: n, Width: width}
				require.NoError(s.t, s.stream.AddColumns(sum))
				s.holds(b, want, s.o.tolerance()*math.Sqrt(1+float64(n)/16), "%d rows of %d, %v", n, width, l)
				first := s.download(b)
				require.NoError(s.t, s.stream.UploadFloats(b, 0, into))
				require.NoError(s.t, s.stream.AddColumns(sum))
				require.True(s.t, sameBits(first, s.download(b)), "other bits the second time")
				s.freeAll()
			}
		}
	}
}

// matrixCopies compares copies of matrices and of their transposes.
func (s *suite) matrixCopies() {
	for _, shape := range [][2]int{{1, 1}, {3, 5}, {16, 16}, {33, 18}, {1, 70}, {70, 1}} {
		for form := range 8 {
			transpose := form&1 != 0
			from := s.matrix(shape[0], shape[1], form&2 != 0)
			rows, columns := shape[0], shape[1]
			if transpose {
				rows, columns = columns, rows
			}
			to := s.matrix(rows, columns, form&4 != 0)
			want := imageOf(to.memory)
			for i := range shape[0] {
				for j := range shape[1] {
					if transpose {
						want.set(to.Offset+j*to.Stride+i, from.at(i, j))
					} else {
						want.set(to.Offset+i*to.Stride+j, from.at(i, j))
					}
				}
			}
			require.NoError(s.t, s.stream.CopyMatrix(to.Matrix, from.Matrix, transpose))
			s.holds(to.Buffer, want, 0, "%v, transpose %v", shape, transpose)
			s.freeAll()
		}
	}
}
