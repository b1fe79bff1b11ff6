package train

import (
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/internal/kernel"
)

// variableStep is what one step does to one variable.
type variableStep struct {
	rule
	g *exec.Gradient
	w []float32   // the variable, in its layout
	s [][]float32 // the optimiser's arrays for it, alike
}

// addTo adds the tasks that make the step.
func (u *variableStep) addTo(work *tasks) {
	switch {
	case u.g.Dense != nil:
		work.add(len(u.w), 1, func(from, to int) { u.change(from, u.g.Dense[from:to]) })
	case len(u.g.Rows) == 0:
		work.add(len(u.w), 1, func(from, to int) { u.change(from, make([]float32, to-from)) })
	default:
		u.addRows(work)
	}
}

// addRows adds the tasks for the rows that have a gradient, and for the others too when
// the rule says so. A variable with a sparse gradient lies row-major.
func (u *variableStep) addRows(work *tasks) {
	size := u.g.Variable.Type.Elem().Size()
	work.add(len(u.g.Rows), size, func(from, to int) {
		for i, row := range u.g.Rows[from:to] {
			at := (from + i) * size
			u.change(int(row)*size, u.g.Values[at:at+size])
		}
	})
	if !u.everyRow {
		return
	}
	used := make([]bool, len(u.w)/size)
	for _, row := range u.g.Rows {
		used[row] = true
	}
	work.add(len(used), size, func(from, to int) {
		zeros := make([]float32, size)
		for row := from; row < to; row++ {
			if !used[row] {
				clear(zeros) // L2 was added to it
				u.change(row*size, zeros)
			}
		}
	})
}

// change updates the elements from the given one on by their gradient g, to which it
// adds that of the L2 penalty.
func (u *variableStep) change(from int, g []float32) {
	w := u.w[from : from+len(g)]
	if u.l2 != 0 {
		kernel.Axpy(g, w, float32(u.l2))
	}
	var s slotArrays
	for i, a := range u.s {
		s[i] = a[from : from+len(g)]
	}
	u.update(w, g, s)
}
