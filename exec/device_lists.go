package exec

import (
	"github.com/frondml/frond/exec/device"
)

// indexLists are the words that the kernels of a phase read: numbers of rows and other
// integers. They lie one after the other and go up in one copy.
type indexLists struct {
	words  []int32
	placed []placedList
	groups []rowGroups
	buffer device.Buffer
}

// listKey tells what a list is made of.
type listKey struct {
	kind   listKind
	index  int // register, space, slot, by kind
	space  int // expanded to the elements of
	source *operand
}

type listKind uint8

const (
	listRegister listKind = iota
	listWords             // of the lists of a space
	listSlot              // integers in temporary memory
	listRowOf             // the frame of every element of a space
	listOffsets           // where the lists of a space begin
	listIntegers          // the rows of an operand
	listPlaces            // computed places
	listKeys              // of random choices
	listOfCopies          // rows of a matrix, several per row of an operand
)

type placedList struct {
	key listKey
	at  int
}

// find returns where a list lies.
func (l *indexLists) find(k listKey) (at int, ok bool) {
	for i := range l.placed {
		if l.placed[i].key == k {
			return l.placed[i].at, true
		}
	}
	return 0, false
}

// add places a list.
func (l *indexLists) add(k listKey, words []int32) {
	if _, ok := l.find(k); ok {
		return
	}
	l.placed = append(l.placed, placedList{k, len(l.words)})
	l.words = append(l.words, words...)
}

// index returns a list that was placed, in the memory of the device.
func (l *indexLists) index(k listKey) device.Index {
	at, _ := l.find(k)
	return device.Index{Buffer: l.buffer, Offset: at}
}

// send copies all lists to the device.
func (l *indexLists) send(d *deviceEngine) error {
	if len(l.words) == 0 {
		return nil
	}
	b, err := d.upload(l.words)
	l.buffer = b
	return err
}

// release forgets the lists.
func (l *indexLists) release(d *deviceEngine) error {
	l.words, l.placed, l.groups = l.words[:0], l.placed[:0], l.groups[:0]
	b := l.buffer
	l.buffer = nil
	return d.free(b)
}

// listOf returns the key of the list by which an operand's rows are chosen, and the list;
// none for rows that follow each other.
func (d *deviceEngine) listOf(o *operand, space int) (listKey, []int32, bool) {
	r := d.x.run
	var k listKey
	var words []int32
	switch o.kind {
	case inStore, inTable, inStoreAdj:
		k, words = listKey{kind: listRegister, index: o.index}, r.regs[o.index]
	case inStoreFlat, inTableFlat, inStoreFlatAdj:
		k, words = listKey{kind: listWords, index: o.space}, r.spaces[o.space].flat
	case inTableBuffer:
		k, words = listKey{kind: listSlot, index: o.index}, d.x.intSlot(&r.code.buffers[o.index])
	case inGlobal:
		return k, nil, false
	}
	if !o.expand {
		return k, words, words != nil
	}
	rowOf := r.spaces[space].rowOf
	if words == nil {
		return listKey{kind: listRowOf, index: space}, rowOf, true
	}
	k.space = space
	if _, ok := d.lists.find(k); ok {
		return k, nil, true
	}
	r.expandTo = space
	q := d.x.rows(o, 0)
	return k, q.Index, true
}

// note places the list of an operand, for kernels over the rows of a space.
func (d *deviceEngine) note(o *operand, space int) {
	if k, words, ok := d.listOf(o, space); ok {
		d.lists.add(k, words)
	}
}

// noteInts places the rows of an operand of integers.
func (d *deviceEngine) noteInts(o *operand, space, n, size int) {
	k := listKey{kind: listIntegers, source: o}
	if _, ok := d.lists.find(k); ok {
		return
	}
	d.x.run.expandTo = space
	q := d.x.rows(o, 0)
	d.lists.placed = append(d.lists.placed, placedList{k, len(d.lists.words)})
	if q.Stride == 0 {
		n = min(n, 1)
	}
	for j := range n {
		d.lists.words = append(d.lists.words, q.Ints(j, size)...)
	}
}

// rows resolves an operand of floats.
func (d *deviceEngine) rows(o *operand, space int) (device.Rows, error) {
	x := d.x
	q := device.Rows{Offset: o.offset}
	var err error
	switch o.kind {
	case inBuffer:
		b := &x.run.code.buffers[o.index]
		q.Stride = b.size
		q.Buffer, err = d.slot(b)
	case inOwn, inStore, inStoreFlat:
		q.Stride = x.plan.stores[o.store].size
		q.Buffer = d.stores[o.store].rows.Buffer
	case inOwnAdj, inStoreAdj, inStoreFlatAdj:
		q.Stride = x.plan.stores[o.store].size
		q.Buffer = d.stores[o.store].adjoints.Buffer
	case inGlobal:
		q.Buffer, err = d.global(o.global)
		return q, err
	case inTable, inTableFlat, inTableBuffer:
		q.Stride = o.stride
		q.Buffer, err = d.global(o.global)
	case inTemp:
		q.Buffer = d.temps[o.index]
		q.Stride = q.Buffer.Words() / max(1, x.run.count(o.space))
		return q, nil
	case inUse:
		q.Stride = x.plan.dys[o.index].width
		q.Buffer = d.dys[o.index].Buffer
		q.Offset += x.dys[o.index].n * q.Stride
	}
	if o.kind == inOwn || o.kind == inOwnAdj {
		q.Offset += x.run.row0[o.index] * q.Stride
	}
	if k, _, ok := d.listOf(o, space); ok {
		q.Index = d.lists.index(k)
	}
	return q, err
}

// ints is rows for an operand of integers.
func (d *deviceEngine) ints(o *operand, size int) device.Rows {
	i := d.lists.index(listKey{kind: listIntegers, source: o})
	q := device.Rows{Buffer: i.Buffer, Offset: i.Offset, Stride: size}
	if o.kind == inGlobal {
		q.Stride = 0
	}
	return q
}
