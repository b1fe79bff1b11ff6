package gpu_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// deadline is how long work that should end may take before it counts as hanging.
const deadline = 20 * time.Second

// within fails the test, with all stacks, if a function does not return in time.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(deadline):
		stacks := make([]byte, 1<<20)
		t.Fatalf("it hangs:\n%s", stacks[:runtime.Stack(stacks, true)])
	}
}

// kindsHeld is what the emulator counts.
var kindsHeld = []string{"device bytes", "pinned bytes", "streams", "events", "modules", "contexts"}

// requireNothingHeld checks that everything was given back to the driver.
func requireNothingHeld(t *testing.T, e *emulator.Emulator, message ...any) {
	t.Helper()
	for _, what := range kindsHeld {
		require.Zero(t, e.Count(what), append([]any{what}, message...)...)
	}
}

// users are what goroutines may be doing with a device while it is closed. Each does
// one round of it.
var users = map[string]func(b *bench) error{
	"copies": func(b *bench) error {
		return onStream(b, func(s *gpu.Stream, x gpu.Buffer) error {
			data := make([]byte, x.Size())
			return errors.Join(s.Upload(ctx, x, data), s.Download(ctx, data, x))
		})
	},
	"launches": func(b *bench) error {
		return onStream(b, func(s *gpu.Stream, x gpu.Buffer) error {
			return s.Do(func() error {
				return errors.Join(s.Fill(x, 0), b.multiply(s, x, 2), s.Copy(x.Slice(0, 8), x.Slice(8, 16)))
			})
		})
	},
	"waits": func(b *bench) error {
		return onStream(b, func(s *gpu.Stream, x gpu.Buffer) error {
			return errors.Join(s.Fill(x, 0), wait(s))
		})
	},
	"notifies": func(b *bench) error {
		return onStream(b, func(s *gpu.Stream, x gpu.Buffer) error {
			e, err := s.Record()
			if err != nil {
				return err
			}
			told := make(chan error, 1)
			e.Notify(func(err error) { told <- err })
			e.Release()
			return <-told
		})
	},
	"pinned memory": func(b *bench) error {
		p, err := b.device.AllocPinned(1000)
		if err != nil {
			return err
		}
		return b.device.FreePinned(p)
	},
	"modules": func(b *bench) error {
		m, err := b.device.Load(testPTX)
		if err != nil {
			return err
		}
		return m.Close()
	},
	"synchronize": func(b *bench) error { return b.device.Synchronize() },
}

// onStream calls a function with a stream and a buffer of its own.
func onStream(b *bench, f func(*gpu.Stream, gpu.Buffer) error) error {
	s, err := b.device.NewStream()
	if err != nil {
		return err
	}
	x, err := s.Alloc(64 << 10)
	for range 3 {
		if err == nil {
			err = f(s, x)
		}
	}
	if err == nil {
		err = s.Free(x)
	}
	return errors.Join(err, s.Close())
}

// wait waits for all that a stream has been given.
func wait(s *gpu.Stream) error {
	e, err := s.Record()
	if err != nil {
		return err
	}
	defer e.Release()
	return e.Wait(ctx)
}

// A device may be closed at any time: whoever uses it gets ErrClosed and nothing else,
// whoever waits is told, and nothing is left.
func TestCloseDuringUse(t *testing.T) {
	for _, configuration := range []string{"scheduler=threads", "seed=1", "seed=2"} {
		for after := range 6 {
			b := setUp(t, configuration, gpu.Options{Staging: 16 << 10})
			within(t, func() {
				stopped := b.use(gpu.ErrClosed)
				time.Sleep(time.Duration(after) * 3 * time.Millisecond)
				require.NoError(t, b.device.Close())
				requireNothingHeld(t, b.emulator)
				require.NoError(t, b.device.Close())
				if rounds := stopped(); after == 5 {
					require.Positive(t, rounds)
				}
			})
			requireNothingHeld(t, b.emulator)
			require.Empty(t, b.emulator.Log())
		}
	}
}

// A device that is lost in the middle of use is lost for everybody, and closed like any
// other.
func TestLossDuringUse(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, configuration := range []string{"scheduler=threads", "seed=1"} {
		for _, operation := range []int{1, 10, 100} {
			b := setUp(t, fmt.Sprintf("%s fault=%d:719", configuration, operation), gpu.Options{Staging: 16 << 10})
			within(t, func() {
				b.use(gpu.ErrDeviceLost)()
				require.ErrorIs(t, b.device.Close(), gpu.ErrDeviceLost)
			})
			require.Zero(t, b.emulator.Count("contexts"))
		}
	}
	requireGoroutines(t, before)
}

// use lets all users use the device until they get an error, which must be of a kind.
// The function that it returns waits for them and tells how many rounds they did.
func (b *bench) use(kind error) (stopped func() int64) {
	var group sync.WaitGroup
	var rounds atomic.Int64
	for name, use := range users {
		for range 2 {
			group.Go(func() {
				err := use(b)
				for ; err == nil; err = use(b) {
					rounds.Add(1)
				}
				b.requireKind(name, err, kind)
			})
		}
	}
	return func() int64 {
		group.Wait()
		return rounds.Load()
	}
}

