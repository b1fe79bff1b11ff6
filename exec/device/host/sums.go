package host

import (
	"fmt"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/internal/kernel"
	"github.com/frondml/frond/ops"
)

// AddGroups implements device.Stream.
func (s *Stream) AddGroups(g device.Groups) error {
	return s.do("AddGroups", func() (func(), error) { return s.addGroups(&g) })
}

func (s *Stream) addGroups(g *device.Groups) (func(), error) {
	if g.N < 0 || g.Sources < 0 || g.Width < 0 || !g.To.Index.IsZero() || !g.From.Index.IsZero() {
		return nil, argument("%d groups of %d rows of %d words, To or From with an index: %v", g.N, g.Sources, g.Width, !g.To.Index.IsZero() || !g.From.Index.IsZero())
	}
	if g.N > 1 && g.To.Stride < g.Width {
		return nil, argument("rows of %d words with stride %d overlap", g.Width, g.To.Stride)
	}
	start, err := s.list(g.Start, g.N+1)
	if err != nil {
		return nil, fmt.Errorf("starts: %w", err)
	}
	if err := offsets(start, g.Sources); err != nil {
		return nil, fmt.Errorf("starts: %w", err)
	}
	to, from := g.To, g.From
	to.Index, from.Index = g.Target, g.Source
	target, err := s.rows(to, g.N, g.Width, true)
	if err != nil {
		return nil, fmt.Errorf("targets: %w", err)
	}
	source, err := s.rows(from, g.Sources, g.Width, false)
	if err != nil {
		return nil, fmt.Errorf("sources: %w", err)
	}
	if g.Width == 0 {
		return func() {}, nil
	}
	return func() {
		for i := range g.N {
			addRows(target.Row(i, g.Width), &source, int(start[i]), int(start[i+1]))
		}
	}, nil
}

// addRows adds rows from to end-1 to a row, in this order.
func addRows(sum []float32, x *ops.Rows, from, end int) {
	for i := from; i < end; i++ {
		kernel.AddTo(sum, x.Row(i, len(sum)))
	}
}

// AddColumns implements device.Stream.
func (s *Stream) AddColumns(c device.ColumnSum) error {
	return s.do("AddColumns", func() (func(), error) {
		if c.N < 0 || c.Width < 0 {
			return nil, argument("%d rows of %d words", c.N, c.Width)
		}
		x, err := s.rows(c.X, c.N, c.Width, false)
		if err != nil {
			return nil, fmt.Errorf("rows: %w", err)
		}
		sum, err := s.resolve(c.Into, c.Offset, c.Width, true)
		if err != nil {
			return nil, fmt.Errorf("the sum: %w", err)
		}
		if len(sum) == 0 {
			return func() {}, nil
		}
		return func() { addRows(sum, &x, 0, c.N) }, nil
	})
}

// Scale implements device.Stream.
func (s *Stream) Scale(b device.Buffer, words int, factor float32) error {
	return s.words("Scale", b, 0, words, true, func(x []float32) { kernel.Scale(x, x, factor) })
}

// AddSquares implements device.Stream.
func (s *Stream) AddSquares(sum device.Buffer, at int, b device.Buffer, words int) error {
	return s.do("AddSquares", func() (func(), error) {
		x, err := s.resolve(b, 0, words, false)
		if err != nil {
			return nil, err
		}
		into, err := s.resolve(sum, at, 1, true)
		if err != nil {
			return nil, fmt.Errorf("the sum: %w", err)
		}
		return func() { into[0] += kernel.SumSquares(x) }, nil
	})
}
