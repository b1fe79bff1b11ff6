package exec

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// adjointPlace is where a cotangent is accumulated.
type adjointPlace struct {
	at      operand
	size    int
	zeroed  bool // holds zeros or sums from the start
	written []ops.Window
}

// place returns where the cotangent of a root of the stage is accumulated.
func (a *adjointBuilder) place(r graph.Value) *adjointPlace {
	if pl := a.places[r]; pl != nil {
		return pl
	}
	t := rowType(r.Type())
	if size := a.width(r); size != t.Size() {
		t = graph.T(graph.Float32, size)
	}
	pl := &adjointPlace{size: t.Size()}
	a.places[r] = pl
	src := a.passOn[r]
	dy, isUse := a.dyOf[r]
	switch {
	case a.b.escapes[r]:
		pl.at = a.b.where[r]
		pl.at.kind = inOwnAdj
		pl.zeroed = true
	case a.received[r] == 1 && !src.IsZero() && src.Type().Equal(r.Type()) && !isUse && t.Size() == rowType(r.Type()).Size():
		from, off := a.root(src)
		pl.at = a.place(from).at
		pl.at.offset += off
		pl.zeroed = true
	case isUse:
		sp := a.b.valueSpace(r)
		pl.at = operand{kind: inUse, index: dy, space: sp}
		a.b.emit(instr{kind: doReserve, space: sp, index: -1 - dy})
	default:
		if at, ok := a.overwrites(r); ok {
			pl.at = at
			break
		}
		pl.at = a.b.newBuffer(t, a.b.valueSpace(r))
	}
	return pl
}

// overwrites returns the place of the cotangent of x, when r is an element-wise
// function of x alone and its only reader: what r's step computes from r's cotangent
// may then be written over it.
func (a *adjointBuilder) overwrites(r graph.Value) (operand, bool) {
	n := r.Node()
	if e := elementwise(n); e == nil || e.Map == nil || !a.b.readOnce(n.In[0]) || !a.local(n.In[0]) {
		return operand{}, false
	}
	for _, ls := range a.steps {
		if ls.Node != n {
			continue
		}
		if len(ls.into) != 1 || ls.into[0].form != whole || len(ls.need) != 2 || elementwise(ls.into[0].value.Node()) == nil {
			return operand{}, false
		}
		x, off := a.root(n.In[0])
		pl := a.place(x)
		at := pl.at
		at.offset += off
		return at, !pl.zeroed
	}
	return operand{}, false
}

// read returns the accumulated cotangent of v, complete.
func (a *adjointBuilder) read(v graph.Value) operand {
	r, off := a.root(v)
	pl := a.place(r)
	w := ops.Window{From: off, Size: rowType(v.Type()).Size()}
	a.fillGaps(pl, w)
	o := pl.at
	o.offset += off
	return o
}

// sharesPlace reports whether the contribution is the cotangent in whose place
// the target's lies.
func (a *adjointBuilder) sharesPlace(v graph.Value, pl *adjointPlace, off int) bool {
	o, ok := a.b.where[v]
	_, ct := v.Node().Op.(graph.Cotangent)
	at := pl.at
	at.offset += off
	return ok && ct && o == at
}

// add adds v to part w of a place, or stores it there when it is the first.
func (a *adjointBuilder) add(v graph.Value, pl *adjointPlace, w ops.Window) {
	to := pl.at
	to.offset += w.From
	i := instr{kind: doAdd, space: to.space, size: w.Size, floats: true, out: to, in: []operand{a.b.operand(v, to.space)}}
	if !pl.zeroed && !pl.overlaps(w) {
		i.kind = doCopy
		pl.written = append(pl.written, w)
	} else {
		a.fillGaps(pl, w)
	}
	a.b.emit(i)
}

func (pl *adjointPlace) overlaps(w ops.Window) bool {
	for _, q := range pl.written {
		if overlap(q, w) {
			return true
		}
	}
	return false
}

// fillGaps writes zeros to the parts of w that have not been written.
func (a *adjointBuilder) fillGaps(pl *adjointPlace, w ops.Window) {
	if pl.zeroed {
		return
	}
	at := w.From
	for at < w.From+w.Size {
		end, inside := w.From+w.Size, false
		for _, q := range pl.written {
			if q.From <= at && at < q.From+q.Size {
				at, inside = q.From+q.Size, true
				break
			}
			if q.From > at {
				end = min(end, q.From)
			}
		}
		if inside {
			continue
		}
		to := pl.at
		to.offset += at
		a.b.emit(instr{kind: doZero, space: to.space, size: end - at, out: to})
		pl.written = append(pl.written, ops.Window{From: at, Size: end - at})
		at = end
	}
}
