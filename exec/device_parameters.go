package exec

import (
	"errors"
	"fmt"
	"sync"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
)

// Note [Parameters on a device]
//
// A replica is the copy of all variables on a device, row-major. Whoever changed the
// variables last, the host or a replica, has the newest values; the others are brought up
// to date when they are needed: replicas by runs, the host by whoever reads. Nobody else
// uses a copy that is not up to date, so other runs may be in progress meanwhile. What a device changes therefore stays there until somebody
// asks.
//
// When the device is lost, the newest values are lost with it, and the host has those that
// it read last.

// replica is a copy of the parameters on a device, with a stream on which it is changed.
type replica struct {
	params  *Parameters
	dev     device.Device
	users   int    // sessions; guarded by Parameters.bringing
	version uint64 // of the parameters, 0 before; guarded by Parameters.bringing

	mu         sync.Mutex // guards the rest
	stream     device.Stream
	values     []device.Buffer
	ready      device.Event                   // behind what the stream was given last
	generation uint64                         // of ready
	pending    bool                           // there is work behind ready
	readers    map[device.Stream]device.Event // behind what streams read last
	states     map[*DeviceState]struct{}      // that have arrays on the device
}

// replica returns the copy on a device for one more session.
func (p *Parameters) replica(dev device.Device) (*replica, error) {
	p.bringing.Lock()
	defer p.bringing.Unlock()
	for _, r := range p.replicas {
		if r.dev == dev {
			r.users++
			return r, nil
		}
	}
	stream, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	r := &replica{params: p, dev: dev, users: 1, stream: stream, readers: map[device.Stream]device.Event{}}
	p.replicas = append(p.replicas, r)
	return r, nil
}

