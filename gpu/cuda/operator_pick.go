package cuda

import (
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu/kernels"
	"github.com/frondml/frond/graph"
)

// picking copies elements along the first axis of a value that integers name, or adds
// elements to those that they name.
type picking struct {
	elements int // in a row; graph.Any in lists
	count    int // integers in a row
	width    int // words of an element
	segments bool
}

func pick(o operator) kernel {
	x := o.In[0]
	return &picking{x.Shape[0], o.in[1].Size(), x.Elem().Size(), o.Segments}
}

func (k *picking) launch(s *Stream, c *device.Call) error {
	p := kernels.Pick{Rows: c.N, Count: k.count, Width: k.width, Elements: max(0, k.elements)}
	rows, width, err := c.N, p.Elements*k.width, error(nil)
	if k.segments {
		if p.Lists, err = s.index(c.Segments, c.N+1); err != nil {
			return err
		}
		p.ListRows, rows, width = c.Length, c.Length, k.width
	}
	if p.From, err = s.view(c.In[0], rows, width); err != nil {
		return err
	}
	if p.At, err = s.view(c.In[1], c.N, k.count); err != nil {
		return err
	}
	if p.Out, err = s.view(c.Out, c.N, k.count*k.width); err != nil {
		return err
	}
	return s.device.kernels.Pick(s.stream, p)
}

// scattering is the reverse of picking.
type scattering struct {
	picking
	intoLists bool
}

func scatter(o operator) kernel {
	return &scattering{
		picking{attribute[int](o.Op, "n"), o.in[1].Size(), o.Out.Elem().Size(), o.Segments},
		o.Out.Shape[0] == graph.Any,
	}
}

func (k *scattering) launch(s *Stream, c *device.Call) error {
	p := kernels.Pick{Rows: c.N, Count: k.count, Width: k.width, Elements: max(0, k.elements)}
	from, to, width, err := c.N, c.N, p.Elements*k.width, error(nil)
	if k.segments {
		if p.Lists, err = s.index(c.Segments, c.N+1); err != nil {
			return err
		}
		p.ListRows, from = c.Length, c.Length
	}
	if k.intoLists {
		from, to, width = c.N, c.Length, k.width
	}
	if p.From, err = s.view(c.In[0], from, k.count*k.width); err != nil {
		return err
	}
	if p.At, err = s.view(c.In[1], from, k.count); err != nil {
		return err
	}
	if err = s.zero(c.Out, to, width); err != nil || to == 0 || k.count == 0 {
		return err
	}
	if p.Out, err = s.view(c.Out, to, width); err != nil {
		return err
	}
	if k.segments && !k.intoLists {
		return s.device.kernels.ScatterLists(s.stream, p)
	}
	return s.device.kernels.Scatter(s.stream, p)
}
