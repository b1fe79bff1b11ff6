package exec

import (
	"cmp"
	"math"
	"slices"
)

// Table holds the rows that recursion.Collect added in the run of one input,
// ordered by key; rows with equal keys are ordered by value.
type Table struct {
	Keys   []int32
	Width  int       // elements per row
	Values []float32 // float rows
	Ints   []int32   // integer rows
}

// Row returns the values of row i.
func (t *Table) Row(i int) []float32 { return t.Values[i*t.Width : (i+1)*t.Width] }

// tableRows collects the rows of one table from all roots of an engine.
type tableRows struct {
	root, key []int32
	width     int
	f         []float32
	i         []int32
	order     []rowOrder
}

func (t *tableRows) reset() { t.root, t.key, t.f, t.i = t.root[:0], t.key[:0], t.f[:0], t.i[:0] }

// collect adds a row for every frame of the batch.
func (x *engine) collect(in *instr) {
	if x.collecting == 0 {
		return
	}
	t := &x.tables[in.index]
	key, val := x.rows(&in.in[0], 0), x.rows(&in.in[1], 1)
	t.width = in.size
	for j, f := range x.run.frames {
		if !x.roots[x.mem[f+hRoot]].part.tables {
			continue
		}
		t.root = append(t.root, x.mem[f+hRoot])
		t.key = append(t.key, key.I[key.At(j)])
		if val.F != nil {
			t.f = append(t.f, val.Row(j, in.size)...)
		} else {
			t.i = append(t.i, val.Ints(j, in.size)...)
		}
	}
}

// tablesOf adds the tables of a part's roots, by input.
func (x *engine) tablesOf(p *part, into []map[string]*Table) {
	for i := range x.tables {
		t := &x.tables[i]
		t.sort()
		for _, o := range t.order {
			j := int(o.row)
			q := &x.roots[t.root[j]]
			if q.part != p || q.err != nil {
				continue
			}
			if into[q.index] == nil {
				into[q.index] = map[string]*Table{}
			}
			dst := into[q.index][x.plan.tables[i]]
			if dst == nil {
				dst = &Table{Width: t.width}
				into[q.index][x.plan.tables[i]] = dst
			}
			dst.Keys = append(dst.Keys, t.key[j])
			if len(t.f) > 0 {
				dst.Values = append(dst.Values, t.f[j*t.width:(j+1)*t.width]...)
			} else {
				dst.Ints = append(dst.Ints, t.i[j*t.width:(j+1)*t.width]...)
			}
		}
	}
}

// dropRows removes the rows of a part's roots.
func (x *engine) dropRows(p *part) {
	for i := range x.tables {
		x.tables[i].keep(0, func(root int32) bool { return x.roots[root].part != p })
	}
}

// keep removes the rows from number first on whose root is not to be kept.
func (t *tableRows) keep(first int, root func(int32) bool) {
	kept := first
	for j := first; j < len(t.root); j++ {
		if !root(t.root[j]) {
			continue
		}
		t.root[kept], t.key[kept] = t.root[j], t.key[j]
		if len(t.f) > 0 {
			copy(t.f[kept*t.width:(kept+1)*t.width], t.f[j*t.width:])
		} else {
			copy(t.i[kept*t.width:(kept+1)*t.width], t.i[j*t.width:])
		}
		kept++
	}
	t.root, t.key = t.root[:kept], t.key[:kept]
	t.f, t.i = t.f[:min(len(t.f), kept*t.width)], t.i[:min(len(t.i), kept*t.width)]
}

// rowOrder is a row with what it is mostly sorted by: root, then key.
type rowOrder struct {
	by  uint64
	row int32
}

// sort orders the rows by root, key and value.
func (t *tableRows) sort() {
	t.order = t.order[:0]
	for j, r := range t.root {
		t.order = append(t.order, rowOrder{uint64(r)<<32 | uint64(uint32(t.key[j])^1<<31), int32(j)})
	}
	slices.SortFunc(t.order, func(a, b rowOrder) int {
		if a.by != b.by {
			return cmp.Compare(a.by, b.by)
		}
		return t.compareValues(int(a.row), int(b.row))
	})
}

func (t *tableRows) compareValues(a, b int) int {
	for k := range t.width {
		var c int
		if len(t.f) > 0 {
			u, v := t.f[a*t.width+k], t.f[b*t.width+k]
			c = cmp.Or(cmp.Compare(u, v), cmp.Compare(math.Float32bits(u), math.Float32bits(v)))
		} else {
			c = cmp.Compare(t.i[a*t.width+k], t.i[b*t.width+k])
		}
		if c != 0 {
			return c
		}
	}
	return 0
}
