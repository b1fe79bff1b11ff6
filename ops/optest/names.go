package optest

import (
	"fmt"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// heap implements ops.Lists and gives rows their names. Handles and names are
// numbers that nothing but the heap can interpret.
type heap struct {
	lists [][]int32
	rows  []row
}

const (
	firstHandle = 5000
	firstName   = 70000
)

// Get implements ops.Lists.
func (h *heap) Get(handle int32) []int32 { return h.lists[handle-firstHandle] }

// New implements ops.Lists.
func (h *heap) New(n int) (int32, []int32) {
	elems := make([]int32, n)
	for i := range elems {
		elems[i] = canary
	}
	h.lists = append(h.lists, elems)
	return int32(firstHandle + len(h.lists) - 1), elems
}

// isInt reports whether a word for a value of type t is the value itself.
func isInt(t graph.Type) bool { return t.IsScalar() && !t.DType.IsFloat() }

// word stores a value of type t and returns what stands for it.
func (h *heap) word(t graph.Type, x *ops.Tensor) int32 {
	if !t.IsList() {
		return h.element(t, rowsOf(x, false)[0])
	}
	handle, elems := h.New(x.Shape[0])
	for i, r := range rowsOf(x, true) {
		elems[i] = h.element(t.Elem(), r)
	}
	return handle
}

func (h *heap) element(t graph.Type, r row) int32 {
	if isInt(t) {
		return int32(r[0])
	}
	h.rows = append(h.rows, r)
	return int32(firstName + len(h.rows) - 1)
}

// value returns what a word of type t stands for.
func (h *heap) value(t graph.Type, word int32) (*ops.Tensor, error) {
	elems := []int32{word}
	elem := t
	if t.IsList() {
		if i := int(word) - firstHandle; i < 0 || i >= len(h.lists) {
			return nil, fmt.Errorf("word %d is no handle of a list", word)
		}
		elems, elem = h.Get(word), t.Elem()
	}
	rows := make([]row, len(elems))
	for i, e := range elems {
		if isInt(elem) {
			rows[i] = row{uint32(e)}
			continue
		}
		at := int(e) - firstName
		if at < 0 || at >= len(h.rows) {
			return nil, fmt.Errorf("word %d names no row", e)
		}
		rows[i] = h.rows[at]
	}
	return tensorOf(t, rows), nil
}

func (k kernel) runNames(frames [][]*ops.Tensor) ([]*ops.Tensor, error) {
	h := &heap{}
	w := &ops.Words{N: len(frames), In: make([][]int32, len(k.in)), Out: make([]int32, len(frames)), Lists: h}
	for i, t := range k.in {
		for _, frame := range frames {
			w.In[i] = append(w.In[i], h.word(t, frame[i]))
		}
	}
	if err := k.low.Names(w); err != nil {
		return nil, err
	}
	results := make([]*ops.Tensor, len(frames))
	for f, word := range w.Out {
		x, err := h.value(k.out, word)
		if err != nil {
			return nil, fmt.Errorf("frame %d: %w", f, err)
		}
		results[f] = x
	}
	return results, nil
}
