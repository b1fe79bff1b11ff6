package cuda

import (
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// vectorwise is an operation on the vectors along the last axis of rows.
type vectorwise struct {
	perRow, k int
	apply     func(set *kernels.Set, s *gpu.Stream, out kernels.Matrix, in []kernels.Matrix) error
}

func (v *vectorwise) launch(s *Stream, c *device.Call) error {
	in := make([]kernels.Matrix, len(c.In))
	for i, r := range c.In {
		var err error
		if in[i], err = s.vectors(r, c.N, v.perRow, v.k); err != nil {
			return err
		}
	}
	return s.vectorResult(c.Out, c.N, v.perRow, v.k, func(out kernels.Matrix) error {
		return v.apply(s.device.kernels, s.stream, out, in)
	})
}

// vectorsOf returns an operation on the vectors of the first input.
func vectorsOf(o operator) *vectorwise {
	last := len(o.in[0]) - 1
	return &vectorwise{perRow: o.in[0][:last].Size(), k: o.in[0][last]}
}

func normalize(o operator) kernel {
	v, p := vectorsOf(o), kernels.LayerNorm{Epsilon: float32(attribute[float64](o.Op, "eps"))}
	v.apply = func(set *kernels.Set, s *gpu.Stream, out kernels.Matrix, in []kernels.Matrix) error {
		return set.LayerNorm(s, out, in[0], p)
	}
	return v
}

func normalizeGradient(o operator) kernel {
	v, p := vectorsOf(o), kernels.LayerNorm{Epsilon: float32(attribute[float64](o.Op, "eps"))}
	v.apply = func(set *kernels.Set, s *gpu.Stream, out kernels.Matrix, in []kernels.Matrix) error {
		return set.LayerNormGradient(s, out, in[0], in[1], p)
	}
	return v
}

// classifier computes cross-entropies or their gradients. A row has so many
// distributions over k classes.
type classifier struct {
	perRow, k int
	gradient  bool
}

func crossEntropy(o operator) kernel {
	v := vectorsOf(o)
	return &classifier{v.perRow, v.k, false}
}

func crossEntropyGradient(o operator) kernel {
	v := vectorsOf(o)
	return &classifier{v.perRow, v.k, true}
}

func (k *classifier) launch(s *Stream, c *device.Call) error {
	logits, err := s.vectors(c.In[0], c.N, k.perRow, k.k)
	if err != nil {
		return err
	}
	label, err := s.packed(c.In[1], c.N, k.perRow)
	if err != nil {
		return err
	}
	set := s.device.kernels
	if !k.gradient {
		return s.packedResult(c.Out, c.N, k.perRow, func(loss gpu.Buffer) error {
			return set.CrossEntropy(s.stream, loss, logits, label)
		})
	}
	ct, err := s.packed(c.In[2], c.N, k.perRow)
	if err != nil {
		return err
	}
	return s.vectorResult(c.Out, c.N, k.perRow, k.k, func(out kernels.Matrix) error {
		return set.CrossEntropyGradient(s.stream, out, logits, label, ct)
	})
}

// dropping is dropout of rows of a width.
type dropping struct {
	width int
	rate  float64
	salt  int
	copy  *elementwise // of a run without a seed
}

func dropout(o operator) kernel {
	return &dropping{
		width: o.out.Size(), rate: attribute[float64](o.Op, "rate"), salt: attribute[int](o.Op, "salt"),
		copy: whole(kernels.ElementCopy, o, broadcast(o.out, o.in[0])),
	}
}

func (k *dropping) launch(s *Stream, c *device.Call) error {
	if c.Seed == 0 {
		return k.copy.launch(s, c)
	}
	keys, err := s.index(c.Keys, c.N)
	if err != nil {
		return err
	}
	x, err := s.strided(c.In[0], c.N, k.width)
	if err != nil {
		return err
	}
	out, err := s.target(c.Out, c.N, k.width)
	if err != nil {
		return err
	}
	return s.device.kernels.Dropout(s.stream, out, x, kernels.Dropout{Rate: k.rate, Salt: k.salt, Seed: c.Seed, Keys: keys})
}

// hot makes vectors of n elements of which one is 1, so many per row.
type hot struct{ perRow, n int }

func oneHot(o operator) kernel { return hot{o.in[0].Size(), attribute[int](o.Op, "n")} }

func (k hot) launch(s *Stream, c *device.Call) error {
	place, err := s.packed(c.In[0], c.N, k.perRow)
	if err != nil {
		return err
	}
	return s.vectorResult(c.Out, c.N, k.perRow, k.n, func(out kernels.Matrix) error {
		return s.device.kernels.PlaceInRows(s.stream, out, place, gpu.Buffer{})
	})
}
