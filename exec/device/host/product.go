package host

import (
	"fmt"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/internal/kernel"
	"github.com/frondml/frond/ops"
)

// Multiply implements device.Stream.
func (s *Stream) Multiply(p device.Product) error {
	return s.do("Multiply", func() (func(), error) { return s.multiply(&p) })
}

// do makes an operation: prepare resolves its operands and returns what is to be done.
func (s *Stream) do(what string, prepare func() (func(), error)) error {
	if err := s.begin(what); err != nil {
		return err
	}
	defer s.end()
	run, err := prepare()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := s.ready(what); err != nil {
		return err
	}
	run()
	return nil
}

func (s *Stream) multiply(p *device.Product) (func(), error) {
	k, n := p.W.Rows, p.W.Columns
	if p.Transpose {
		k, n = n, k
	}
	if p.M < 0 || k < 0 || n < 0 {
		return nil, argument("%d rows, matrix [%d %d]", p.M, p.W.Rows, p.W.Columns)
	}
	if !p.C.Index.IsZero() || p.M > 1 && p.C.Stride < n {
		return nil, argument("%d rows of C of %d words with stride %d, index %v", p.M, n, p.C.Stride, !p.C.Index.IsZero())
	}
	var bias []float32
	var err error
	if p.Bias != nil {
		if bias, err = s.resolve(p.Bias, p.BiasOffset, n, false); err != nil {
			return nil, fmt.Errorf("bias: %w", err)
		}
	}
	a, err := s.rows(p.A, p.M, k, false)
	if err != nil {
		return nil, fmt.Errorf("rows A: %w", err)
	}
	w, err := s.matrix(p.W, false)
	if err != nil {
		return nil, fmt.Errorf("matrix W: %w", err)
	}
	c, err := s.rows(p.C, p.M, n, true)
	if err != nil {
		return nil, fmt.Errorf("rows C: %w", err)
	}
	return func() { s.gemm(p, a, c, w, bias, k, n) }, nil
}

// gemm computes C [M n] from A [M k] and W.
func (s *Stream) gemm(p *device.Product, a, c ops.Rows, w, bias []float32, k, n int) {
	if p.M == 0 || n == 0 {
		return
	}
	if p.Add && bias != nil {
		for i := range p.M {
			kernel.AddTo(c.Row(i, n), bias)
		}
	}
	a = s.indexed(a, p.M, k)
	kernel.Pack(s.pack(k, n), w, p.W.Stride, p.Transpose)
	kernel.Gemm(p.M, a.F, a.Stride, a.Index, &s.packed, c.F, c.Stride, bias, p.Add)
}

// pack returns a packed matrix [k n] with arbitrary contents, valid until the next call.
func (s *Stream) pack(k, n int) *kernel.Packed {
	p := &s.packed
	p.K, p.N, p.Panels = k, n, (n+kernel.PanelWidth-1)/kernel.PanelWidth
	if size := p.Panels * k * kernel.PanelWidth; cap(p.Data) < size {
		p.Data = kernel.Aligned(size)
	} else {
		p.Data = p.Data[:size]
	}
	return p
}

// AddOuter implements device.Stream.
func (s *Stream) AddOuter(o device.OuterSum) error {
	return s.do("AddOuter", func() (func(), error) { return s.addOuter(&o) })
}

func (s *Stream) addOuter(o *device.OuterSum) (func(), error) {
	k, n := o.Into.Rows, o.Into.Columns
	if o.N < 0 || k < 0 || n < 0 {
		return nil, argument("%d rows, matrix [%d %d]", o.N, k, n)
	}
	a, err := s.rows(o.A, o.N, k, false)
	if err != nil {
		return nil, fmt.Errorf("rows A: %w", err)
	}
	b, err := s.rows(o.B, o.N, n, false)
	if err != nil {
		return nil, fmt.Errorf("rows B: %w", err)
	}
	into, err := s.matrix(o.Into, true)
	if err != nil {
		return nil, fmt.Errorf("the sum: %w", err)
	}
	if len(into) == 0 {
		return func() {}, nil
	}
	return func() {
		a, b = s.indexed(a, o.N, k), s.indexed(b, o.N, n)
		g := s.pack(k, n)
		if !o.Set {
			kernel.Pack(g, into, o.Into.Stride, false)
		}
		kernel.GemmTN(o.N, a.F, a.Stride, a.Index, b.F, b.Stride, b.Index, k, n, g, !o.Set, 0, g.Panels)
		g.Unpack(into, o.Into.Stride, false)
	}, nil
}

// CopyMatrix implements device.Stream.
func (s *Stream) CopyMatrix(to, from device.Matrix, transpose bool) error {
	return s.do("CopyMatrix", func() (func(), error) {
		rows, columns := from.Rows, from.Columns
		if transpose {
			rows, columns = columns, rows
		}
		if to.Rows != rows || to.Columns != columns {
			return nil, argument("[%d %d] to [%d %d], transpose %v", from.Rows, from.Columns, to.Rows, to.Columns, transpose)
		}
		src, err := s.matrix(from, false)
		if err != nil {
			return nil, fmt.Errorf("from: %w", err)
		}
		dst, err := s.matrix(to, true)
		if err != nil {
			return nil, fmt.Errorf("to: %w", err)
		}
		if len(dst) == 0 {
			return func() {}, nil
		}
		return func() { copyMatrix(dst, to.Stride, src, from, transpose) }, nil
	})
}

func copyMatrix(dst []float32, stride int, src []float32, from device.Matrix, transpose bool) {
	for i := range from.Rows {
		row := src[i*from.Stride : i*from.Stride+from.Columns]
		if !transpose {
			copy(dst[i*stride:], row)
			continue
		}
		for j, x := range row {
			dst[j*stride+i] = x
		}
	}
}
