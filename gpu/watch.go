package gpu

import (
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/frondml/frond/gpu/driver"
)

// watcher asks for events that somebody waits for. The driver offers two other
// ways, and neither fits: a thread that blocks in it for each waiting goroutine,
// and callbacks, which do not come when the device fails.
type watcher struct {
	device  *Device
	mu      sync.Mutex
	pending []watched
	active  bool          // there is a goroutine
	wake    chan struct{} // something was added
}

type watched struct {
	event *Event
	call  func(error)
	over  bool // with err
	err   error
}

// How the watcher waits between looking: first it lets others run, then it sleeps,
// longer and longer, because a batch takes tens of microseconds or more.
const (
	watchSpins    = 64
	watchMinSleep = 10 * time.Microsecond
	watchMaxSleep = 200 * time.Microsecond
)

// add takes over one use of the event.
func (w *watcher) add(e *Event, call func(error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = append(w.pending, watched{event: e, call: call})
	if !w.active {
		w.active = true
		go w.run()
		return
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// take returns what there is to watch, or ends the watcher.
func (w *watcher) take(kept []watched) []watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	kept = append(kept, w.pending...)
	clear(w.pending)
	w.pending = w.pending[:0]
	w.active = len(kept) > 0
	return kept
}

func (w *watcher) run() {
	var watching []watched
	timer := time.NewTimer(0)
	defer timer.Stop()
	idle := 0
	for {
		watching = w.take(watching)
		if len(watching) == 0 {
			return
		}
		before := len(watching)
		watching = w.look(watching)
		if len(watching) < before {
			idle = 0
			continue
		}
		idle++
		if w.rest(timer, idle) {
			idle = 0
		}
	}
}

// look asks for each event once, tells of those that are done, and returns the
// others.
func (w *watcher) look(watching []watched) []watched {
	err := w.device.do(func(c *driver.Caller) error {
		for i := range watching {
			x := &watching[i]
			done, err := x.event.query(c)
			x.over, x.err = done || err != nil, w.device.noted(err)
			if errors.Is(x.err, ErrDeviceLost) {
				return x.err // and with the device every event
			}
		}
		return nil
	})
	if err != nil {
		w.endAll(watching, err)
	}
	kept := watching[:0]
	for _, x := range watching {
		if !x.over {
			kept = append(kept, x)
			continue
		}
		x.call(x.err)
		x.event.Release()
	}
	clear(watching[len(kept):])
	return kept
}

// endAll ends the watch on a device that cannot be asked. A device that is being
// closed does all its work first.
func (w *watcher) endAll(watching []watched, err error) {
	if errors.Is(err, ErrClosed) {
		<-w.device.gate.drained
		if lost := w.device.failure.Load(); lost != nil {
			err = lost
		}
	}
	for i := range watching {
		x := &watching[i]
		x.over, x.err = true, err
		if w.device.isDone(x.event.at) {
			x.err = nil
		}
	}
}

// rest waits before the next look, and reports whether something was added meanwhile.
func (w *watcher) rest(timer *time.Timer, idle int) bool {
	if idle <= watchSpins {
		runtime.Gosched()
		return false
	}
	timer.Reset(min(watchMinSleep<<min((idle-watchSpins)/8, 8), watchMaxSleep))
	select {
	case <-w.wake:
		return true
	case <-timer.C:
		return false
	}
}
