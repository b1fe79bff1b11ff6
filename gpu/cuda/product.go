package cuda

import (
	"fmt"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// Multiply implements device.Stream.
func (s *Stream) Multiply(p device.Product) error {
	return s.finish(s.multiply(p))
}

func (s *Stream) multiply(p device.Product) error {
	k, n := p.W.Rows, p.W.Columns
	if p.Transpose {
		k, n = n, k
	}
	w, err := s.matrix(p.W)
	if err != nil {
		return err
	}
	a, err := s.apart(p.A, p.M, k)
	if err != nil {
		return err
	}
	c, err := s.rows(p.C, p.M, n)
	if err != nil {
		return err
	}
	product := kernels.GEMM{C: c.matrix, A: a.matrix, B: w, TransposeB: p.Transpose, Accumulate: p.Add}
	product.C.Repeated = false
	if a.indexed() {
		product.Index, product.IndexLength = a.index, p.M
	}
	if p.Bias != nil {
		if product.Bias, err = wordsOf(p.Bias, p.BiasOffset, n); err != nil {
			return err
		}
	}
	return s.product(product)
}

// apart returns rows where they lie, unless they overlap: products take no such rows, so
// that those are copied.
func (s *Stream) apart(r device.Rows, n, width int) (operand, error) {
	if r.Stride == 0 || r.Stride >= width {
		return s.rows(r, n, width)
	}
	m, err := s.dense(r, n, width)
	return operand{matrix: m, n: n}, err
}

// product computes a product. With own kernels every element is one sum: were it cut,
// where would depend on the number of rows.
func (s *Stream) product(p kernels.GEMM) error {
	d := s.device
	if s.suitsBLAS(&p) {
		return s.multiplyByBLAS(p)
	}
	if precision, rounds := d.rounding(); rounds {
		return d.kernels.TensorGEMM(s.stream, p, precision, kernels.Split{})
	}
	return d.kernels.GEMM(s.stream, p)
}

// rounding returns how factors are rounded, if they are.
func (d *Device) rounding() (precision kernels.Precision, rounds bool) {
	switch d.precision {
	case TF32:
		return kernels.TF32, true
	case BF16:
		return kernels.BF16, true
	}
	return 0, false
}

// AddOuter implements device.Stream.
func (s *Stream) AddOuter(o device.OuterSum) error {
	return s.finish(s.addOuter(o))
}

func (s *Stream) addOuter(o device.OuterSum) error {
	into, err := s.matrix(o.Into)
	if err != nil || o.N == 0 && !o.Set {
		return err
	}
	a, err := s.apart(o.A, o.N, o.Into.Rows)
	if err != nil {
		return err
	}
	b, err := s.dense(o.B, o.N, o.Into.Columns)
	if err != nil {
		return err
	}
	p := kernels.GEMM{C: into, A: a.matrix, B: b, TransposeA: true, Accumulate: !o.Set}
	if a.indexed() {
		p.Index, p.IndexLength = a.index, o.N
	}
	slice := s.device.slice(into, o.N)
	precision, rounds := s.device.rounding()
	switch {
	case s.suitsBLAS(&p):
		return s.multiplyByBLAS(p)
	case rounds:
		return s.device.kernels.TensorGEMM(s.stream, p, precision, kernels.Split{Slice: slice})
	case slice > 0:
		return s.device.kernels.SplitGEMM(s.stream, p, kernels.Split{Slice: slice})
	}
	return s.device.kernels.GEMM(s.stream, p)
}

// How sums of outer products are cut. Pieces shorter than minSlice cost more to add than
// they gain.
const (
	productTile = 64
	minSlice    = 128
	sliceUnit   = 32
	maxParts    = 1 << 24 // words
)

// slice returns the length of the pieces in which a sum of n outer products is computed,
// or 0 where it is not cut: so many pieces that two blocks for each multiprocessor, which
// run at once, have a tile of one piece each.
func (d *Device) slice(into kernels.Matrix, n int) int {
	tiles := ceil(into.Rows, productTile) * ceil(into.Columns, productTile)
	pieces := max(1, 2*d.gpu.Info().Multiprocessors/max(1, tiles))
	slice := max(minSlice, ceil(ceil(n, pieces), sliceUnit)*sliceUnit)
	if slice >= n || into.Rows*into.Columns > maxParts/ceil(n, slice) {
		return 0
	}
	return slice
}

// ceil returns n/size, rounded up.
func ceil(n, size int) int { return (n + size - 1) / size }

// AddGroups implements device.Stream.
func (s *Stream) AddGroups(g device.Groups) error {
	if g.N == 0 || g.Width == 0 {
		return nil
	}
	return s.finish(s.addGroups(g))
}

func (s *Stream) addGroups(g device.Groups) error {
	to, err := s.table(g.To, g.Width)
	if err != nil {
		return err
	}
	from, err := s.table(g.From, g.Width)
	if err != nil {
		return err
	}
	lists := kernels.Segments{N: g.N}
	for _, list := range []struct {
		to    *gpu.Buffer
		index device.Index
		n     int
	}{{&lists.Target, g.Target, g.N}, {&lists.Start, g.Start, g.N + 1}, {&lists.Source, g.Source, g.Sources}} {
		if *list.to, err = s.index(list.index, list.n); err != nil {
			return err
		}
	}
	return s.device.kernels.AddSegments(s.stream, to, from, lists)
}

// table returns all rows of a width that there are in a buffer.
func (s *Stream) table(r device.Rows, width int) (kernels.Matrix, error) {
	m := kernels.Matrix{Columns: width, Stride: r.Stride, Repeated: r.Stride == 0}
	buffer, err := bufferOf(r.Buffer)
	if err != nil {
		return m, err
	}
	words := buffer.Words() - r.Offset
	m.Rows = rowsIn(words, r.Stride, width)
	m.Buffer, err = buffer.words(r.Offset, words)
	return m, err
}

// AddColumns implements device.Stream.
func (s *Stream) AddColumns(c device.ColumnSum) error {
	if c.N == 0 || c.Width == 0 {
		return nil
	}
	return s.finish(s.addColumns(c))
}

func (s *Stream) addColumns(c device.ColumnSum) error {
	into, err := wordsOf(c.Into, c.Offset, c.Width)
	if err != nil {
		return err
	}
	x, err := s.dense(c.X, c.N, c.Width)
	if err != nil {
		return err
	}
	return s.device.kernels.SumColumns(s.stream, into, kernels.Columns{X: x, Accumulate: true})
}

// CopyMatrix implements device.Stream.
func (s *Stream) CopyMatrix(to, from device.Matrix, transpose bool) error {
	return s.finish(s.copyMatrix(to, from, transpose))
}

func (s *Stream) copyMatrix(to, from device.Matrix, transpose bool) error {
	down, right := from.Stride, 1
	rows, columns := from.Rows, from.Columns
	if transpose {
		down, right = right, down
		rows, columns = columns, rows
	}
	if to.Rows != rows || to.Columns != columns {
		return shapes(to, from, transpose)
	}
	if rows == 0 || columns == 0 {
		return nil
	}
	target, err := s.matrix(to)
	if err != nil {
		return err
	}
	source, err := s.matrix(from)
	if err != nil {
		return err
	}
	return s.device.kernels.CopyStrided(s.stream, target.Buffer, source.Buffer, kernels.Layout{
		{Extent: rows, Out: to.Stride, From: down}, {Extent: columns, Out: 1, From: right},
	})
}

// shapes is the error about matrices of which one cannot become the other.
func shapes(to, from device.Matrix, transpose bool) error {
	of := ""
	if transpose {
		of = "the transpose of "
	}
	return fmt.Errorf("%w: a matrix of [%d %d] from %s[%d %d]", gpu.ErrArgument, to.Rows, to.Columns, of, from.Rows, from.Columns)
}
