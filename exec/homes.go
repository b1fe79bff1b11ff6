package exec

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Note [Homes]
//
// An element-wise operator may write its result over an operand that nothing else
// reads. Values that follow each other in this way share a home: the sigmoid of a
// part of a product lies in that part of the product's row, so that the activations
// of all gates are one row, and one call where they are the same function. A home is
// a temporary buffer; or rows kept for backward, when backward reads what lies there
// in the end; or the named rows of the one value in it that escapes.
//
// An operand that backward reads, or that others know by name, is not written over.

// home is a place that several values of a stage have one after the other, or side
// by side.
type home struct {
	typ     graph.Type  // of a row
	escaper graph.Value // has its name outside of the stage
	store   *storeInfo  // of values that share a name
	saved   bool
	placed  bool
	at      operand
}

// room is where in a home a value lies.
type room struct {
	*home
	offset int
}

// elementwise returns the element-wise function of a node, nil when it is something else.
func elementwise(n *graph.Node) *ops.Elements {
	if l := lowering(n); l != nil {
		return l.Elements
	}
	return nil
}

// findHomes lets the results of element-wise operators have the places of operands.
func (b *builder) findHomes() {
	for v, at := range b.rooms { // sums that lie side by side
		at.saved = at.saved || b.saved[v]
	}
	for _, n := range b.st.nodes {
		if elementwise(n) == nil || b.sumOf[n.Result(0)] != nil {
			continue
		}
		z := n.Result(0)
		if b.added[z] {
			continue
		}
		for _, x := range n.In {
			if b.mayOverwrite(x, z) && b.moveIn(z, x) {
				break
			}
			if x.Type().IsList() {
				break // the rows of the first list are those of the result
			}
		}
	}
}

// mayOverwrite reports whether z, the result of the only reader of x, may lie where
// x does.
func (b *builder) mayOverwrite(x, z graph.Value) bool {
	return b.inStage(x) && b.uses[x] == 1 && !b.escapes[x] && !b.saved[x] && !b.added[x] && x.Type().Equal(z.Type())
}

// moveIn gives z the room of x, and reports whether that is possible.
func (b *builder) moveIn(z, x graph.Value) bool {
	at, ok := b.rooms[x]
	if !ok {
		if at, ok = b.newRoom(x); !ok {
			return false
		}
	}
	if b.escapes[z] {
		if at.offset != 0 || !at.typ.Equal(rowType(z.Type())) {
			return false
		}
		at.escaper = z
	}
	at.saved = at.saved || b.saved[z]
	b.rooms[x], b.rooms[z] = at, at
	return true
}

// newRoom makes the room of a value that the stage computes, or of a part of one.
func (b *builder) newRoom(x graph.Value) (room, bool) {
	r, off := b.windowRoot(x)
	if !b.ownPlace(r) || b.escapes[r] || b.saved[r] {
		return room{}, false
	}
	if !b.readOnce(x) {
		return room{}, false
	}
	at, ok := b.rooms[r]
	if !ok {
		at = room{&home{typ: rowType(r.Type())}, 0}
		b.rooms[r] = at
	}
	return room{at.home, at.offset + off}, true
}

// windowRoot returns the value of which v is a part, and where the part begins.
func (b *builder) windowRoot(v graph.Value) (graph.Value, int) {
	off := 0
	for w := b.isWindow(v); w != nil; w = b.isWindow(v) {
		off += w.From
		v = v.Node().In[0]
	}
	return v, off
}

// ownPlace reports whether the stage computes v into a place of the builder's choice.
func (b *builder) ownPlace(v graph.Value) bool {
	if !b.inStage(v) || !hasRows(v.Type()) {
		return false
	}
	if s := b.sumOf[v]; s != nil && s.root != v {
		return false
	}
	n := v.Node()
	return !isRename(n) && !isLookUp(n) && rowType(v.Type()).DType.IsFloat()
}

func overlap(a, b ops.Window) bool { return a.From < b.From+b.Size && b.From < a.From+a.Size }

// readOnce reports whether a single node of the stage reads x, or any element of it as a
// part of another value.
func (b *builder) readOnce(x graph.Value) bool {
	r, off := b.windowRoot(x)
	mine := ops.Window{From: off, Size: rowType(x.Type()).Size()}
	readers := 0
	for _, p := range b.parts[r] {
		if overlap(p, mine) {
			readers++
		}
	}
	return readers == 1
}

// partsRead lists the parts of every value that the stage's nodes read, once per
// reader.
func (b *builder) partsRead() map[graph.Value][]ops.Window {
	parts := map[graph.Value][]ops.Window{}
	for _, n := range b.st.nodes {
		if len(n.Out) == 1 && !isCall(n) && b.isWindow(n.Result(0)) != nil {
			continue
		}
		for _, v := range n.In {
			r, off := b.windowRoot(v)
			parts[r] = append(parts[r], ops.Window{From: off, Size: rowType(v.Type()).Size()})
		}
	}
	return parts
}

// homeOf places the home of v on first use and returns where v lies.
func (b *builder) homeOf(at room, sp int) operand {
	h := at.home
	if !h.placed {
		h.placed = true
		switch {
		case h.store != nil:
			h.at = b.ownIn(h.store, sp)
		case !h.escaper.IsZero():
			h.at = b.ownIn(b.p.store(h.escaper), sp)
		case h.saved:
			h.at = b.ownIn(b.p.newStore(h.typ, false), sp)
		default:
			h.at = b.newBuffer(h.typ, sp)
		}
	}
	o := h.at
	o.offset += at.offset
	return o
}
