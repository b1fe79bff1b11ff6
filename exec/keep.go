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

// keepRows moves the rows to be kept to the front of their stores and forgets
// what the other memos know. It is called before the stores are emptied.
func (x *engine) keepRows() {
	moves := make([][]move, len(x.stores))
	bytes := 0
	for id, m := range x.memos {
		if m == nil {
			continue
		}
		share := x.plan.stages[id].infer.share
		if x.train || !share.ints || x.opts.NoSharing {
			m.reset()
			continue
		}
		own := x.plan.stages[id].infer.own
		for k, n := range share.names {
			store := own[n.own].store
			bytes += m.entries() * x.plan.stores[store].size * 4
			for e := range m.rows[k] {
				moves[store] = append(moves[store], move{m, k, e})
			}
		}
	}
	if x.params.version != x.keptAt || bytes > keptLimit {
		x.forget()
		return
	}
	for id := range moves {
		x.moveRows(id, moves[id])
	}
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

// moveRows moves rows of one store behind its pinned rows. In ascending order no
// row is overwritten before it has moved.
func (x *engine) moveRows(id int, moves []move) {
	s, d := x.plan.stores[id], &x.stores[id]
	slices.SortFunc(moves, func(a, b move) int { return int(a.m.rows[a.k][a.e] - b.m.rows[b.k][b.e]) })
	to := len(s.pins)
	for _, v := range moves {
		row := &v.m.rows[v.k][v.e]
		if from := int(*row); from != to {
			if s.ints {
				copy(d.i[to*s.size:(to+1)*s.size], d.i[from*s.size:])
			} else {
				copy(d.f[to*s.size:(to+1)*s.size], d.f[from*s.size:])
			}
			*row = int32(to)
		}
		to++
	}
	d.kept = len(moves)
	for _, v := range moves {
		v.m.kept = v.m.entries()
	}
}
