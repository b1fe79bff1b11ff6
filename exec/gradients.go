package exec

import (
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
	"github.com/frondml/frond/ops"
)

// Gradients holds the gradient of a run's objective with respect to every
// variable. It belongs to the session that made it and is valid until the
// session's next gradient run.
type Gradients struct {
	vars    []Gradient
	workers int
}

// Gradient is that of one variable: dense, or only some rows, the others being
// zero. A variable that the objective does not depend on has neither.
type Gradient struct {
	Variable *graph.Variable
	Dense    []float32 // in the variable's Layout, nil when row-sparse or zero
	Rows     []int32   // distinct; ascending under Options.Deterministic
	Values   []float32 // one row per element of Rows

	layout Layout
}

// Each calls f for every variable that is not frozen, in the program's order.
func (g *Gradients) Each(f func(*Gradient)) {
	for i := range g.vars {
		if !g.vars[i].Variable.Frozen {
			f(&g.vars[i])
		}
	}
}

// Of returns the gradient of one variable, nil for one of another program.
func (g *Gradients) Of(v *graph.Variable) *Gradient {
	if v == nil || v.Index >= len(g.vars) || g.vars[v.Index].Variable != v {
		return nil
	}
	return &g.vars[v.Index]
}

// Workers is the number of workers of the session that made the gradients.
func (g *Gradients) Workers() int { return g.workers }

// Full returns the gradient as a dense, row-major array: a copy, unless Dense is one.
func (g *Gradient) Full() []float32 {
	if g.Dense != nil {
		return g.layout.RowMajor(g.Dense)
	}
	full := make([]float32, g.Variable.Type.Size())
	d := g.rowSize()
	for i, r := range g.Rows {
		copy(full[int(r)*d:], g.Values[i*d:(i+1)*d])
	}
	return full
}

func (g *Gradient) rowSize() int { return g.Variable.Type.Elem().Size() }

// gradients accumulates what one engine contributes, row-major.
type gradients struct {
	dense  [][]float32 // nil until touched
	used   []bool
	sparse []rowGradients
	// panels are sums of products in the layout of their variable, nil when there are
	// none.
	panels [][]float32
}

// rowGradients accumulates rows of one variable.
type rowGradients struct {
	place  []int32 // per row of the variable: 1 + its place, 0 when absent
	rows   []int32
	values []float32
	size   int
	count  int // rows of the variable
}

func newGradients(prog *graph.Program) *gradients {
	n := len(prog.Variables)
	g := &gradients{dense: make([][]float32, n), used: make([]bool, n), sparse: make([]rowGradients, n), panels: make([][]float32, n)}
	for i, v := range prog.Variables {
		g.sparse[i].size = v.Type.Elem().Size()
		g.sparse[i].count = v.Type.Size() / g.sparse[i].size
	}
	return g
}

func (g *gradients) reset() {
	for i := range g.dense {
		g.used[i] = false
		g.sparse[i].reset()
	}
	clear(g.panels)
}

func (r *rowGradients) reset() {
	for _, row := range r.rows {
		r.place[row] = 0
	}
	r.rows, r.values = r.rows[:0], r.values[:0]
}

// of returns the dense accumulator of a variable, zero at first.
func (g *gradients) of(v, size int) []float32 {
	if !g.used[v] {
		clear(g.unset(v, size))
	}
	return g.dense[v]
}

// unset is of for a caller that overwrites all elements.
func (g *gradients) unset(v, size int) []float32 {
	if g.dense[v] == nil {
		g.dense[v] = make([]float32, size)
	}
	g.used[v] = true
	return g.dense[v]
}

// addDense adds n rows to the gradient of variable v.
func (g *gradients) addDense(v int, q ops.Rows, n, size int) {
	dst := g.of(v, size)
	for j := range n {
		kernel.AddTo(dst, q.Row(j, size))
	}
}

func (g *gradients) addDenseRow(v int, row []float32) { kernel.AddTo(g.of(v, len(row)), row) }

// addRow adds to row r of the gradient of variable v.
func (g *gradients) addRow(v int, r int32, values []float32) {
	s := &g.sparse[v]
	if s.place == nil {
		s.place = make([]int32, s.count)
	}
	if p := s.place[r]; p > 0 {
		at := int(p-1) * s.size
		kernel.AddTo(s.values[at:at+s.size], values)
		return
	}
	s.rows = append(s.rows, r)
	s.values = append(s.values, values...)
	s.place[r] = int32(len(s.rows))
}

// merge adds the contributions of o.
func (g *gradients) merge(o *gradients) {
	for v := range o.dense {
		if o.used[v] {
			kernel.AddTo(g.of(v, len(o.dense[v])), o.dense[v])
		}
		s := &o.sparse[v]
		for i, r := range s.rows {
			g.addRow(v, r, s.values[i*s.size:(i+1)*s.size])
		}
	}
}

// result makes the public form.
func (g *gradients) result(p *Parameters, dst *Gradients, ordered bool) {
	dst.vars = slices.Grow(dst.vars[:0], len(p.prog.Variables))
	for i, v := range p.prog.Variables {
		q := Gradient{Variable: v, layout: p.layouts[i]}
		s := &g.sparse[i]
		if len(s.rows) > 0 && (g.used[i] || q.layout.packed) {
			g.spread(i, v.Type.Size())
		}
		switch {
		case q.layout.packed:
			q.Dense = g.stored(i, q.layout)
		case g.used[i]:
			q.Dense = g.dense[i]
		case len(s.rows) > 0:
			if ordered {
				s.sort()
			}
			q.Rows, q.Values = s.rows, s.values
		}
		dst.vars = append(dst.vars, q)
	}
}

// spread adds the rows of variable v to its dense gradient.
func (g *gradients) spread(v, size int) {
	s, dense := &g.sparse[v], g.of(v, size)
	for k, r := range s.rows {
		kernel.AddTo(dense[int(r)*s.size:int(r+1)*s.size], s.values[k*s.size:(k+1)*s.size])
	}
}

// stored returns the gradient of a variable that does not lie row-major, nil when it
// is zero. Products alone contribute to almost all of them.
func (g *gradients) stored(v int, l Layout) []float32 {
	if !g.used[v] {
		return g.panels[v]
	}
	rest := l.fromRowMajor(g.dense[v])
	if g.panels[v] == nil {
		return rest
	}
	kernel.AddTo(g.panels[v], rest)
	return g.panels[v]
}

// sort orders the rows, so that the result does not depend on who met a row first.
func (s *rowGradients) sort() {
	if slices.IsSorted(s.rows) {
		return
	}
	rows := slices.Clone(s.rows)
	slices.Sort(rows)
	values := make([]float32, 0, len(s.values))
	for i, r := range rows {
		at := int(s.place[r]-1) * s.size
		values = append(values, s.values[at:at+s.size]...)
		s.place[r] = int32(i + 1)
	}
	s.rows, s.values = rows, values
}
