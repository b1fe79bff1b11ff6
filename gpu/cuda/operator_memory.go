package cuda

import (
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// view returns n rows of a width as kernels take them that read rows anywhere.
func (s *Stream) view(r device.Rows, n, width int) (kernels.View, error) {
	o, err := s.rows(r, n, width)
	return kernels.View{Buffer: o.matrix.Buffer, Index: o.index, Stride: r.Stride}, err
}

// packed returns n rows of a width that follow each other without gaps: those that are
// there, or a copy in scratch memory.
func (s *Stream) packed(r device.Rows, n, width int) (gpu.Buffer, error) {
	o, err := s.rows(r, n, width)
	if err != nil || n*width == 0 || !o.indexed() && (n == 1 || r.Stride == width) {
		return o.matrix.Buffer, err
	}
	to, err := s.scratch(n * width)
	if err != nil {
		return gpu.Buffer{}, err
	}
	e := kernels.Elements{Op: kernels.ElementCopy, Rows: n, Out: kernels.View{Buffer: to, Stride: width}}
	e.In[0] = kernels.View{Buffer: o.matrix.Buffer, Index: o.index, Stride: r.Stride}
	return to, s.elements(e, []axis{{width, [4]int{1, 1}}})
}

// strided returns n rows of a width as a matrix: those that are there, or a copy in
// scratch memory where there is an index or one row for all.
func (s *Stream) strided(r device.Rows, n, width int) (kernels.Matrix, error) {
	if !r.Index.IsZero() || n > 1 && r.Stride < width {
		buffer, err := s.packed(r, n, width)
		return kernels.Matrix{Buffer: buffer, Rows: n, Columns: width}, err
	}
	return s.target(r, n, width)
}

// target returns the n rows of a result as a matrix.
func (s *Stream) target(r device.Rows, n, width int) (kernels.Matrix, error) {
	o, err := s.rows(r, n, width)
	m := kernels.Matrix{Buffer: o.matrix.Buffer, Rows: n, Columns: width}
	if n > 1 {
		m.Stride = r.Stride
	}
	return m, err
}

// packedResult calls f with memory for n rows of a width without gaps, which become the
// rows of the result.
func (s *Stream) packedResult(r device.Rows, n, width int, f func(gpu.Buffer) error) error {
	out, err := s.target(r, n, width)
	if err != nil {
		return err
	}
	if n == 1 || r.Stride == width {
		return f(out.Buffer)
	}
	from, err := s.scratch(n * width)
	if err != nil {
		return err
	}
	if err := f(from); err != nil {
		return err
	}
	e := kernels.Elements{Op: kernels.ElementCopy, Rows: n, Out: kernels.View{Buffer: out.Buffer, Stride: r.Stride}}
	e.In[0] = kernels.View{Buffer: from, Stride: width}
	return s.elements(e, []axis{{width, [4]int{1, 1}}})
}

// vectors returns the rows as a matrix whose rows are the vectors of k elements in them,
// so many per row.
func (s *Stream) vectors(r device.Rows, n, perRow, k int) (kernels.Matrix, error) {
	if perRow == 1 {
		return s.strided(r, n, k)
	}
	buffer, err := s.packed(r, n, perRow*k)
	return kernels.Matrix{Buffer: buffer, Rows: n * perRow, Columns: k}, err
}

// vectorResult calls f with a matrix of the vectors in the rows of the result.
func (s *Stream) vectorResult(r device.Rows, n, perRow, k int, f func(kernels.Matrix) error) error {
	if perRow == 1 {
		m, err := s.target(r, n, k)
		if err != nil {
			return err
		}
		return f(m)
	}
	return s.packedResult(r, n, perRow*k, func(b gpu.Buffer) error {
		return f(kernels.Matrix{Buffer: b, Rows: n * perRow, Columns: k})
	})
}

// runs returns the runs of rows that belong to the frames of a call over segments.
func (s *Stream) runs(c *device.Call) (kernels.Runs, error) {
	start, err := s.index(c.Segments, c.N+1)
	return kernels.Runs{N: c.N, Start: start}, err
}
