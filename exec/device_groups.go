package exec

import (
	"github.com/frondml/frond/exec/device"
)

// Note [Rows that meet]
//
// Several rows of a batch may be added to the same row: frames that share rows, and lists
// with an element twice. The order of additions must not depend on chance. Since the host
// knows the names, it groups the rows by where they go.

// rowGroups says which rows are added to which, in words of the index lists.
type rowGroups struct {
	key                   listKey
	target, start, source int
	groups, sources       int
}

// distinct tells whether numbers are distinct, and groups equal ones.
type distinct struct {
	seen  []int32 // per number: 1 + its group, if round says so
	round []uint32
	now   uint32
	count []int32
}

// noteGroups places the lists by which rows are added to the rows of an operand.
func (d *deviceEngine) noteGroups(to, from *operand, space int) {
	key, names, _ := d.listOf(to, space)
	key.source = from
	sources := sourceNumbers{}
	if k, words, ok := d.listOf(from, space); ok {
		if words == nil { // it is placed
			at, _ := d.lists.find(k)
			words = d.lists.words[at : at+len(names)]
		}
		sources.index = words
	}
	d.lists.groups = append(d.lists.groups, d.group(key, names, d.x.stores[to.store].rows, sources))
}

// sourceNumbers are the numbers of the rows that are added.
type sourceNumbers struct{ index []int32 }

func (s sourceNumbers) at(j int) int32 {
	if s.index != nil {
		return s.index[j]
	}
	return int32(j)
}

// group places the lists for rows that are added to the rows of the given names, of which
// there are so many in all. Groups are in the order of their first rows.
func (d *deviceEngine) group(key listKey, names []int32, limit int, sources sourceNumbers) rowGroups {
	d.distinct.begin(limit)
	l := &d.lists
	g := rowGroups{key: key, target: len(l.words), sources: len(names)}
	for _, name := range names {
		if d.distinct.add(name) {
			l.words = append(l.words, name)
		}
	}
	g.groups = len(d.distinct.count)
	g.start = len(l.words)
	at := int32(0)
	for i, n := range d.distinct.count {
		l.words = append(l.words, at)
		d.distinct.count[i] = at // where the group's next row goes
		at += n
	}
	l.words = append(l.words, at)
	g.source = len(l.words)
	l.words = append(l.words, names...) // to be overwritten
	source := l.words[g.source:]
	for j, name := range names {
		p := &d.distinct.count[d.distinct.seen[name]-1]
		source[*p] = sources.at(j)
		*p++
	}
	return g
}

func (s *distinct) begin(limit int) {
	if len(s.seen) < limit {
		s.seen, s.round = make([]int32, limit+limit/2), make([]uint32, limit+limit/2)
		s.now = 0
	}
	s.count = s.count[:0]
	if s.now++; s.now == 0 {
		clear(s.round)
		s.now = 1
	}
}

// add counts a number and reports whether it is new.
func (s *distinct) add(name int32) bool {
	if s.round[name] == s.now {
		s.count[s.seen[name]-1]++
		return false
	}
	s.round[name] = s.now
	s.count = append(s.count, 1)
	s.seen[name] = int32(len(s.count))
	return true
}

// addGroups adds rows as their groups say.
func (d *deviceEngine) addGroups(g *rowGroups, to, from device.Rows, width int) error {
	to.Index, from.Index = device.Index{}, device.Index{}
	at := func(word int) device.Index { return device.Index{Buffer: d.lists.buffer, Offset: word} }
	return d.stream.AddGroups(device.Groups{To: to, From: from, Target: at(g.target), Start: at(g.start), Source: at(g.source),
		N: g.groups, Sources: g.sources, Width: width})
}
