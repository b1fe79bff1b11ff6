package exec

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// rowStore holds the rows of one store, and their cotangents.
type rowStore struct {
	f     []float32
	i     []int32
	adj   []float32
	rows  int
	kept  int // rows behind the pinned ones that reset leaves
	moves []move
}

// pinRows fills the first rows of a store with its constants and variables.
func (x *engine) pinRows(s *storeInfo) error {
	if len(s.pins) == 0 {
		return nil
	}
	if err := x.appendRows(s.id, len(s.pins)); err != nil {
		return err
	}
	if x.onDevice(s) {
		return x.dev.s.failed(x.dev.pin(s))
	}
	d := &x.stores[s.id]
	for i, v := range s.pins {
		f, ints := x.params.global(v)
		if s.ints {
			copy(d.i[i*s.size:], ints)
		} else {
			copy(d.f[i*s.size:], f)
		}
	}
	return nil
}

// appendRows adds n rows to a store. Slices into the store become stale.
func (x *engine) appendRows(id, n int) error {
	s, d := x.plan.stores[id], &x.stores[id]
	need := (d.rows + n) * s.size
	if d.rows+n > maxRows {
		return fmt.Errorf("%w: more than %d rows of %d elements", ErrMemory, maxRows, s.size)
	}
	if x.onDevice(s) {
		return x.dev.s.failed(x.dev.appendRows(id, n))
	}
	have := cap(d.f)
	if s.ints {
		have = cap(d.i)
	}
	if need > have {
		grown := need + need/2
		if err := x.mayGrow(int64(grown-have) * 4); err != nil {
			return err
		}
		if s.ints {
			d.i = append(make([]int32, 0, grown), d.i[:d.rows*s.size]...)
		} else {
			d.f = append(make([]float32, 0, grown), d.f[:d.rows*s.size]...)
		}
	}
	d.rows += n
	if s.ints {
		d.i = d.i[:need]
	} else {
		d.f = d.f[:need]
	}
	return nil
}

// onDevice reports whether the rows of a store lie on a device.
func (x *engine) onDevice(s *storeInfo) bool {
	return x.dev != nil && (!s.ints || x.dev.s.kernels.stays[s.id])
}

const maxRows = 1<<31 - 1

// bytes returns the memory that the engine holds.
func (x *engine) bytes() int64 {
	n := cap(x.mem) + cap(x.lists.words) + cap(x.tape.words) + x.run.held()
	for i := range x.stores {
		d := &x.stores[i]
		n += cap(d.f) + cap(d.i) + cap(d.adj)
	}
	for i := range x.uses {
		n += cap(x.uses[i].x)
	}
	for i := range x.dys {
		n += cap(x.dys[i].rows)
	}
	if x.dev != nil {
		n += x.dev.words + x.dev.apart
	}
	return int64(n)*4 + int64(cap(x.tape.entries))*entryBytes
}

// used returns the part of the memory that runs have taken since the engine was reset.
func (x *engine) used() int64 {
	n := len(x.mem) + len(x.lists.words) + len(x.tape.words)
	for i, s := range x.plan.stores {
		n += x.stores[i].rows * s.size
	}
	return int64(n) * 4
}

// mayGrow reports whether the engine may take more bytes.
func (x *engine) mayGrow(more int64) error {
	if x.limit == 0 {
		return nil
	}
	if held := x.bytes(); held+more > x.limit {
		return fmt.Errorf("%w: %d bytes are held and %d more needed, the limit per worker is %d", ErrMemory, held, more, x.limit)
	}
	return nil
}

// global returns the elements of a constant or variable.
func (p *Parameters) global(v graph.Value) ([]float32, []int32) {
	if w := v.Variable(); w != nil {
		return p.values[w.Index], nil
	}
	c := v.Node().Op.(*graph.Const)
	return c.F, c.I
}