// release gives the replica back for one session. The last one brings the newest values,
// and what optimisers keep, to the host. Errors name the device.
func (r *replica) release() error {
	p := r.params
	p.mu.RLock()
	defer p.mu.RUnlock()
	p.bringing.Lock()
	defer p.bringing.Unlock()
	if r.users--; r.users > 0 {
		return nil
	}
	var err error
	if p.newest == r {
		if err = p.toHost(); p.newest == r { // it did not come, and is about to go
			err = p.giveUp(r, err)
		}
	}
	err = errors.Join(err, r.releaseStates())
	for i, q := range p.replicas {
		if q == r {
			p.replicas = append(p.replicas[:i], p.replicas[i+1:]...)
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.values {
		err = errors.Join(err, named(r.dev, r.stream.Free(b)))
	}
	for s, e := range r.readers {
		e.Release()
		delete(r.readers, s)
	}
	if r.ready != nil {
		r.ready.Release()
	}
	r.values, r.ready = nil, nil
	return errors.Join(err, named(r.dev, r.stream.Close()))
}

// read takes the parameters' lock for reading, with values that are up to date on the
// host, or in a replica if there is one.
func (p *Parameters) read(r *replica) error {
	p.mu.RLock()
	err := p.bringAlone(r)
	if err != nil {
		p.mu.RUnlock()
	}
	return err
}

// bringAlone is bring for a caller that holds the parameters' lock only.
func (p *Parameters) bringAlone(r *replica) error {
	p.bringing.Lock()
	defer p.bringing.Unlock()
	return p.bring(r)
}

// bring brings the host or a replica up to date.
func (p *Parameters) bring(r *replica) error {
	if p.newest != nil && p.newest != r {
		from := p.newest
		if err := p.toHost(); err != nil {
			if p.newest == from {
				err = named(from.dev, err)
			}
			return err
		}
	}
	if r == nil || r.version == p.version {
		return nil
	}
	return r.fromHost()
}

// readHost is read for the host, which has older values than a device when they do not
// come. What a lost device had is kept for Sync.
func (p *Parameters) readHost() {
	if p.read(nil) != nil {
		p.mu.RLock()
	}
}

// Sync brings the values that a device changed to the host, where Read, Value and
// checkpoints find them; those do the same but cannot report an error. Of a device that is
// lost the values cannot be had: the error says so, and the host has the values of the
// last time.
func (p *Parameters) Sync() error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	p.bringing.Lock()
	defer p.bringing.Unlock()
	if err := p.bring(nil); err != nil {
		return err
	}
	err := p.lost
	p.lost = nil
	return err
}

// toHost copies the newest values to the host, all of them or none. When they are lost with
// their device, the host's are the newest there are; after another error they are still
// where they were.
func (p *Parameters) toHost() error {
	r := p.newest
	values, err := r.download()
	if err != nil && !errors.Is(err, device.ErrLost) {
		return err
	}
	if err != nil {
		return p.giveUp(r, err)
	}
	p.newest = nil
	for i, v := range p.prog.Variables {
		p.Layout(v).Store(p.values[i], values[i])
	}
	return nil
}

// giveUp does without the newest values, which cannot be had.
func (p *Parameters) giveUp(r *replica, err error) error {
	p.newest, r.version = nil, 0
	p.lost = fmt.Errorf("%w: %s: fetching the newest: %w", ErrInconsistent, r.dev.Name(), err)
	return p.lost
}

func (r *replica) download() ([][]float32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	values := make([][]float32, len(r.values))
	for i, b := range r.values {
		values[i] = make([]float32, b.Words())
		if err := r.stream.DownloadFloats(values[i], b, 0); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// fromHost copies the host's values to the replica.
func (r *replica) fromHost() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.change(func() error {
		for i, v := range r.params.prog.Variables {
			if i == len(r.values) {
				b, err := r.stream.Alloc(v.Type.Size())
				if err != nil {
					return err
				}
				r.values = append(r.values, b)
			}
			if err := r.stream.UploadFloats(r.values[i], 0, r.params.rowMajor(v)); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		r.version = r.params.version
	}
	return err
}

// change issues work on the replica's stream that changes what runs read: behind the runs
// that are over, and before those that begin. The caller holds r.mu.
func (r *replica) change(f func() error) error {
	if err := r.awaitReaders(); err != nil {
		return err
	}
	return r.add(f)
}

// add issues work on the replica's stream before the runs that begin. The caller holds
// r.mu.
func (r *replica) add(f func() error) error {
	r.pending = true
	if err := f(); err != nil {
		return err
	}
	return r.mark()
}

// mark makes the end of the stream what others wait for.
func (r *replica) mark() error {
	e, err := r.stream.Record()
	if err != nil {
		return err
	}
	if r.ready != nil {
		r.ready.Release()
	}
	r.ready, r.pending = e, false
	r.generation++
	return nil
}

// awaitReaders orders the replica's stream behind all who read.
func (r *replica) awaitReaders() error {
	for s, e := range r.readers {
		if err := r.stream.Wait(e); err != nil {
			return err
		}
		e.Release()
		delete(r.readers, s)
	}
	return nil
}

// await orders a stream behind all changes, of which it has seen some.
func (r *replica) await(s device.Stream, seen *uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pending { // a change failed half-way
		if err := r.mark(); err != nil {
			return err
		}
	}
	if *seen == r.generation || r.ready == nil {
		return nil
	}
	if err := s.Wait(r.ready); err != nil {
		return err
	}
	*seen = r.generation
	return nil
}

// wasRead notes that a stream has read what the replica's stream changes. Without an event
// to tell when, it waits until the stream has.
func (r *replica) wasRead(s device.Stream) error {
	e, err := s.Record()
	if errors.Is(err, device.ErrMemory) && len(r.values) > 0 {
		return s.DownloadFloats(make([]float32, 1), r.values[0], 0)
	}
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.noteReader(s, e)
	return nil
}

// noteReader replaces the event of a stream.
func (r *replica) noteReader(s device.Stream, e device.Event) {
	if old := r.readers[s]; old != nil {
		old.Release()
	}
	r.readers[s] = e
}

// of returns the values of a variable.
func (r *replica) of(v *graph.Variable) device.Buffer { return r.values[v.Index] }
