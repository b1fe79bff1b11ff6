package ops

import (
	"fmt"
	"math/bits"

	"github.com/frondml/frond/graph"
)

// axisSet is a set of axes: bit i stands for axis i. Being a plain word keeps
// operators comparable.
type axisSet uint32

const maxRank = graph.MaxRank

// axisRange is the set of axes from, ..., to-1.
func axisRange(from, to int) axisSet {
	var s axisSet
	for i := from; i < to; i++ {
		s |= 1 << i
	}
	return s
}

func (s axisSet) has(i int) bool { return s>>i&1 != 0 }

func (s axisSet) len() int { return bits.OnesCount32(uint32(s)) }

// list returns the axes in ascending order.
func (s axisSet) list() []int {
	list := []int{}
	for i := range maxRank {
		if s.has(i) {
			list = append(list, i)
		}
	}
	return list
}

// check reports whether a value of type t has all axes of the set.
func (s axisSet) check(t graph.Type) error {
	if n := t.Rank(); s>>min(n, maxRank) != 0 {
		return fmt.Errorf("%w: x %v has no axis %d", graph.ErrShape, t, bits.Len32(uint32(s))-1)
	}
	return nil
}

// drop returns s without the axes of the set.
func (s axisSet) drop(shape graph.Shape) graph.Shape {
	out := graph.Shape{}
	for i, d := range shape {
		if !s.has(i) {
			out = append(out, d)
		}
	}
	return out
}

// ones returns shape with extent 1 at the axes of the set.
func (s axisSet) ones(shape graph.Shape) graph.Shape {
	out := graph.Shape{}
	for i, d := range shape {
		if s.has(i) {
			d = 1
		}
		out = append(out, d)
	}
	return out
}

// insert returns shape with axes of extent 1 put in so that they are those of
// the set in the result.
func (s axisSet) insert(shape graph.Shape) graph.Shape {
	out := graph.Shape{}
	for i, next := 0, 0; i < len(shape)+s.len(); i++ {
		if s.has(i) {
			out = append(out, 1)
			continue
		}
		out = append(out, shape[next])
		next++
	}
	return out
}

// elem is the set seen by one element of a list: axis 0 is gone.
func (s axisSet) elem() axisSet { return s >> 1 }

// axesOf resolves the axes that a user gives for x, negative ones counting from
// the end; none means all. It returns false after a mistake, which is recorded.
func axesOf(what string, x graph.Value, axes []int) (axisSet, bool) {
	m := graph.ModuleOf(x)
	if !m.Check(what, x) {
		return 0, false
	}
	rank := x.Type().Rank()
	if rank == 0 && len(axes) > 0 {
		m.Errorf(what, "%w: x %v has no axes", graph.ErrShape, x.Type())
		return 0, false
	}
	if len(axes) == 0 {
		return axisRange(0, rank), true
	}
	var s axisSet
	for _, a := range axes {
		i := a
		if a < 0 {
			i += rank
		}
		if i < 0 || i >= rank {
			m.Errorf(what, "%w: axis %d of x %v: want %d..%d", graph.ErrShape, a, x.Type(), -rank, rank-1)
			return 0, false
		}
		if s.has(i) {
			m.Errorf(what, "%w: axis %d of x %v is named twice", graph.ErrShape, a, x.Type())
			return 0, false
		}
		s |= 1 << i
	}
	return s, true
}
