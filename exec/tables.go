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
}

func (t *tableRows) reset() { t.root, t.key, t.f, t.i = t.root[:0], t.key[:0], t.f[:0], t.i[:0] }

// collect adds a row for every frame of the batch.
func (x *engine) collect(in *instr) {
	t := &x.tables[in.index]
	key, val := x.rows(&in.in[0], 0), x.rows(&in.in[1], 1)
	t.width = in.size
	for j, f := range x.run.frames {
		t.root = append(t.root, x.mem[f+hRoot])
		t.key = append(t.key, key.I[key.At(j)])
		if val.F != nil {
			t.f = append(t.f, val.Row(j, in.size)...)
		} else {
			t.i = append(t.i, val.Ints(j, in.size)...)
		}
	}
}

// tablesOf returns the tables of the roots from lo to hi, and forgets nothing.
func (x *engine) tablesOf(p *part, into []map[string]*Table) {
	for i := range x.tables {
		t := &x.tables[i]
		order := make([]int, 0, len(t.root))
		for j, r := range t.root {
			if x.roots[r].part == p && x.roots[r].err == nil {
				order = append(order, j)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return t.compare(a, b) })
		for _, j := range order {
			index := x.roots[t.root[j]].index
			if into[index] == nil {
				into[index] = map[string]*Table{}
			}
			dst := into[index][x.plan.tables[i]]
			if dst == nil {
				dst = &Table{Width: t.width}
				into[index][x.plan.tables[i]] = dst
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

// compare orders rows by root, key and value.
func (t *tableRows) compare(a, b int) int {
	if c := cmp.Or(cmp.Compare(t.root[a], t.root[b]), cmp.Compare(t.key[a], t.key[b])); c != 0 {
		return c
	}
	for k := range t.width {
		var c int
		if len(t.f) > 0 {
			c = cmp.Compare(math.Float32bits(t.f[a*t.width+k]), math.Float32bits(t.f[b*t.width+k]))
		} else {
			c = cmp.Compare(t.i[a*t.width+k], t.i[b*t.width+k])
		}
		if c != 0 {
			return c
		}
	}
	return 0
}
