package exec

import (
	"errors"
	"fmt"
	"sync"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
)

// maxSlots is the largest number of arrays that a rule keeps.
const maxSlots = 2

// DeviceState are the arrays that an optimiser keeps per element, for steps on devices.
// The zero value has none: they begin with zeros. They lie on the device of the last step,
// and move when the next is on another. When the parameters' last session on the device is
// closed they come to the host. A state serves the variables of one program and is for one
// goroutine at a time.
type DeviceState struct {
	mu      sync.Mutex // behind that of parameters, before that of replicas
	replica *replica   // where the buffers are, nil for none
	prog    *graph.Program
	arrays  []deviceArray // by variable and number, see at
	lost    error         // why the arrays of a device that was closed are not here
}

// deviceArray is on a device, on the host, or, as long as it is zero, nowhere.
type deviceArray struct {
	buffer device.Buffer
	values []float32 // row-major
}

// at returns array k of a variable.
func (s *DeviceState) at(v, k int) *deviceArray {
	for len(s.arrays) <= v*maxSlots+k {
		s.arrays = append(s.arrays, deviceArray{})
	}
	return &s.arrays[v*maxSlots+k]
}

// Values returns array k of every variable up to the last one that has any, row-major; nil
// where nothing was kept yet. They must not be changed.
func (s *DeviceState) Values(k int) ([][]float32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost != nil {
		return nil, s.lost
	}
	if s.replica != nil {
		s.replica.mu.Lock()
		defer s.replica.mu.Unlock()
	}
	var all [][]float32
	for i := k; i < len(s.arrays); i += maxSlots {
		x, err := s.download(&s.arrays[i])
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

// download returns an array; the caller holds the replica's lock.
func (s *DeviceState) download(a *deviceArray) ([]float32, error) {
	if a.buffer == nil {
		return a.values, nil
	}
	x := make([]float32, a.buffer.Words())
	if err := s.replica.stream.DownloadFloats(x, a.buffer, 0); err != nil {
		return nil, fmt.Errorf("%s: what the optimiser keeps: %w", s.replica.dev.Name(), err)
	}
	return x, nil
}

// SetValues replaces array k of every variable by a row-major one, nil for zeros. The
// values must not change before the next step.
func (s *DeviceState) SetValues(k int, values [][]float32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replica != nil {
		s.replica.mu.Lock()
		defer s.replica.mu.Unlock()
	}
	n := max(len(values), (len(s.arrays)+maxSlots-1)/maxSlots)
	for v := range n {
		a := s.at(v, k)
		if err := s.free(a); err != nil {
			return err
		}
		if v < len(values) {
			a.values = values[v]
		}
	}
	return nil
}

// free makes an array zero.
func (s *DeviceState) free(a *deviceArray) error {
	b := a.buffer
	*a = deviceArray{}
	if b == nil {
		return nil
	}
	return s.replica.stream.Free(b)
}

// Release brings the arrays to the host and gives back what they had on a device. When the
// device is lost they are lost, too: then only Discard helps.
func (s *DeviceState) Release() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leave()
}

// Discard forgets the arrays: they are zeros.
func (s *DeviceState) Discard() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drop()
}

// leave brings the arrays to the host, all of them or none; the device's memory is given
// back whatever happens.
func (s *DeviceState) leave() error {
	if s.replica == nil {
		return s.lost
	}
	r := s.replica
	kept := make([]deviceArray, len(s.arrays))
	var lost error
	r.mu.Lock()
	for i := range s.arrays {
		var err error
		kept[i].values, err = s.download(&s.arrays[i])
		if lost = err; lost != nil {
			break
		}
	}
	r.mu.Unlock()
	err := s.drop()
	if s.lost = lost; lost == nil {
		s.arrays = kept
	}
	return errors.Join(lost, named(r.dev, err))
}

// drop forgets the arrays.
func (s *DeviceState) drop() error {
	r := s.replica
	var err error
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.states, s)
		for i := range s.arrays {
			err = errors.Join(err, s.free(&s.arrays[i]))
		}
	}
	s.replica, s.arrays, s.lost = nil, nil, nil
	return err
}

// enter makes the state one of a replica's; the caller holds its lock and that of the
// replica's parameters.
func (s *DeviceState) enter(r *replica) error {
	prog := r.params.prog
	if s.prog != nil && s.prog != prog {
		return fmt.Errorf("%w: the optimiser's state is about the variables of program %q, the gradient about those of %q", ErrInput, s.prog.Name, prog.Name)
	}
	if s.replica != r {
		if err := s.leave(); err != nil {
			return err
		}
	}
	if n := len(prog.Variables); len(s.arrays) > n*maxSlots {
		return fmt.Errorf("%w: the optimiser's state has arrays for %d variables, program %q has %d", ErrInput, len(s.arrays)/maxSlots, prog.Name, n)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.states == nil {
		r.states = map[*DeviceState]struct{}{}
	}
	r.states[s] = struct{}{}
	s.replica, s.prog = r, prog
	return nil
}

// bring puts an array on the device if it is not there; the caller holds the replica's
// lock.
func (s *DeviceState) bring(v *graph.Variable, k int) (device.Buffer, error) {
	a, size := s.at(v.Index, k), v.Type.Size()
	if a.buffer != nil {
		return a.buffer, nil
	}
	if a.values != nil && len(a.values) != size {
		return nil, fmt.Errorf("%w: %d elements for an optimiser's array of variable %s %v", ErrInput, len(a.values), v.Name, v.Type)
	}
	stream := s.replica.stream
	b, err := stream.Alloc(size)
	if err != nil {
		return nil, err
	}
	if a.values != nil {
		err = stream.UploadFloats(b, 0, a.values)
	} else {
		err = stream.Zero(b, 0, size)
	}
	if err != nil {
		return nil, errors.Join(err, stream.Free(b))
	}
	*a = deviceArray{buffer: b}
	return b, nil
}

// releaseStates brings what optimisers keep on the device to the host; the caller holds
// the lock of the parameters.
func (r *replica) releaseStates() error {
	r.mu.Lock()
	states := make([]*DeviceState, 0, len(r.states))
	for s := range r.states {
		states = append(states, s)
	}
	r.mu.Unlock()
	var err error
	for _, s := range states {
		s.mu.Lock()
		if s.replica == r {
			err = errors.Join(err, s.leave())
		}
		s.mu.Unlock()
	}
	return err
}
