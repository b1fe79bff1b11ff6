package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/frondml/frond/gpu"
)

// emptyPTX has a kernel that does nothing.
const emptyPTX = `.version 7.8
.target sm_80
.address_size 64
.visible .entry empty()
{
	ret;
}
`

// queued is how many launches are issued at once where issuing alone is measured: few
// enough that the driver's queue never is full.
const queued = 256

// manyStreams is the number of streams of which several are measured.
const manyStreams = 8

// launcher launches the empty kernel.
type launcher struct {
	*bench
	empty   *gpu.Kernel
	streams []*gpu.Stream
}

// launches measures what it costs to issue work, to order it and to wait for it.
func (b *bench) launches() error {
	module, err := b.device.Load(emptyPTX)
	if err != nil {
		return err
	}
	l := &launcher{bench: b}
	defer func() { _ = module.Close() }()
	if l.empty, err = module.Kernel("empty"); err != nil {
		return err
	}
	for range manyStreams {
		s, err := b.device.NewStream()
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }()
		l.streams = append(l.streams, s)
	}
	many := fmt.Sprintf("%d streams", manyStreams)
	return b.measure([]subject{
		{name: "issue a launch", setting: "1 stream", run: l.issuing(l.launch), most: queued},
		{name: "issue an event and its wait", setting: "2 streams", run: l.issuing(l.recordAndWait), most: queued},
		{name: "launch", setting: "1 stream", run: timed(func(n int) error { return l.inTurns(1, n) })},
		{name: "launch", setting: many + ", 1 goroutine", run: timed(func(n int) error { return l.inTurns(manyStreams, n) })},
		{name: "launch", setting: many + ", a goroutine each", run: timed(l.together)},
		{name: "launch and wait for the device", setting: "1 stream", run: timed(l.roundTrips)},
		{name: "launch and wait for an event", setting: "1 stream", run: timed(l.eventTrips)},
		{name: "launch behind one on another stream", setting: "2 streams", run: timed(l.hops)},
	})
}

func (l *launcher) launch() error {
	return l.streams[0].Launch(l.empty, gpu.Cover(1, 32))
}

func (l *launcher) recordAndWait() error {
	e, err := l.streams[0].Record()
	if err != nil {
		return err
	}
	defer e.Release()
	return l.streams[1].Wait(e)
}

// issuing measures issuing alone: the wait for the work is not counted.
func (l *launcher) issuing(issue func() error) func(int) (time.Duration, error) {
	return func(n int) (time.Duration, error) {
		start := time.Now()
		for range n {
			if err := issue(); err != nil {
				return 0, err
			}
		}
		d := time.Since(start)
		return d, l.device.Synchronize()
	}
}

// inTurns launches on so many streams in turns, and waits.
func (l *launcher) inTurns(streams, n int) error {
	for i := range n {
		if err := l.streams[i%streams].Launch(l.empty, gpu.Cover(1, 32)); err != nil {
			return err
		}
	}
	return l.device.Synchronize()
}

// together launches n kernels from as many goroutines as streams, and waits.
func (l *launcher) together(n int) error {
	var all sync.WaitGroup
	failures := make([]error, len(l.streams))
	for i, s := range l.streams {
		all.Go(func() {
			for k := i; k < n && failures[i] == nil; k += len(l.streams) {
				failures[i] = s.Launch(l.empty, gpu.Cover(1, 32))
			}
		})
	}
	all.Wait()
	return errors.Join(errors.Join(failures...), l.device.Synchronize())
}

func (l *launcher) roundTrips(n int) error {
	for range n {
		if err := errors.Join(l.launch(), l.device.Synchronize()); err != nil {
			return err
		}
	}
	return nil
}

func (l *launcher) eventTrips(n int) error {
	for range n {
		if err := l.launch(); err != nil {
			return err
		}
		e, err := l.streams[0].Record()
		if err != nil {
			return err
		}
		err = e.Wait(context.Background())
		e.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// hops launches on two streams in turns, each behind the one before.
func (l *launcher) hops(n int) error {
	for i := range n {
		from, to := l.streams[i%2], l.streams[(i+1)%2]
		if err := from.Launch(l.empty, gpu.Cover(1, 32)); err != nil {
			return err
		}
		e, err := from.Record()
		if err != nil {
			return err
		}
		err = to.Wait(e)
		e.Release()
		if err != nil {
			return err
		}
	}
	return l.device.Synchronize()
}
