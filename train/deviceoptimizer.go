package train

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
)

// DeviceOptimizer is an optimiser that can make its step where the gradients are. A
// trainer whose session has a device brings gradients to the host for any other.
//
// A type that embeds an optimiser of this package inherits its StepOnDevice, which knows
// nothing of a Step that the type has of its own, and its Self, which tells. So a trainer
// calls Step of such a type, unless it has a StepOnDevice and a Self of its own.
type DeviceOptimizer interface {
	Optimizer
	// StepOnDevice does what Step does with gradients that are on a device. The state
	// may stay there until State, Step, StepOnDevice of another device, or Release brings
	// it elsewhere, or the session is closed. After an error nothing has changed, unless
	// it wraps exec.ErrInconsistent or device.ErrLost.
	StepOnDevice(*exec.DeviceGradients) error
	// Release brings the state to the host and gives back what it had on a device.
	Release() error
	// Self returns the optimiser whose Step StepOnDevice stands for: the receiver.
	Self() Optimizer
}

// onDevice returns the optimiser if its StepOnDevice does what its own Step does, else nil.
func onDevice(o Optimizer) DeviceOptimizer {
	d, ok := o.(DeviceOptimizer)
	if !ok || !reflect.ValueOf(o).Comparable() || d.Self() != o {
		return nil
	}
	return d
}

// deviceSlots are the arrays of an optimiser in a state for devices.
type deviceSlots struct {
	state exec.DeviceState
	prog  *graph.Program
}

// applyOnDevice makes one step with all gradients.
func (s *slots) applyOnDevice(grads *exec.DeviceGradients, r rule) error {
	s.toDevice(grads.Parameters(), r.slots)
	err := grads.Step(&s.device.state, exec.DeviceStep{Rule: r.device, Coefficients: r.coefficients, L2: float32(r.l2), EveryRow: r.everyRow})
	if err != nil {
		return err
	}
	s.steps++
	return nil
}

// toDevice hands n arrays of every variable to a state for devices.
func (s *slots) toDevice(params *exec.Parameters, n int) {
	if s.device != nil {
		return
	}
	s.device = &deviceSlots{prog: params.Program()}
	for k := range n {
		values := make([][]float32, len(s.device.prog.Variables))
		for i, v := range s.device.prog.Variables {
			if a := s.arrays[v]; a != nil {
				values[i] = params.Layout(v).RowMajor(a[k])
			}
		}
		_ = s.device.state.SetValues(k, values) // cannot fail for a state that is on no device
	}
	s.arrays = nil
}

// arraysOf returns n arrays of every variable, by number and variable, row-major.
func (d *deviceSlots) arraysOf(params *exec.Parameters, n int) ([][][]float32, error) {
	if p := params.Program(); p != d.prog {
		return nil, fmt.Errorf("%w: the optimiser's state is about the variables of program %q, not those of %q", exec.ErrInput, d.prog.Name, p.Name)
	}
	arrays := make([][][]float32, n)
	for k := range arrays {
		values, err := d.state.Values(k)
		if err != nil {
			return nil, err
		}
		arrays[k] = append(values, make([][]float32, len(d.prog.Variables)-len(values))...)
	}
	return arrays, nil
}

// toHost takes n arrays of every variable back from a state for devices.
func (s *slots) toHost(params *exec.Parameters, n int) error {
	if s.device == nil {
		return nil
	}
	arrays, err := s.device.arraysOf(params, n)
	if err != nil {
		return err
	}
	for _, v := range params.Program().Variables {
		for k := range arrays {
			if x := arrays[k][v.Index]; x != nil {
				params.Layout(v).Store(s.of(params, v, n)[k], x)
			}
		}
	}
	return s.leaveDevice()
}

// leaveDevice forgets what is in a state for devices.
func (s *slots) leaveDevice() error {
	if s.device == nil {
		return nil
	}
	err := s.device.state.Discard()
	s.device = nil
	if errors.Is(err, device.ErrLost) {
		return nil // there is nothing that could be given back
	}
	return err
}

func (s *slots) release() error {
	if s.device == nil {
		return nil
	}
	return s.device.state.Release()
}

// slotsOf returns the slots of the given names.
func (d *deviceSlots) slotsOf(params *exec.Parameters, names []string) ([]Slot, error) {
	arrays, err := d.arraysOf(params, len(names))
	if err != nil {
		return nil, err
	}
	var all []Slot
	for _, v := range d.prog.Variables {
		if v.Frozen {
			continue
		}
		for k, name := range names {
			x := arrays[k][v.Index]
			if x == nil {
				x = make([]float32, v.Type.Size())
			}
			all = append(all, Slot{name, v, x})
		}
	}
	return all, nil
}
