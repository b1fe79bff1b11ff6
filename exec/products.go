package exec

import (
	"golang.org/x/sync/errgroup"

	"github.com/frondml/frond/internal/kernel"
)

// productGroup are the products of one variable whose gradients have the same
// orientation; one packed matrix collects them.
type productGroup struct {
	variable int
	swap     bool
	k, n     int
	uses     []int
	g        *kernel.Packed
	stored   bool // the variable lies like g
}

// groupProducts lists the groups of the plan.
func groupProducts(p *plan, layouts []Layout) []*productGroup {
	var groups []*productGroup
next:
	for i, u := range p.uses {
		for _, g := range groups {
			if g.variable == u.variable && g.swap == u.swap {
				g.uses = append(g.uses, i)
				continue next
			}
		}
		l := layouts[u.variable]
		groups = append(groups, &productGroup{variable: u.variable, swap: u.swap, k: u.xDim, n: u.yDim, uses: []int{i},
			stored: l.packed && l.trans == u.swap})
	}
	return groups
}

// panelsPerTask is how many columns of sixteen one worker computes at a time.
const panelsPerTask = 8

// products computes the gradients of all products from the rows that the engines
// kept: one matrix product per use, engine and range of columns, in a fixed order
// for every element, so that the workers' number does not matter.
func (s *Session) products(engines []*engine, into *gradients) {
	for _, g := range s.groups {
		if g.g == nil {
			g.g = kernel.NewPacked(g.k, g.n)
		}
		if s.opts.Workers == 1 && g.any(engines) {
			g.compute(s, engines, 0, g.g.Panels)
		}
	}
	if s.opts.Workers > 1 {
		s.dealProducts(engines)
	}
	for _, g := range s.groups {
		switch {
		case !g.any(engines):
		case g.stored:
			into.panels[g.variable] = g.g.Data
		default:
			g.unpack(s, into)
		}
	}
}

// dealProducts computes the products with all workers.
func (s *Session) dealProducts(engines []*engine) {
	var tasks errgroup.Group
	tasks.SetLimit(s.opts.Workers)
	for _, g := range s.groups {
		if !g.any(engines) {
			continue
		}
		for p := 0; p < g.g.Panels; p += panelsPerTask {
			tasks.Go(func() error {
				g.compute(s, engines, p, min(p+panelsPerTask, g.g.Panels))
				return nil
			})
		}
	}
	tasks.Wait() // the tasks do not fail
}

func (g *productGroup) any(engines []*engine) bool {
	for _, x := range engines {
		for _, u := range g.uses {
			if x.uses[u].n > 0 {
				return true
			}
		}
	}
	return false
}

func (g *productGroup) compute(s *Session, engines []*engine, p0, p1 int) {
	s.activity.work(1)
	defer s.activity.work(-1)
	acc := false
	for _, i := range g.uses {
		w := s.plan.uses[i]
		for _, x := range engines {
			u := &x.uses[i]
			if u.n == 0 {
				continue
			}
			a, lda := x.productRows(w)
			began := s.now()
			dy, ldb := x.dys[w.dy].rows[w.dyFrom:], s.plan.dys[w.dy].width/w.rows
			kernel.GemmTN(u.n*w.rows, a, lda, u.x, dy, ldb, nil, g.k, g.n, g.g, acc, p0, p1)
			s.productDone(i, u.n*w.rows, g.k, min(g.n, p1*kernel.PanelWidth)-p0*kernel.PanelWidth, began)
			acc = true
		}
	}
}

// productRows returns the memory in which the rows of X lie, and in which unit
// their places are counted.
func (x *engine) productRows(w *weightUse) ([]float32, int) {
	_, unit := x.plan.productUnit(w)
	if w.x.isGlobal() {
		f, _ := x.params.global(w.x.global)
		return f[w.x.offset:], unit
	}
	return x.stores[w.x.store].f[w.x.offset:], unit
}

// productUnit returns the distance between the rows of the operand that holds the
// rows of X, and the number of elements of which it and the distance between the
// rows of X are multiples: an operand may be a part of longer rows.
func (p *plan) productUnit(w *weightUse) (stride, unit int) {
	if w.x.isGlobal() {
		stride = max(w.x.stride, w.xDim*w.rows)
	} else {
		stride = p.stores[w.x.store].size
	}
	if w.rows == 1 {
		return stride, stride
	}
	a, b := stride, w.xDim
	for b != 0 {
		a, b = b, a%b
	}
	return stride, a
}

// isGlobal reports whether the operand's rows belong to a constant or variable.
func (o *operand) isGlobal() bool {
	switch o.kind {
	case inGlobal, inTable, inTableFlat, inTableBuffer:
		return true
	}
	return false
}

// unpack adds the products to a gradient that is accumulated row-major.
func (g *productGroup) unpack(s *Session, into *gradients) {
	v := s.plan.prog.Variables[g.variable]
	size := v.Type.Size()
	ld := g.n
	if g.swap {
		ld = g.k
	}
	if !into.used[g.variable] {
		g.g.Unpack(into.unset(g.variable, size), ld, g.swap)
		return
	}
	if cap(s.unpacked) < size {
		s.unpacked = make([]float32, size)
	}
	g.g.Unpack(s.unpacked[:size], ld, g.swap)
	kernel.AddTo(into.of(g.variable, size), s.unpacked[:size])
}

// keep notes which rows of X belong to the rows of dY that were just written.
func (x *engine) keep(in *instr) error {
	u, w := &x.uses[in.index], x.plan.uses[in.index]
	o := &in.in[0]
	n := x.run.count(in.space)
	if need := len(u.x) + n*w.rows; need > cap(u.x) {
		grown := need + need/2
		if err := x.mayGrow(int64(grown-cap(u.x)) * 4); err != nil {
			return err
		}
		u.x = append(make([]int32, 0, grown), u.x...)
	}
	first := 0
	stride, unit := x.plan.productUnit(w)
	q := x.rows(o, 0)
	if o.kind == inOwn {
		first = x.run.row0[o.index]
	}
	for j := range n {
		row := int32(first + j)
		switch {
		case q.Index != nil && o.kind == inOwn:
			row = int32(first) + q.Index[j]
		case q.Index != nil:
			row = q.Index[j]
		case o.kind == inGlobal:
			row = 0
		}
		for k := range w.rows {
			u.x = append(u.x, row*int32(stride/unit)+int32(k*w.xDim/unit))
		}
	}
	u.n += n
	return nil
}
