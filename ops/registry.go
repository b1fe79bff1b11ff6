package ops

import (
	"fmt"
	"maps"

	"github.com/frondml/frond/graph"
)

// Registry returns, by name, what makes an operator from the attributes that its
// Attrs lists: printed programs are read back with it. Missing, unknown and
// mistyped attributes are errors that wrap graph.ErrInvalid.
func Registry() map[string]func(attrs []graph.Attr) (graph.Op, error) {
	all := map[string]func([]graph.Attr) (graph.Op, error){}
	maps.Copy(all, elementwiseRegistry())
	maps.Copy(all, structureRegistry())
	return all
}

// plain makes an operator without attributes.
func plain(op graph.Op) func([]graph.Attr) (graph.Op, error) {
	return withAttrs(func(*attrReader) graph.Op { return op })
}

// withAttrs makes an operator from the attributes that build reads.
func withAttrs(build func(r *attrReader) graph.Op) func([]graph.Attr) (graph.Op, error) {
	return func(attrs []graph.Attr) (graph.Op, error) {
		r := &attrReader{attrs: attrs, read: map[string]bool{}}
		op := build(r)
		for _, a := range attrs {
			if r.err == nil && !r.read[a.Key] {
				r.err = fmt.Errorf("%w: %s has no attribute %q", graph.ErrInvalid, op.Name(), a.Key)
			}
		}
		if r.err != nil {
			return nil, r.err
		}
		return op, nil
	}
}

// attrReader reads attributes and keeps the first mistake.
type attrReader struct {
	attrs []graph.Attr
	read  map[string]bool
	err   error
}

func (r *attrReader) int(key string) int { return readAttr[int](r, key) }

func (r *attrReader) ints(key string) []int { return readAttr[[]int](r, key) }

func (r *attrReader) bool(key string) bool { return readAttr[bool](r, key) }

func (r *attrReader) float(key string) float64 { return readAttr[float64](r, key) }

func (r *attrReader) dtype(key string) graph.DType { return readAttr[graph.DType](r, key) }

func readAttr[T any](r *attrReader, key string) T {
	r.read[key] = true
	var zero T
	for _, a := range r.attrs {
		if a.Key != key {
			continue
		}
		v, ok := a.Value.(T)
		if !ok && r.err == nil {
			r.err = fmt.Errorf("%w: attribute %q is %v, a %T; want a %T", graph.ErrInvalid, key, a.Value, a.Value, zero)
		}
		return v
	}
	if r.err == nil {
		r.err = fmt.Errorf("%w: attribute %q is missing", graph.ErrInvalid, key)
	}
	return zero
}
