package exec

import "slices"

// Note [Kept rows]
//
// In inference, rows of stages whose keys are integers alone depend on those
// integers and on the variables. They are kept when an engine is reset, behind
// the pinned rows of their stores, until a variable changes or they take too much
// memory: words that were seen once are looked up from then on.

// keptLimit bounds the bytes of kept rows per engine.
const keptLimit = 64 << 20

// keepRows moves the rows of new entries behind those that are kept already, and
// forgets what the other memos know. It is called before the stores are emptied.
func (x *engine) keepRows() error {
	if x.params.version != x.keptAt || x.train || x.opts.NoSharing || x.keptBytes() > keptLimit {
		x.forget()
		return nil
	}
	for id, m := range x.memos {
		if m == nil {
			continue
		}
		code := x.plan.stages[id].infer
		if !code.share.ints {
			m.reset()
			continue
		}
		for k, n := range code.share.names {
			d := &x.stores[code.own[n.own].store]
			for e := m.kept; e < m.entries(); e++ {
				d.moves = append(d.moves, move{m, k, e})
			}
		}
		m.kept = m.entries()
	}
	for id := range x.stores {
		if err := x.moveRows(id); err != nil {
			x.forget()
			return err
		}
	}
	return nil
}

// keptBytes is the size of what the next reset would keep.
func (x *engine) keptBytes() (bytes int) {
	for id, m := range x.memos {
		if code := x.plan.stages[id].infer; m != nil && code.share.ints {
			for _, n := range code.share.names {
				bytes += m.entries() * x.plan.stores[code.own[n.own].store].size * 4
			}
		}
	}
	return bytes
}

// forget empties all memos, so that nothing is kept.
func (x *engine) forget() {
	for _, m := range x.memos {
		if m != nil {
			m.reset()
		}
	}
	for i := range x.stores {
		x.stores[i].kept = 0
	}
	x.keptAt = x.params.version
}

// move is a row to be kept: that of entry e of a memo, named by names[k].
type move struct {
	m    *memo
	k, e int
}

// moveRows moves the noted rows of a store behind those that it keeps. In
// ascending order no row is overwritten before it has moved.
func (x *engine) moveRows(id int) error {
	s, d := x.plan.stores[id], &x.stores[id]
	slices.SortFunc(d.moves, func(a, b move) int { return int(a.m.rows[a.k][a.e] - b.m.rows[b.k][b.e]) })
	if x.onDevice(s) {
		if err := x.dev.moveRows(s, d.moves, len(s.pins)+d.kept); err != nil {
			return err
		}
	}
	for _, v := range d.moves {
		row := &v.m.rows[v.k][v.e]
		to := len(s.pins) + d.kept
		if from := int(*row); from != to {
			switch {
			case s.ints:
				copy(d.i[to*s.size:(to+1)*s.size], d.i[from*s.size:])
			case x.dev == nil:
				copy(d.f[to*s.size:(to+1)*s.size], d.f[from*s.size:])
			}
			*row = int32(to)
		}
		d.kept++
	}
	d.moves = d.moves[:0]
	return nil
}
