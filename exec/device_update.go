package exec

import (
	"errors"
	"fmt"
	"math"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
)

// squares is how many partial sums of squares a norm has; they are added in float64.
func (g *DeviceGradients) norm() (float64, error) {
	n := len(g.s.prog.Variables)
	if g.sums == nil {
		b, err := g.d.alloc(n)
		if err != nil {
			return 0, err
		}
		g.sums = b
	}
	if err := g.d.stream.Zero(g.sums, 0, n); err != nil {
		return 0, err
	}
	err := g.each(func(v int, b device.Buffer, words int) error { return g.d.stream.AddSquares(g.sums, v, b, words) })
	if err != nil {
		return 0, err
	}
	squares := make([]float32, n)
	if err := g.d.stream.DownloadFloats(squares, g.sums, 0); err != nil {
		return 0, err
	}
	sum := 0.0
	for _, q := range squares {
		sum += float64(q)
	}
	return math.Sqrt(sum), nil
}

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

// DeviceState are the arrays that an optimiser keeps per element, on a device. The zero
// value has none: they begin with zeros. It serves one set of parameters and is for one
// goroutine at a time.
type DeviceState struct {
	replica *replica
	arrays  [][2]device.Buffer // by variable
}

// Step changes the variables that are not frozen by their gradients, on the device, and
// waits for nothing.
func (g *DeviceGradients) Step(state *DeviceState, step DeviceStep) error {
	p, r := g.s.params, g.s.device.replica
	if err := state.attach(r); err != nil {
		return g.s.device.failed(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.bring(r); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e, err := g.d.stream.Record()
	if err != nil {
		return g.s.device.failed(err)
	}
	r.noteReader(g.d.stream, e)
	p.version++
	p.newest, r.version = r, p.version
	return g.s.device.failed(r.change(func() error {
		for i, v := range p.prog.Variables {
			if v.Frozen {
				continue
			}
			if err := g.update(state, i, v, step); err != nil {
				return err
			}
		}
		return nil
	}))
}

// update changes one variable.
func (g *DeviceGradients) update(state *DeviceState, i int, v *graph.Variable, step DeviceStep) error {
	r := state.replica
	u := device.Update{Rule: step.Rule, Coefficients: step.Coefficients, L2: step.L2, Weights: r.values[i], Width: v.Type.Elem().Size()}
	numbers := g.rows[i].numbers
	switch {
	case g.d.grads.used[i]:
		u.Gradient = g.d.grads.dense[i]
	case len(numbers) == 0 && !step.EveryRow:
		return nil
	case step.EveryRow:
		full, err := g.spread(r, v, numbers, u.Width)
		if err != nil {
			return err
		}
		defer r.stream.Free(full) // behind the update; fails with the device only
		u.Gradient = full
	default:
		u.Gradient, u.Count = g.rows[i].rows.Buffer, len(numbers)
		b, err := r.uploadInts(numbers)
		if err != nil {
			return err
		}
		defer r.stream.Free(b)
		u.Rows = device.Index{Buffer: b}
	}
	for k := range step.slots() {
		if err := state.make(i, k, v.Type.Size()); err != nil {
			return err
		}
		u.Slots[k] = state.arrays[i][k]
	}
	return r.stream.Update(u)
}

// spread makes a dense gradient of rows.
func (g *DeviceGradients) spread(r *replica, v *graph.Variable, numbers []int32, width int) (device.Buffer, error) {
	full, err := r.stream.Alloc(v.Type.Size())
	if err != nil {
		return nil, err
	}
	err = r.stream.Zero(full, 0, v.Type.Size())
	if err == nil && len(numbers) > 0 {
		var index device.Buffer
		if index, err = r.uploadInts(numbers); err == nil {
			k, kerr := g.s.device.rowAdd(width)
			if err = kerr; err == nil {
				to := device.Rows{Buffer: full, Stride: width, Index: device.Index{Buffer: index}}
				from := device.Rows{Buffer: g.rows[v.Index].rows.Buffer, Stride: width}
				err = r.stream.Launch(k, &device.Call{N: len(numbers), In: []device.Rows{to, from}})
			}
			err = errors.Join(err, r.stream.Free(index))
		}
	}
	if err != nil {
		return nil, errors.Join(err, r.stream.Free(full))
	}
	return full, nil
}

func (r *replica) uploadInts(words []int32) (device.Buffer, error) {
	b, err := r.stream.Alloc(len(words))
	if err != nil {
		return nil, err
	}
	if err := r.stream.UploadInts(b, 0, words); err != nil {
		return nil, errors.Join(err, r.stream.Free(b))
	}
	return b, nil
}

// attach makes the state one of a replica's, which lives as long then.
func (s *DeviceState) attach(r *replica) error {
	if s.replica == nil {
		_, err := r.params.replica(r.dev)
		if err == nil {
			s.replica = r
		}
		return err
	}
	if s.replica != r {
		return fmt.Errorf("%w: the optimiser's state belongs to other parameters or another device", ErrInput)
	}
	return nil
}

// make makes an array of zeros if it is not there.
func (s *DeviceState) make(v, k, size int) error {
	if s.arrays == nil {
		s.arrays = make([][2]device.Buffer, len(s.replica.params.prog.Variables))
	}
	if s.arrays[v][k] != nil {
		return nil
	}
	b, err := s.replica.stream.Alloc(size)
	if err != nil {
		return err
	}
	s.arrays[v][k] = b
	return s.replica.stream.Zero(b, 0, size)
}

// Download returns array k of every variable, row-major; nil where there is none.
func (s *DeviceState) Download(k int) ([][]float32, error) {
	if s.arrays == nil {
		return nil, nil
	}
	s.replica.mu.Lock()
	defer s.replica.mu.Unlock()
	values := make([][]float32, len(s.arrays))
	for i := range s.arrays {
		b := s.arrays[i][k]
		if b == nil {
			continue
		}
		values[i] = make([]float32, b.Words())
		if err := s.replica.stream.DownloadFloats(values[i], b, 0); err != nil {
			return nil, fmt.Errorf("%s: %w", s.replica.dev.Name(), err)
		}
	}
	return values, nil
}

// Upload sets array k of every variable that has values, row-major, on the device of a
// session.
func (s *DeviceState) Upload(on *Session, k int, values [][]float32) error {
	if on.device == nil {
		return fmt.Errorf("%w: the session computes on the processor", ErrInput)
	}
	if err := s.attach(on.device.replica); err != nil {
		return on.device.failed(err)
	}
	s.replica.mu.Lock()
	defer s.replica.mu.Unlock()
	for i, x := range values {
		if x == nil {
			continue
		}
		if err := s.make(i, k, len(x)); err != nil {
			return on.device.failed(err)
		}
		if err := s.replica.stream.UploadFloats(s.arrays[i][k], 0, x); err != nil {
			return on.device.failed(err)
		}
	}
	return nil
}

// Release gives the arrays back.
func (s *DeviceState) Release() error {
	r := s.replica
	if r == nil {
		return nil
	}
	r.mu.Lock()
	var err error
	for i := range s.arrays {
		for _, b := range s.arrays[i] {
			if b != nil {
				err = errors.Join(err, r.stream.Free(b))
			}
		}
	}
	r.mu.Unlock()
	s.replica, s.arrays = nil, nil
	return errors.Join(err, r.release())
}
