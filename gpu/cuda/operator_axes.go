package cuda

import (
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
	"github.com/frondml/frond/graph"
)

// axis is an axis of what an element-wise kernel goes through, with the words from one
// element to the next in the result and in up to three operands.
type axis struct {
	extent int
	steps  [4]int
}

// collapse returns the axes without those of extent 1, and with those merged that the
// result and every operand walk as one.
func collapse(axes []axis) []axis {
	merged := make([]axis, 0, len(axes))
	for _, a := range axes {
		if a.extent == 1 {
			continue
		}
		if n := len(merged); n > 0 && merged[n-1].continues(a) {
			a.extent *= merged[n-1].extent
			merged = merged[:n-1]
		}
		merged = append(merged, a)
	}
	return merged
}

// continues reports whether a step along the axis is as good as one after the last
// element of inner.
func (a axis) continues(inner axis) bool {
	for i, step := range inner.steps {
		if a.steps[i] != step*inner.extent {
			return false
		}
	}
	return true
}

// strides returns the distances of neighbours along the axes of a row.
func strides(shape graph.Shape) []int {
	steps, step := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		steps[i] = step
		step *= shape[i]
	}
	return steps
}

// broadcast returns the axes of a result whose operands are aligned at the last axis and
// repeated along axes that they lack or have with an extent of 1.
func broadcast(out graph.Shape, in ...graph.Shape) []axis {
	axes := make([]axis, len(out))
	for i, step := range strides(out) {
		axes[i].extent, axes[i].steps[0] = out[i], step
	}
	for k, shape := range in {
		for i, step := range strides(shape) {
			if shape[i] != 1 {
				axes[i+len(out)-len(shape)].steps[k+1] = step
			}
		}
	}
	return collapse(axes)
}

// elements launches an element-wise kernel over axes. Those that are more than a launch
// has are gone through here.
func (s *Stream) elements(e kernels.Elements, axes []axis) error {
	for _, a := range axes {
		if a.extent == 0 {
			return nil
		}
	}
	if len(axes) > kernels.ElementAxes {
		for i := range axes[0].extent {
			if err := s.elements(shifted(e, axes[0].steps, i), axes[1:]); err != nil {
				return err
			}
		}
		return nil
	}
	e.Extents = [kernels.ElementAxes]int{1, 1, 1, 1}
	for i, a := range axes {
		at := kernels.ElementAxes - len(axes) + i
		e.Extents[at], e.Out.Axes[at] = a.extent, a.steps[0]
		for k := range e.In {
			e.In[k].Axes[at] = a.steps[k+1]
		}
	}
	return s.device.kernels.Elements(s.stream, e)
}

// shifted moves the result and the operands by so many steps.
func shifted(e kernels.Elements, steps [4]int, by int) kernels.Elements {
	move := func(b *gpu.Buffer, step int) { *b = b.Slice(4*int64(by)*int64(step), b.Size()) }
	move(&e.Out.Buffer, steps[0])
	for k := range e.In {
		move(&e.In[k].Buffer, steps[k+1])
	}
	return e
}
