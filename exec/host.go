package exec

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/graph"
)

// Array is a tensor on the host's side of a run: row-major, float elements in F,
// integers and truth values (0 or 1) in I. The first extent of a list is its
// length.
type Array struct {
	Shape []int
	F     []float32
	I     []int32
}

// String prints shape and elements.
func (a Array) String() string {
	if a.F != nil {
		return fmt.Sprintf("f32%v%v", graph.Shape(a.Shape), a.F)
	}
	return fmt.Sprintf("i32%v%v", graph.Shape(a.Shape), a.I)
}

// fits reports how a differs from type t. Callers add ErrInput and which value it is.
func (a *Array) fits(t graph.Type) error {
	got, have := len(a.F), a.I != nil
	if !t.DType.IsFloat() {
		got, have = len(a.I), a.F != nil
	}
	if have {
		return fmt.Errorf("wrong kind of elements, want %v", t)
	}
	open := 0 // extents that are not the type's
	if t.IsList() {
		open = 1
	}
	if len(a.Shape) != len(t.Shape) || !slices.Equal(t.Shape[open:], a.Shape[open:]) ||
		open == 1 && a.Shape[0] < 0 || got != graph.Shape(a.Shape).Size() {
		return fmt.Errorf("got %d elements of shape %v, want %v", got, graph.Shape(a.Shape), t)
	}
	if t.DType == graph.Boolean {
		for k, b := range a.I {
			if b != 0 && b != 1 {
				return fmt.Errorf("element %d of %v is %d, want 0 or 1", k, t, b)
			}
		}
	}
	return nil
}

// addRoot starts the run of one input.
func (x *engine) addRoot(p *part, index int) error {
	s := p.sub
	r := x.newRoot()
	p.roots = append(p.roots, r)
	q := &x.roots[r]
	*q = root{part: p, index: index, words: q.words[:0], args: q.args[:0], live: 1}
	f, err := x.newFrame(s)
	if err != nil {
		return err
	}
	m := x.mem[f:]
	m[hParent], m[hSlot], m[hElem], m[hRoot], m[hDepth], m[hKey] = noFrame, r, 0, r, 1, int32(p.keys(index))
	for i := range s.g.In {
		w, err := x.feed(s.g.In[i], s.params[i], &p.inputs[index][i])
		if err != nil {
			return err
		}
		x.mem[int(f)+headerWords+i] = w
		q.args = append(q.args, w)
	}
	x.push(s.stages[0], f)
	return nil
}

// newRoot returns the number of a root that is not in use.
func (x *engine) newRoot() int32 {
	if n := len(x.freeRoots); n > 0 {
		r := x.freeRoots[n-1]
		x.freeRoots = x.freeRoots[:n-1]
		return r
	}
	r := len(x.roots)
	if r < cap(x.roots) {
		x.roots = x.roots[:r+1]
	} else {
		x.roots = append(x.roots, root{})
	}
	return int32(r)
}

// feed copies an input into the engine and returns its word.
func (x *engine) feed(t graph.Type, s *storeInfo, a *Array) (int32, error) {
	if s == nil {
		if !t.IsList() {
			return a.I[0], nil
		}
		h, elems := x.lists.New(a.Shape[0])
		copy(elems, a.I)
		return h, x.lists.failure()
	}
	n := 1
	if t.IsList() {
		n = a.Shape[0]
	}
	first := x.stores[s.id].rows
	if err := x.appendRows(s.id, n); err != nil {
		return 0, err
	}
	switch {
	case s.ints:
		copy(x.stores[s.id].i[first*s.size:], a.I)
	case x.dev != nil:
		if err := x.dev.feed(s, first, a.F); err != nil {
			return 0, err
		}
	default:
		copy(x.stores[s.id].f[first*s.size:], a.F)
	}
	if !t.IsList() {
		return int32(first), nil
	}
	h, names := x.lists.New(n)
	for i := range names {
		names[i] = int32(first + i)
	}
	return h, x.lists.failure()
}

// eachRow calls f for every row of a value: the one that the word names, or
// those of a list.
func (x *engine) eachRow(t graph.Type, word int32, f func(e int, name int32)) {
	if !t.IsList() {
		f(0, word)
		return
	}
	for e, name := range x.lists.Get(word) {
		f(e, name)
	}
}

// hostMemory hands out the memory of a part's results, which are allocated
// together: one block serves many inputs.
type hostMemory struct {
	inputs int // how many inputs' results the blocks are made for
	arrays []Array
	shapes []int
	f      []float32
	i      []int32
}

// carve takes n elements from a block, which is replaced when it is used up.
func carve[T any](block *[]T, n, inputs int) []T {
	if n == 0 {
		return []T{} // not nil, since that tells the kind of the elements
	}
	if cap(*block)-len(*block) < n {
		*block = make([]T, 0, n*inputs)
	}
	from := len(*block)
	*block = (*block)[:from+n]
	return (*block)[from : from+n : from+n]
}

// fetch copies a value of type t out of the engine; adj asks for its cotangent.
func (x *engine) fetch(m *hostMemory, t graph.Type, s *storeInfo, word int32, adj bool) Array {
	a := Array{Shape: carve(&m.shapes, len(t.Shape), m.inputs)}
	copy(a.Shape, t.Shape)
	rows := 1
	if t.IsList() {
		rows = len(x.lists.Get(word))
		a.Shape[0] = rows
	}
	if s == nil {
		a.I = carve(&m.i, rows, m.inputs)
		if t.IsList() {
			copy(a.I, x.lists.Get(word))
		} else {
			a.I[0] = word
		}
		return a
	}
	if s.ints {
		a.I = carve(&m.i, rows*s.size, m.inputs)
	} else {
		a.F = carve(&m.f, rows*s.size, m.inputs)
	}
	d := &x.stores[s.id]
	x.eachRow(t, word, func(e int, name int32) {
		from, to := int(name)*s.size, e*s.size
		switch {
		case x.onDevice(s):
			copy(a.F[to:], x.dev.take(s))
		case adj:
			copy(a.F[to:], d.adj[from:from+s.size])
		case s.ints:
			copy(a.I[to:], d.i[from:from+s.size])
		default:
			copy(a.F[to:], d.f[from:from+s.size])
		}
	})
	return a
}
