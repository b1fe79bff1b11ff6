package cuda

import (
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// distribution is the softmax along an axis, or its logarithm. Over segments the axis is
// that of the lists.
type distribution struct {
	row      folded
	segments bool
	log      bool
}

func softmax(o operator) kernel {
	along := attribute[int](o.Op, "axis")
	return &distribution{fold(o.in[0], among(o.In[0], []int{along}), false), o.Segments, o.Op.Name() == "log_softmax"}
}

func (k *distribution) launch(s *Stream, c *device.Call) error {
	if k.segments {
		return k.lists(s, c)
	}
	f := &k.row
	if f.inner == 1 {
		along := (*kernels.Set).Softmax
		if k.log {
			along = (*kernels.Set).LogSoftmax
		}
		x, err := s.vectors(c.In[0], c.N, f.outer, f.length)
		if err != nil {
			return err
		}
		return s.vectorResult(c.Out, c.N, f.outer, f.length, func(out kernels.Matrix) error {
			return along(s.device.kernels, s.stream, out, x)
		})
	}
	x, err := s.packed(c.In[0], c.N, f.size())
	if err != nil {
		return err
	}
	return s.packedResult(c.Out, c.N, f.size(), func(out gpu.Buffer) error {
		rows := c.N * f.outer * f.length
		return k.runs(s, kernels.Runs{N: c.N * f.outer, Length: f.length},
			kernels.Matrix{Buffer: out, Rows: rows, Columns: f.inner}, kernels.Matrix{Buffer: x, Rows: rows, Columns: f.inner})
	})
}

// lists normalises over the elements of lists.
func (k *distribution) lists(s *Stream, c *device.Call) error {
	runs, err := s.runs(c)
	if err != nil || c.Length == 0 {
		return err
	}
	x, err := s.strided(c.In[0], c.Length, k.row.size())
	if err != nil {
		return err
	}
	out, err := s.target(c.Out, c.Length, k.row.size())
	if err != nil {
		return err
	}
	return k.runs(s, runs, out, x)
}

// runs normalises the columns of runs of rows.
func (k *distribution) runs(s *Stream, runs kernels.Runs, out, x kernels.Matrix) error {
	if k.log {
		return s.device.kernels.LogSoftmaxRuns(s.stream, runs, out, x)
	}
	return s.device.kernels.SoftmaxRuns(s.stream, runs, out, x)
}
