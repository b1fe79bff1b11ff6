package train

import (
	"errors"
	"fmt"
	"slices"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
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
	// the gradients too. Parameters and gradients must be of the same program. Values
	// and dense gradients lie in the layouts of the parameters, which only matter to a
	// method that looks at more than one element at a time.
	Step(*exec.Parameters, *exec.Gradients) error
	// State returns what the optimiser remembers of the parameters: slots of the same
	// names and lengths before the first step and after any. The values may be the
	// optimiser's own and are valid until the next step. It fails when the state is on a
	// device that is lost.
	State(*exec.Parameters) (State, error)
	// Restore makes the optimiser remember what State returned; it copies the values.
	Restore(*exec.Parameters, State) error
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
	Values   []float32 // one per element of the variable, row-major
}

// slots holds the arrays of an optimiser and counts its steps.
type slots struct {
	steps  int64
	arrays map[*graph.Variable][][]float32 // in the layout of the variable
	device *deviceSlots                    // has them instead if it is not nil
}

// of returns the n arrays of a variable; they start with zeros.
func (s *slots) of(params *exec.Parameters, v *graph.Variable, n int) [][]float32 {
	a := s.arrays[v]
	if a == nil && n > 0 {
		for range n {
			a = append(a, make([]float32, params.Layout(v).Size()))
		}
		if s.arrays == nil {
			s.arrays = map[*graph.Variable][][]float32{}
		}
		s.arrays[v] = a
	}
	return a
}

func (s *slots) state(params *exec.Parameters, names []string) (State, error) {
	st := State{Steps: s.steps}
	if s.device != nil {
		var err error
		st.Slots, err = s.device.slotsOf(params, names)
		return st, err
	}
	for _, v := range params.Program().Variables {
		if v.Frozen {
			continue
		}
		for i, values := range s.of(params, v, len(names)) {
			st.Slots = append(st.Slots, Slot{names[i], v, params.Layout(v).RowMajor(values)})
		}
	}
	return st, nil
}

// restore takes a state over, all of it or nothing.
func (s *slots) restore(params *exec.Parameters, st State, names []string) error {
	arrays := map[*graph.Variable][][]float32{}
	var errs []error
	if st.Steps < 0 {
		errs = append(errs, fmt.Errorf("%w: %d steps", ErrMismatch, st.Steps))
	}
	for _, slot := range st.Slots {
		v, i := slot.Variable, slices.Index(names, slot.Name)
		if i < 0 || len(slot.Values) != v.Type.Size() || !slices.Contains(params.Program().Variables, v) {
			errs = append(errs, fmt.Errorf("%w: slot %q of variable %s %v of program %q has %d values; the slots are %q, with %d values",
				ErrMismatch, slot.Name, v.Name, v.Type, params.Program().Name, len(slot.Values), names, v.Type.Size()))
			continue
		}
		if arrays[v] == nil {
			arrays[v] = make([][]float32, len(names))
		}
		arrays[v][i] = make([]float32, params.Layout(v).Size())
		params.Layout(v).Store(arrays[v][i], slot.Values)
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
	s.arrays, s.steps = arrays, st.Steps
	return s.leaveDevice()
}

// slotArrays are what an optimiser keeps for some elements. No method needs more than
// two arrays.
type slotArrays [2][]float32

// rule is how an optimiser treats the elements of a variable.
type rule struct {
	slots int     // arrays per variable: those of slotArrays that are used
	l2    float64 // of the penalty l2/2*w² that the loss is to have
	// everyRow says that elements without gradient change too.
	everyRow bool
	// update changes weights w by their gradient g and the slots s of the same
	// elements. The result for an element must not depend on its neighbours, else
	// sparse and dense gradients would not give the same.
	update func(w, g []float32, s slotArrays)
	// device and coefficients are what a device takes for the same update.
	device       device.Rule
	coefficients [6]float32
}

// apply makes one step with all gradients.
func (s *slots) apply(params *exec.Parameters, grads *exec.Gradients, r rule) error {
	if err := samePrograms(params, grads); err != nil {
		return err
	}
	if err := s.toHost(params, r.slots); err != nil {
		return err
	}
	s.steps++
	params.Update(func(values [][]float32) {
		work := make(tasks, 0, 2*len(values))
		grads.Each(func(g *exec.Gradient) {
			if g.Dense == nil && len(g.Rows) == 0 && !r.everyRow {
				return
			}
			u := variableStep{rule: r, g: g, w: values[g.Variable.Index], s: s.of(params, g.Variable, r.slots)}
			u.addTo(&work)
		})
		work.run(grads.Workers())
	})
	return nil
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
