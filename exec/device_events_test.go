package exec

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
)

// unordering is a device that leaves out one Wait. It keeps clocks of its own, by which it
// knows whether that Wait was needed: whether the event is behind work that neither the
// waiting stream nor the host knows to be done.
type unordering struct {
	*host.Device
	omit waitNumber

	mu      sync.Mutex
	streams int
	waits   []waitNumber // all of them, in order
	done    []int        // by stream: how much of its work the host has waited for
	omitted bool
	needed  bool // the one that was left out
}

// waitNumber is a Wait of a stream. Streams are counted in the order of their making.
type waitNumber struct{ stream, wait int }

func (d *unordering) NewStream() (device.Stream, error) {
	s, err := d.Device.NewStream()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	u := &unorderedStream{Stream: s, d: d, number: d.streams}
	d.streams++
	return u, nil
}

// unorderedStream is a stream that counts its work.
type unorderedStream struct {
	device.Stream
	d      *unordering
	number int
	waits  int
	clock  []int // by stream: how much of its work is before the next of this one
}

// joined is the later of two clocks.
func joined(a, b []int) []int {
	c := make([]int, max(len(a), len(b)))
	copy(c, a)
	for i, n := range b {
		c[i] = max(c[i], n)
	}
	return c
}

func (s *unorderedStream) work() *unorderedStream {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.clock = joined(s.clock, make([]int, s.number+1))
	s.clock[s.number]++
	return s
}

// waited notes that the host has waited for the stream.
func (s *unorderedStream) waited(clock []int) {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.d.done = joined(s.d.done, clock)
}

// markedEvent is an event with what is before it.
type markedEvent struct {
	device.Event
	clock []int
}

func (s *unorderedStream) Record() (device.Event, error) {
	e, err := s.Stream.Record()
	if err != nil {
		return nil, err
	}
	return &markedEvent{e, joined(s.clock, nil)}, nil
}

func (s *unorderedStream) Wait(e device.Event) error {
	own, d := e.(*markedEvent), s.d
	d.mu.Lock()
	n := waitNumber{s.number, s.waits}
	s.waits++
	d.waits = append(d.waits, n)
	known := joined(s.clock, d.done)
	news := len(own.clock) > len(known)
	for i := range min(len(own.clock), len(known)) {
		news = news || own.clock[i] > known[i]
	}
	if n == d.omit {
		d.omitted, d.needed = true, news
		d.mu.Unlock()
		return nil
	}
	s.clock = joined(s.clock, own.clock)
	d.mu.Unlock()
	return s.Stream.Wait(own.Event)
}

// markedFetch is a fetch with what is before it.
type markedFetch struct {
	device.Fetch
	s     *unorderedStream
	clock []int
}

func (f *markedFetch) Ints(to []int32) error {
	defer f.s.waited(f.clock)
	return f.Fetch.Ints(to)
}

func (s *unorderedStream) Fetch(from device.Buffer, at, words int) (device.Fetch, error) {
	f, err := s.work().Stream.Fetch(from, at, words)
	if err != nil {
		return nil, err
	}
	return &markedFetch{f, s, joined(s.clock, nil)}, nil
}

func (s *unorderedStream) DownloadFloats(to []float32, from device.Buffer, at int) error {
	defer func() { s.waited(s.clock) }()
	return s.work().Stream.DownloadFloats(to, from, at)
}

func (s *unorderedStream) DownloadInts(to []int32, from device.Buffer, at int) error {
	defer func() { s.waited(s.clock) }()
	return s.work().Stream.DownloadInts(to, from, at)
}

func (s *unorderedStream) Close() error {
	defer s.waited(s.clock)
	return s.Stream.Close()
}

func (s *unorderedStream) Free(b device.Buffer) error { return s.work().Stream.Free(b) }

func (s *unorderedStream) UploadFloats(to device.Buffer, at int, from []float32) error {
	return s.work().Stream.UploadFloats(to, at, from)
}

func (s *unorderedStream) UploadInts(to device.Buffer, at int, from []int32) error {
	return s.work().Stream.UploadInts(to, at, from)
}

func (s *unorderedStream) Copy(to device.Buffer, at int, from device.Buffer, fromAt, words int) error {
	return s.work().Stream.Copy(to, at, from, fromAt, words)
}

func (s *unorderedStream) Zero(b device.Buffer, at, words int) error {
	return s.work().Stream.Zero(b, at, words)
}

func (s *unorderedStream) Launch(k device.Kernel, c *device.Call) error {
	return s.work().Stream.Launch(k, c)
}