// requireKind checks that each of joined errors is of a kind.
func (b *bench) requireKind(name string, err, kind error) {
	_, lost := err.(*gpu.LostError)
	if joined, ok := err.(interface{ Unwrap() []error }); ok && !lost {
		for _, err := range joined.Unwrap() {
			b.requireKind(name, err, kind)
		}
		return
	}
	if !errors.Is(err, kind) {
		b.Errorf("%s: %v", name, err)
	}
}

// Several goroutines may close a device; whichever does, it is closed for all when
// they return.
func TestCloseAtOnce(t *testing.T) {
	b := setUp(t, "scheduler=threads", gpu.Options{})
	s := b.stream()
	require.NoError(t, s.Fill(b.alloc(s, 1000), 0))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if err := b.device.Close(); err != nil {
				t.Error(err)
			}
			if n := b.emulator.Count("contexts"); n != 0 {
				t.Errorf("%d contexts", n)
			}
		})
	}
	within(t, group.Wait)
	requireNothingHeld(t, b.emulator)
}

// Work that was issued is done before the device is closed, and its events say so.
func TestCloseFinishesWork(t *testing.T) {
	for _, configuration := range []string{"scheduler=threads", "seed=1"} {
		b := setUp(t, configuration, gpu.Options{})
		s := b.stream()
		x := b.alloc(s, 64)
		require.NoError(t, s.Fill(x, 0))
		e, err := s.Record()
		require.NoError(t, err)
		told := make(chan error, 2)
		e.Notify(func(err error) { told <- err })
		go func() { told <- e.Wait(ctx) }()
		runtime.Gosched()
		within(t, func() {
			require.NoError(t, b.device.Close())
			require.NoError(t, <-told)
			if err := <-told; err != nil {
				require.ErrorIs(t, err, gpu.ErrClosed, "the wait may have begun after the device was closed")
			}
		})
		done, err := e.Done()
		require.NoError(t, err)
		require.True(t, done)
		e.Release()
	}
}

// Functions that the package calls may close the device.
func TestCloseFromCalledFunctions(t *testing.T) {
	b := setUp(t, "scheduler=threads", gpu.Options{})
	s := b.stream()
	within(t, func() {
		err := s.Do(func() error {
			require.NoError(t, b.device.Close())
			_, err := s.Alloc(4)
			return err
		})
		require.ErrorIs(t, err, gpu.ErrClosed)
	})
	requireNothingHeld(t, b.emulator)

	b = setUp(t, "scheduler=threads", gpu.Options{})
	s = b.stream()
	require.NoError(t, s.Fill(b.alloc(s, 64<<10), 0))
	e, err := s.Record()
	require.NoError(t, err)
	closed := make(chan error, 1)
	e.Notify(func(error) { closed <- b.device.Close() })
	within(t, func() { require.NoError(t, <-closed) })
	requireNothingHeld(t, b.emulator)
}

// What belonged to a closed device can still be let go of.
func TestAfterClose(t *testing.T) {
	b := setUp(t, "", gpu.Options{})
	s := b.stream()
	x := b.alloc(s, 4)
	p, err := b.device.AllocPinned(4)
	require.NoError(t, err)
	m, err := b.device.Load(testPTX)
	require.NoError(t, err)
	e, err := s.Record()
	require.NoError(t, err)
	require.NoError(t, b.device.Close())

	for name, err := range map[string]error{
		"fill":        s.Fill(x, 0),
		"launch":      b.multiply(s, x, 1),
		"wait":        s.Wait(e),
		"free":        s.Free(x),
		"upload":      s.Upload(ctx, x, make([]byte, 4)),
		"download":    s.Download(ctx, make([]byte, 4), x),
		"do":          s.Do(func() error { panic("must not be called") }),
		"synchronize": b.device.Synchronize(),
		"pinned":      b.device.FreePinned(p),
		"module":      m.Close(),
		"shared":      b.scale.AllowShared(1),
	} {
		require.ErrorIs(t, err, gpu.ErrClosed, name)
	}
	require.NoError(t, e.Wait(ctx), "the event was reached before")
	e.Release()
	require.NoError(t, s.Close())
}

// A driver would run whatever lies where the code was.
func TestKernelsOfClosedModules(t *testing.T) {
	b := setUp(t, "", gpu.Options{})
	s := b.stream()
	x := b.alloc(s, 4)
	m, err := b.device.Load(testPTX)
	require.NoError(t, err)
	k, err := m.Kernel("scale")
	require.NoError(t, err)
	require.NoError(t, m.Close())
	err = s.Launch(k, gpu.Cover(1, 32), gpu.InOut(x), gpu.F32(1), gpu.U32(1))
	require.ErrorIs(t, err, gpu.ErrClosed)
	require.ErrorContains(t, err, "stream 0: launch of scale: module: closed")
	_, err = k.Occupancy(32, 0)
	require.ErrorIs(t, err, gpu.ErrClosed)
	require.NoError(t, b.multiply(s, x, 1), "other modules are still there")
}
