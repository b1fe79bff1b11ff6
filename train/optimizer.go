package train

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

// Optimizer changes parameters by gradients. It remembers things about the variables
// and serves one set of parameters.
//
// An implementation is a pointer to a struct, whose exported fields are its settings:
// checkpoints hold them as encoding/json writes and reads them.
type Optimizer interface {
	// Name identifies the method in checkpoints.
	Name() string
	// Step changes the variables that are not frozen by their gradients. It may change
	// the gradients too. Parameters and gradients must be of the same program.
	Step(*exec.Parameters, *exec.Gradients) error
	// State returns what the optimiser remembers of a program's variables: slots of
	// the same names and lengths before the first step and after any. The values are
	// the optimiser's own and valid until the next step.
	State(*graph.Program) State
	// Restore makes the optimiser remember what State returned; it copies the values.
	Restore(State) error
}

// State is what an optimiser remembers between steps.
type State struct {
	Steps int64 // made so far
	Slots []Slot
}

// Slot is an array that an optimiser keeps for one variable.
type Slot struct {
	Name     string // of the quantity: "momentum"
	Variable *graph.Variable
	Values   []float32 // one per element of the variable
}

// slots holds the arrays of an optimiser and counts its steps.
type slots struct {
	steps  int64
	arrays map[*graph.Variable][][]float32

	zeros []float32 // scratch: the gradient of a row that has none
	used  []bool    // scratch: which rows have one
}

// of returns the n arrays of a variable; they start with zeros.
func (s *slots) of(v *graph.Variable, n int) [][]float32 {
	a := s.arrays[v]
	if a == nil && n > 0 {
		for range n {
			a = append(a, make([]float32, v.Type.Size()))
		}
		if s.arrays == nil {
			s.arrays = map[*graph.Variable][][]float32{}
		}
		s.arrays[v] = a
	}
	return a
}

func (s *slots) state(p *graph.Program, names []string) State {
	st := State{Steps: s.steps}
	for _, v := range p.Variables {
		if v.Frozen {
			continue
		}
		for i, values := range s.of(v, len(names)) {
			st.Slots = append(st.Slots, Slot{names[i], v, values})
		}
	}
	return st
}

// restore takes a state over, all of it or nothing.
func (s *slots) restore(st State, names []string) error {
	arrays := map[*graph.Variable][][]float32{}
	var errs []error
	for _, slot := range st.Slots {
		v, i := slot.Variable, slices.Index(names, slot.Name)
		if i < 0 || len(slot.Values) != v.Type.Size() {
			errs = append(errs, fmt.Errorf("%w: slot %q of variable %s %v has %d values; the slots are %q, with %d values",
				ErrMismatch, slot.Name, v.Name, v.Type, len(slot.Values), names, v.Type.Size()))
			continue
		}
		if arrays[v] == nil {
			arrays[v] = make([][]float32, len(names))
		}
		arrays[v][i] = slices.Clone(slot.Values)
	}
	for v, a := range arrays {
		for i, name := range names {
			if a[i] == nil {
				errs = append(errs, fmt.Errorf("%w: slot %q of variable %s is missing", ErrMismatch, name, v.Name))
			}
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if st.Steps < 0 {
		return fmt.Errorf("%w: %d steps", ErrMismatch, st.Steps)
	}
	if s.arrays == nil {
		s.arrays = map[*graph.Variable][][]float32{}
	}
	maps.Copy(s.arrays, arrays)
	s.steps = st.Steps
	return nil
}

// rule is how an optimiser treats the elements of a variable.
type rule struct {
	slots int     // arrays per variable
	l2    float64 // of the penalty l2/2*w² that the loss is to have
	// everyRow says that elements without gradient change too.
	everyRow bool
	// update changes weights w by their gradient g and the slots s of the same
	// elements. The result for an element must not depend on its neighbours, else
	// sparse and dense gradients would not give the same.
	update func(w, g []float32, s [][]float32)
}

// apply makes one step with all gradients.
func (s *slots) apply(params *exec.Parameters, grads *exec.Gradients, r rule) error {
	if err := samePrograms(params, grads); err != nil {
		return err
	}
	s.steps++
	params.Update(func(values [][]float32) {
		grads.Each(func(g *exec.Gradient) {
			w := values[g.Variable.Index]
			if g.Dense != nil {
				r.change(w, g.Dense, s.of(g.Variable, r.slots))
				return
			}
			s.applyRows(w, g, r)
		})
	})
	return nil
}

// applyRows changes the rows that have a gradient, and the others too when the rule
// says so.
func (s *slots) applyRows(w []float32, g *exec.Gradient, r rule) {
	if len(g.Rows) == 0 && !r.everyRow {
		return
	}
	arrays, size := s.of(g.Variable, r.slots), g.Variable.Type.Elem().Size()
	parts := make([][]float32, len(arrays))
	change := func(row int, values []float32) {
		from, to := row*size, (row+1)*size
		for i, a := range arrays {
			parts[i] = a[from:to]
		}
		r.change(w[from:to], values, parts)
	}
	for i, row := range g.Rows {
		change(int(row), g.Values[i*size:(i+1)*size])
	}
	if r.everyRow {
		s.eachOtherRow(g, change)
	}
}

// eachOtherRow calls f for the rows that have no gradient, with zeros, which it may
// change.
func (s *slots) eachOtherRow(g *exec.Gradient, f func(row int, zeros []float32)) {
	size := g.Variable.Type.Elem().Size()
	n := g.Variable.Type.Size() / size
	s.zeros = slices.Grow(s.zeros[:0], size)[:size]
	s.used = slices.Grow(s.used[:0], n)[:n]
	clear(s.used)
	for _, row := range g.Rows {
		s.used[row] = true
	}
	for row, used := range s.used {
		if !used {
			clear(s.zeros)
			f(row, s.zeros)
		}
	}
}

// samePrograms reports a gradient of another program than the parameters'.
func samePrograms(params *exec.Parameters, grads *exec.Gradients) error {
	vars := params.Program().Variables
	var err error
	grads.Each(func(g *exec.Gradient) {
		v := g.Variable
		if err == nil && (v.Index >= len(vars) || vars[v.Index] != v) {
			err = fmt.Errorf("%w: the gradient is of variable %s of another program than %q, whose parameters are to change",
				exec.ErrInput, v.Name, params.Program().Name)
		}
	})
	return err
}

// change adds the gradient of the L2 penalty and updates the elements.
func (r *rule) change(w, g []float32, s [][]float32) {
	if r.l2 != 0 {
		kernel.Axpy(g, w, float32(r.l2))
	}
	r.update(w, g, s)
}