func (s *unorderedStream) Multiply(p device.Product) error { return s.work().Stream.Multiply(p) }

func (s *unorderedStream) AddOuter(o device.OuterSum) error { return s.work().Stream.AddOuter(o) }

func (s *unorderedStream) AddGroups(g device.Groups) error { return s.work().Stream.AddGroups(g) }

func (s *unorderedStream) AddColumns(c device.ColumnSum) error { return s.work().Stream.AddColumns(c) }

func (s *unorderedStream) CopyMatrix(to, from device.Matrix, transpose bool) error {
	return s.work().Stream.CopyMatrix(to, from, transpose)
}

func (s *unorderedStream) Update(u device.Update) error { return s.work().Stream.Update(u) }

func (s *unorderedStream) Scale(b device.Buffer, words int, factor float32) error {
	return s.work().Stream.Scale(b, words, factor)
}

func (s *unorderedStream) AddSquares(sum device.Buffer, at int, b device.Buffer, words int) error {
	return s.work().Stream.AddSquares(sum, at, b, words)
}

// crowd uses parameters from everywhere: two sessions on a device, each with several
// engines, and one on the processor. It returns all errors.
func (w *workload) crowd(d device.Device) error {
	params := NewParameters(w.prog, 1)
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	open := func(d device.Device) *Session {
		s, err := New(w.prog, Options{Workers: 1, Device: d, Parameters: params, Deterministic: true})
		note(err)
		return s
	}
	a, b, c := open(d), open(d), open(nil)
	var first, second DeviceState
	run := func(s *Session) {
		_, err := s.RunWith(context.Background(), w.graph, w.inputs, RunOptions{})
		note(err)
	}
	step := func(s *Session, state *DeviceState, every bool) {
		r, err := s.Gradients(context.Background(), w.graph, w.inputs, GradOptions{Seed: 1, OnDevice: true})
		note(err)
		if err != nil {
			return
		}
		step := momentum
		step.EveryRow = every
		if every {
			_, err = r.DeviceGradients.Norm()
			note(err)
			note(r.DeviceGradients.Scale(0.5))
		}
		note(r.DeviceGradients.Step(state, step))
	}
	leave := func(s *Session) {
		_, err := s.Gradients(context.Background(), w.graph, w.inputs, GradOptions{OnDevice: true})
		note(err)
	}
	gradients := func(s *Session, ctx context.Context) {
		_, err := s.Gradients(ctx, w.graph, w.inputs, GradOptions{})
		if ctx == context.Background() || !errors.Is(err, context.Canceled) {
			note(err)
		}
	}
	touch := func() { params.Update(func(v [][]float32) { v[0][0]++ }) }

	run(a)
	leave(a)
	step(a, &first, false)
	step(a, &first, true)
	run(b)
	step(b, &second, false)
	run(a)
	step(a, &first, false)
	gradients(b, context.Background())
	touch()
	step(a, &second, true)
	gradients(c, context.Background())
	gradients(a, &cancelAfter{context.Background(), 33})
	touch()
	run(b)
	step(b, &second, false)
	note(second.Discard())
	note(b.Close())
	step(a, &first, false)
	gradients(a, context.Background())
	note(a.Close())
	note(c.Close())
	return errors.Join(errs...)
}

// Every Wait of the executor that orders anything is needed: without it there is a race,
// which the device finds.
func TestWithoutOneWaitThereIsARace(t *testing.T) {
	for name, w := range map[string]*workload{"trees": treeWorkload(t), "lists": listWorkload(t), "quiet": quietWorkload(t)} {
		t.Run(name, func(t *testing.T) {
			watchdog(t, time.Minute)
			try := func(omit waitNumber) (*unordering, error) {
				d := &unordering{Device: host.New(host.Options{Poison: true, Check: true, Without: w.without}), omit: omit}
				return d, w.crowd(d)
			}
			d, err := try(waitNumber{-1, 0})
			require.NoError(t, err)
			require.Zero(t, d.Held())
			needed, stride := 0, 1
			if testing.Short() {
				stride = 5
			}
			for i := 0; i < len(d.waits); i += stride {
				n := d.waits[i]
				d, err := try(n)
				if !d.omitted || !d.needed { // without it all is in order, as it happens
					require.NoError(t, err, "%+v", n)
					continue
				}
				needed++
				assert.ErrorIs(t, err, host.ErrRace, "%+v", n)
			}
			t.Logf("%d of %d Waits order something", needed, len(d.waits))
			require.Greater(t, needed, 20/stride)
		})
	}
}
