package exec

import (
	"errors"

	"github.com/frondml/frond/exec/device"
)

// deviceGradients accumulates, on a device, what one engine contributes to the gradients
// of variables.
type deviceGradients struct {
	d      *deviceEngine
	dense  []device.Buffer // by variable, row-major; nil until touched
	used   []bool
	sparse []sparseRows
}

// sparseRows are rows that are added to rows of a variable's gradient.
type sparseRows struct {
	numbers []int32
	rows    deviceRoom
}

func (g *deviceGradients) init(d *deviceEngine) {
	n := len(d.x.plan.prog.Variables)
	*g = deviceGradients{d: d, dense: make([]device.Buffer, n), used: make([]bool, n), sparse: make([]sparseRows, n)}
}

func (g *deviceGradients) reset() {
	clear(g.used)
	for i := range g.sparse {
		g.sparse[i].numbers = g.sparse[i].numbers[:0]
	}
}

// of returns the dense gradient of a variable, zero at first.
func (g *deviceGradients) of(v int) (device.Buffer, error) {
	b, fresh, err := g.unset(v)
	if err == nil && fresh {
		err = g.d.stream.Zero(b, 0, b.Words())
	}
	return b, err
}

// unset is of for a caller that overwrites all elements of a gradient that is fresh.
func (g *deviceGradients) unset(v int) (b device.Buffer, fresh bool, err error) {
	if g.dense[v] == nil {
		if g.dense[v], err = g.d.alloc(g.d.x.plan.prog.Variables[v].Type.Size()); err != nil {
			return nil, false, err
		}
	}
	fresh = !g.used[v]
	g.used[v] = true
	return g.dense[v], fresh, nil
}

func (g *deviceGradients) release() error {
	var err error
	for i := range g.dense {
		err = errors.Join(err, g.d.free(g.dense[i]), g.d.free(g.sparse[i].rows.Buffer))
		g.dense[i], g.sparse[i] = nil, sparseRows{}
	}
	return err
}

// issueSumRows adds all rows to a variable's gradient.
func (d *deviceEngine) issueSumRows(in *instr) error {
	if d.x.run.n == 0 {
		return nil
	}
	from, err := d.rows(&in.in[0], frameSpace)
	if err != nil {
		return err
	}
	into, err := d.grads.of(in.index)
	if err != nil {
		return err
	}
	return d.stream.AddColumns(device.ColumnSum{Into: into, X: from, N: d.x.run.n, Width: in.size})
}

// issueSparseRows notes rows that are added to rows of a variable's gradient at the end.
func (d *deviceEngine) issueSparseRows(in *instr) error {
	x := d.x
	n := x.run.count(in.space)
	if n == 0 {
		return nil
	}
	size := in.size / in.reps
	s := &d.grads.sparse[in.index]
	have := len(s.numbers)
	x.run.expandTo = in.space
	index := x.rows(&in.in[1], 1)
	for j := range n {
		s.numbers = append(s.numbers, index.Ints(j, in.reps)...)
	}
	if err := d.grow(&s.rows, len(s.numbers)*size, have*size); err != nil {
		return err
	}
	from, err := d.rows(&in.in[0], in.space)
	if err != nil {
		return err
	}
	return d.copyRows(device.Rows{Buffer: s.rows.Buffer, Offset: have * size, Stride: in.size}, from, n, in.size)
}

// products computes the gradients of products from the rows that were kept.
func (d *deviceEngine) products(groups []*productGroup) error {
	for _, g := range groups {
		for _, i := range g.uses {
			if d.x.uses[i].n == 0 {
				continue
			}
			if err := d.product(g, i); err != nil {
				return d.s.failed(err)
			}
		}
	}
	return nil
}

func (d *deviceEngine) product(g *productGroup, use int) error {
	index, err := d.upload(d.x.uses[use].x)
	if err != nil {
		return err
	}
	return errors.Join(d.productOf(g, use, index), d.free(index))
}

// productOf is product with the names of the rows on the device.
func (d *deviceEngine) productOf(g *productGroup, use int, index device.Buffer) (err error) {
	x := d.x
	w, u := x.plan.uses[use], &x.uses[use]
	_, unit := x.plan.productUnit(w)
	a := device.Rows{Offset: w.x.offset, Stride: unit, Index: device.Index{Buffer: index}}
	if w.x.isGlobal() {
		if a.Buffer, err = d.global(w.x.global); err != nil {
			return err
		}
	} else {
		a.Buffer = d.stores[w.x.store].rows.Buffer
	}
	b := device.Rows{Buffer: d.dys[w.dy].Buffer, Offset: w.dyFrom, Stride: x.plan.dys[w.dy].width / w.rows}
	into, fresh, err := d.grads.unset(g.variable)
	if err != nil {
		return err
	}
	p := device.OuterSum{Into: device.Matrix{Buffer: into, Rows: g.k, Columns: g.n, Stride: g.n}, Set: fresh, N: u.n * w.rows, A: a, B: b}
	if g.swap {
		p.Into = device.Matrix{Buffer: into, Rows: g.n, Columns: g.k, Stride: g.k}
		p.A, p.B = b, a
	}
	return d.stream.AddOuter(p)
}
