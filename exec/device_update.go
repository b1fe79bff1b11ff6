package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
)

// ErrInconsistent means that a failure on a device left variables, and what an optimiser
// keeps of them, as they are after no step: a step failed when it had begun, or the newest
// values did not come to the host. Training must go back to what it has saved.
var ErrInconsistent = errors.New("variables are not those after any step")

// DeviceStep is what an optimiser does with every variable in a step on a device.
type DeviceStep struct {
	Rule         device.Rule
	Coefficients [6]float32
	L2           float32
	// EveryRow says that elements without a gradient change too.
	EveryRow bool
}

// slots is how many arrays the rule keeps.
func (s *DeviceStep) slots() int {
	switch s.Rule {
	case device.SGD:
		return 0
	case device.Adam:
		return 2
	}
	return 1
}

// Parameters are the variables that the gradients are of.
func (g *DeviceGradients) Parameters() *Parameters { return g.s.params }

// Step changes the variables that are not frozen by their gradients, on the device, and
// waits for nothing. After an error nothing has changed, ErrMemory included, unless it
// wraps ErrInconsistent or device.ErrLost.
func (g *DeviceGradients) Step(state *DeviceState, step DeviceStep) error {
	s := g.s
	if err := s.begin(context.Background()); err != nil {
		return err
	}
	defer s.active.Done()
	u := deviceUpdate{g: g, r: s.device.replica, state: state, step: step}
	if err := u.compile(); err != nil {
		return s.device.failed(err)
	}
	s.params.mu.Lock()
	defer s.params.mu.Unlock()
	state.mu.Lock()
	defer state.mu.Unlock()
	if err := s.params.bringAlone(u.r); err != nil {
		return s.device.failed(err)
	}
	if err := state.enter(u.r); err != nil {
		return s.device.failed(err)
	}
	return s.device.failed(u.run())
}

// deviceUpdate is a step of an optimiser on a device.
type deviceUpdate struct {
	g     *DeviceGradients
	r     *replica
	state *DeviceState
	step  DeviceStep

	spreads   []device.Kernel // by variable
	updates   []device.Update
	temporary []device.Buffer
	begun     bool
}

// run makes the step. The caller holds all locks but the replica's.
func (u *deviceUpdate) run() error {
	r := u.r
	r.mu.Lock()
	defer r.mu.Unlock()
	computed, err := u.g.d.stream.Record()
	if err != nil {
		return err
	}
	r.noteReader(u.g.d.stream, computed)
	var failed error
	// A step that was given up is an order, too: it may have read gradients.
	err = r.change(func() error {
		if failed = u.prepare(); failed == nil {
			failed = u.issue()
		}
		return u.free()
	})
	if err == nil { // whoever comes behind the step comes behind the gradients
		u.g.parted()
	}
	if err = errors.Join(failed, err); err != nil && u.begun {
		return fmt.Errorf("%w: %w", ErrInconsistent, err)
	}
	return err
}

// rows are the rows of a gradient that has no others, in ascending order.
func (u *deviceUpdate) rows(v *graph.Variable) (numbers []int32, sparse bool) {
	return u.g.rows[v.Index].numbers, !u.g.d.grads.used[v.Index]
}

// compile gets the kernels that the step needs.
func (u *deviceUpdate) compile() error {
	u.spreads = make([]device.Kernel, len(u.g.s.prog.Variables))
	for i, v := range u.g.s.prog.Variables {
		numbers, sparse := u.rows(v)
		if v.Frozen || !sparse || len(numbers) == 0 || !u.step.EveryRow {
			continue
		}
		var err error
		if u.spreads[i], err = u.g.s.device.rowAdd(v.Type.Elem().Size()); err != nil {
			return err
		}
	}
	return nil
}

// prepare takes all memory that the step needs, and fills it.
func (u *deviceUpdate) prepare() error {
	for _, v := range u.g.s.prog.Variables {
		numbers, sparse := u.rows(v)
		if v.Frozen || sparse && len(numbers) == 0 && !u.step.EveryRow {
			continue
		}
		update := device.Update{
			Rule: u.step.Rule, Coefficients: u.step.Coefficients, L2: u.step.L2,
			Weights: u.r.of(v), Width: v.Type.Elem().Size(),
		}
		if err := u.gradient(v, &update); err != nil {
			return err
		}
		for k := range u.step.slots() {
			var err error
			if update.Slots[k], err = u.state.bring(v, k); err != nil {
				return err
			}
		}
		u.updates = append(u.updates, update)
	}
	return nil
}

// gradient tells an update the gradient of a variable.
func (u *deviceUpdate) gradient(v *graph.Variable, update *device.Update) error {
	numbers, sparse := u.rows(v)
	if !sparse {
		update.Gradient = u.g.d.grads.dense[v.Index]
		return nil
	}
	rows := device.Rows{Buffer: u.g.rows[v.Index].rows.Buffer, Stride: update.Width}
	var err error
	if u.step.EveryRow {
		update.Gradient, err = u.spread(v, numbers, rows)
		return err
	}
	update.Gradient, update.Count = rows.Buffer, len(numbers)
	update.Rows.Buffer, err = u.upload(numbers)
	return err
}

// spread makes a dense gradient of rows.
func (u *deviceUpdate) spread(v *graph.Variable, numbers []int32, rows device.Rows) (device.Buffer, error) {
	full, err := u.alloc(v.Type.Size())
	if err != nil {
		return nil, err
	}
	if err := u.r.stream.Zero(full, 0, v.Type.Size()); err != nil || len(numbers) == 0 {
		return full, err
	}
	index, err := u.upload(numbers)
	if err != nil {
		return nil, err
	}
	to := device.Rows{Buffer: full, Stride: rows.Stride, Index: device.Index{Buffer: index}}
	return full, u.r.stream.Launch(u.spreads[v.Index], &device.Call{N: len(numbers), In: []device.Rows{to, rows}})
}

// alloc returns memory until the end of the step.
func (u *deviceUpdate) alloc(words int) (device.Buffer, error) {
	b, err := u.r.stream.Alloc(words)
	if err == nil {
		u.temporary = append(u.temporary, b)
	}
	return b, err
}

func (u *deviceUpdate) upload(words []int32) (device.Buffer, error) {
	b, err := u.alloc(len(words))
	if err != nil {
		return nil, err
	}
	return b, u.r.stream.UploadInts(b, 0, words)
}

// issue changes the variables.
func (u *deviceUpdate) issue() error {
	u.begun = true
	p := u.r.params
	p.version++
	p.newest, u.r.version = u.r, p.version
	for _, update := range u.updates {
		if err := u.r.stream.Update(update); err != nil {
			return err
		}
	}
	return nil
}

// free gives the step's memory back, behind its work.
func (u *deviceUpdate) free() error {
	var err error
	for _, b := range u.temporary {
		err = errors.Join(err, u.r.stream.Free(b))
	}
	return err
}
