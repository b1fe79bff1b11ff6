package cuda

import (
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
	"github.com/frondml/frond/graph"
)

// folded is a row as `[outer length inner]`, of which the middle axis is reduced. Where
// the axes of the row do not lie so, it is copied along others first.
type folded struct {
	outer, length, inner int
	axes                 []axis // from the row to `[outer length inner]`; nil if it is that
}

func (f *folded) size() int { return f.outer * f.length * f.inner }

func (f *folded) kept() int { return f.outer * f.inner }

// fold folds a row whose axes are reduced as the function says. If leading is set, there
// is no outer axis, else no inner one if the row has to be copied.
func fold(shape graph.Shape, reduced func(axis int) bool, leading bool) folded {
	parts := [2]graph.Shape{} // the kept axes and the reduced ones
	runs, last := []int{1}, false
	for i, extent := range shape {
		if extent == 1 {
			continue
		}
		if r := reduced(i); r != last {
			runs, last = append(runs, 1), r
		}
		runs[len(runs)-1] *= extent
		parts[number(last)] = append(parts[number(last)], extent)
	}
	kept, length := parts[0].Size(), parts[1].Size()
	runs = append(runs, 1, 1)
	if len(runs) <= 5 && (!leading || runs[0] == 1) && len(parts[1]) > 0 {
		return folded{outer: runs[0], length: runs[1], inner: runs[2]}
	}
	if len(parts[1]) == 0 {
		return folded{outer: 1, length: 1, inner: kept}
	}
	f := folded{outer: kept, length: length, inner: 1}
	if leading {
		f = folded{outer: 1, length: length, inner: kept}
	}
	f.axes = foldAxes(shape, reduced, leading, kept, length)
	return f
}

// foldAxes returns the axes of a copy of a row with the reduced axes after the others,
// or before them if leading is set.
func foldAxes(shape graph.Shape, reduced func(int) bool, leading bool, kept, length int) []axis {
	steps := [2]int{length, 1}
	if leading {
		steps = [2]int{1, kept}
	}
	axes, from := make([]axis, len(shape)), strides(shape)
	for i := len(shape) - 1; i >= 0; i-- {
		side := number(reduced(i))
		axes[i] = axis{shape[i], [4]int{steps[side], from[i]}}
		steps[side] *= shape[i]
	}
	return collapse(axes)
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// load returns n rows, folded, without gaps.
func (f *folded) load(s *Stream, r device.Rows, n int) (gpu.Buffer, error) {
	if f.axes == nil {
		return s.packed(r, n, f.size())
	}
	to, err := s.scratch(n * f.size())
	if err != nil {
		return gpu.Buffer{}, err
	}
	from, err := s.view(r, n, f.size())
	if err != nil || n*f.size() == 0 {
		return to, err
	}
	e := kernels.Elements{Op: kernels.ElementCopy, Rows: n, Out: kernels.View{Buffer: to, Stride: f.size()}}
	e.In[0] = from
	return to, s.elements(e, f.axes)
}

// store calls f with memory for n rows, folded, and unfolds them into those of a result.
func (f *folded) store(s *Stream, r device.Rows, n int, compute func(gpu.Buffer) error) error {
	if f.axes == nil {
		return s.packedResult(r, n, f.size(), compute)
	}
	from, err := s.scratch(n * f.size())
	if err != nil {
		return err
	}
	if err := compute(from); err != nil {
		return err
	}
	out, err := s.view(r, n, f.size())
	if err != nil {
		return err
	}
	e := kernels.Elements{Op: kernels.ElementCopy, Rows: n, Out: out}
	e.In[0] = kernels.View{Buffer: from, Stride: f.size()}
	back := make([]axis, len(f.axes))
	for i, a := range f.axes {
		back[i] = axis{a.extent, [4]int{a.steps[1], a.steps[0]}}
	}
	return s.elements(e, back)
}

// reduction reduces axes of rows and, over segments, rows of lists.
type reduction struct {
	op       kernels.Reduction
	row      folded
	segments bool
}

func sum(o operator) kernel     { return reduce(o, kernels.Sum, attribute[[]int](o.Op, "axes")) }
func maximum(o operator) kernel { return reduce(o, kernels.Max, attribute[[]int](o.Op, "axes")) }
func argMax(o operator) kernel {
	return reduce(o, kernels.ArgMax, []int{attribute[int](o.Op, "axis")})
}

func reduce(o operator, op kernels.Reduction, axes []int) kernel {
	return &reduction{op, fold(o.in[0], among(o.In[0], axes), false), o.Segments}
}

// among returns whether an axis of a row is among those of a value.
func among(t graph.Type, axes []int) func(int) bool {
	set := map[int]bool{}
	for _, a := range axes {
		set[rowAxis(t, a)] = true
	}
	return func(axis int) bool { return set[axis] }
}

func (k *reduction) launch(s *Stream, c *device.Call) error {
	kept := k.row.kept()
	if !k.segments {
		return s.packedResult(c.Out, c.N, kept, func(out gpu.Buffer) error { return k.rows(s, c.In[0], c.N, out) })
	}
	runs, err := s.runs(c)
	if err != nil {
		return err
	}
	out, err := s.target(c.Out, c.N, kept)
	if err != nil {
		return err
	}
	x := kernels.Matrix{Rows: c.Length, Columns: kept}
	if k.row.size() == kept && k.row.axes == nil {
		x, err = s.strided(c.In[0], c.Length, kept)
	} else if x.Buffer, err = s.scratch(c.Length * kept); err == nil && c.Length > 0 {
		err = k.rows(s, c.In[0], c.Length, x.Buffer)
	}
	if err != nil {
		return err
	}
	return s.device.kernels.ReduceRuns(s.stream, k.op, out, x, runs)
}

// rows reduces n rows of r, each for itself.
func (k *reduction) rows(s *Stream, r device.Rows, n int, out gpu.Buffer) error {
	f := &k.row
	if f.outer == 1 && f.inner == 1 && f.axes == nil {
		x, err := s.strided(r, n, f.length)
		if err != nil {
			return err
		}
		return s.device.kernels.ReduceRows(s.stream, k.op, out, x)
	}
	x, err := f.load(s, r, n)
	if err != nil {
		return err
	}
	if f.inner == 1 {
		return s.device.kernels.ReduceRows(s.stream, k.op, out, kernels.Matrix{Buffer: x, Rows: n * f.outer, Columns: f.length})
	}
	return s.device.kernels.ReduceRuns(s.stream, k.op, kernels.Matrix{Buffer: out, Rows: n * f.outer, Columns: f.inner},
		kernels.Matrix{Buffer: x, Rows: n * f.outer * f.length, Columns: f.inner}, kernels.Runs{N: n * f.outer, Length: f.length})
}

// maxima is the gradient of maxima.
type maxima struct {
	row      folded
	segments bool
}

func maxGradient(o operator) kernel {
	return &maxima{fold(o.in[0], among(o.In[0], attribute[[]int](o.Op, "axes")), o.Segments), o.Segments}
}

func (k *maxima) launch(s *Stream, c *device.Call) error {
	f, rows := &k.row, c.N
	p := kernels.MaxGradient{Runs: c.N * f.outer, Length: f.length, Width: f.inner}
	if k.segments {
		runs, err := s.runs(c)
		if err != nil || c.Length == 0 {
			return err
		}
		p.Lists, p.ListRows, rows = runs.Start, c.Length, c.Length
	}
	x, err := f.load(s, c.In[0], rows)
	if err != nil {
		return err
	}
	y, err := s.packed(c.In[1], c.N, f.kept())
	if err != nil {
		return err
	}
	g, err := s.packed(c.In[2], c.N, f.kept())
	if err != nil {
		return err
	}
	return f.store(s, c.Out, rows, func(out gpu.Buffer) error {
		return s.device.kernels.MaxGradient(s.stream, out, x, y, g, p)
	})
}
