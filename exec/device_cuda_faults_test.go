package exec

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/gpu/gputest"
)

// requireNothingHeld requires that a driver has everything back.
func requireNothingHeld(t *testing.T, e *gputest.Emulated) {
	t.Helper()
	for _, what := range []string{"device bytes", "pinned bytes", "streams", "events", "modules", "contexts"} {
		require.Zero(t, e.Count(what), what)
	}
}

// busy runs, differentiates and steps on a device, from several goroutines at once, and
// returns all errors.
func (w *workload) busy(s *Session, rounds int) []error {
	errs := make([]error, 3)
	var group errgroup.Group
	for i := range errs {
		group.Go(func() error {
			var state DeviceState
			for range rounds {
				run := w.infer
				if i == 0 {
					run = func(s *Session) (*outcome, error) { return w.stepped(s, &state) }
				}
				_, err := run(s)
				errs[i] = errors.Join(errs[i], err)
			}
			return nil
		})
	}
	_ = group.Wait()
	return errs
}

// What a driver or a kernel fails at is told by all runs from then on: what it was, on
// which stream, and what was issued last. Nothing hangs, and all is given back.
func TestCUDAFaults(t *testing.T) {
	places := regexp.MustCompile(`device lost: .*issued last: stream \d+ \(\d+ operations\): [a-z_ ]+`)
	w := treeWorkload(t)
	inputs := w.copied()
	faults := []string{"cuLaunchKernel=40:719", "cuMemcpyDtoHAsync_v2=3:700", "cuStreamWaitEvent=2:999", "cuEventRecord=4:719", "cuMemAlloc_v2=2:2", "cuMemAlloc_v2=1:2", "cuStreamCreate=2:2", "cuEventCreate=3:2", "cuMemHostAlloc=1:2"}
	stride := 1
	if testing.Short() {
		stride = 3
	}
	for _, n := range []int{1, 7, 30, 95, 210, 400} {
		faults = append(faults, fmt.Sprintf("fault=%d:719", n))
	}
	lost, memory := 0, 0
	for _, scheduler := range []string{"adversarial", "threads"} {
		for i := 0; i < len(faults); i += stride {
			configuration := "scheduler=" + scheduler + " " + faults[i]
			watchdog(t, time.Minute)
			e := gputest.Emulate(t, configuration)
			d, err := cuda.Open(cuda.Options{GPU: gpu.Options{Library: e.Library, Check: true}})
			if err != nil {
				require.True(t, errors.Is(err, device.ErrLost) || errors.Is(err, device.ErrMemory), "%s: %v", configuration, err)
				requireNothingHeld(t, e)
				continue
			}
			s, err := New(w.prog, Options{Workers: 3, Device: d})
			var errs []error
			if err != nil {
				errs = append(errs, err)
			} else {
				errs = w.busy(s, 2)
			}
			failed := errors.Join(errs...)
			switch {
			case errors.Is(failed, device.ErrLost):
				lost++
				require.ErrorContains(t, failed, d.Name())
				require.Regexp(t, places, failed.Error(), configuration)
			case errors.Is(failed, ErrMemory):
				memory++
				require.ErrorIs(t, failed, device.ErrMemory)
				require.ErrorContains(t, failed, d.Name())
				_, err := w.infer(s)
				require.NoError(t, err, configuration)
			default:
				require.NoError(t, failed, configuration)
			}
			if s != nil {
				err := s.Close()
				require.True(t, err == nil || errors.Is(err, device.ErrLost) || errors.Is(err, device.ErrMemory), "%s: %v", configuration, err)
				values(t, s.Parameters())
			}
			require.Equal(t, inputs, w.inputs)
			err = d.Close()
			require.Equal(t, errors.Is(failed, device.ErrLost), errors.Is(err, device.ErrLost), "%s: %v", configuration, err)
			if err == nil {
				requireNothingHeld(t, e)
			}
		}
	}
	t.Logf("lost in %d cases, without memory in %d", lost, memory)
	require.Positive(t, lost)
}

// Gradients end with their session, whether the device was closed before or is open.
func TestCUDAGradientsOfAClosedSession(t *testing.T) {
	l := newLinear(t)
	for _, deviceFirst := range []bool{false, true} {
		watchdog(t, time.Minute)
		e := gputest.Emulate(t, "")
		d, err := cuda.Open(cuda.Options{GPU: gpu.Options{Library: e.Library, Check: true}})
		require.NoError(t, err)
		s := l.session(t, d, nil)
		g := l.gradients(t, s, 1)
		if deviceFirst {
			require.NoError(t, d.Close())
			_, err = g.Norm()
			require.ErrorIs(t, err, gpu.ErrClosed)
			_, err = g.Download()
			require.ErrorIs(t, err, gpu.ErrClosed)
		}
		err = s.Close()
		require.True(t, err == nil || deviceFirst && errors.Is(err, gpu.ErrClosed), "%v", err)
		requireClosed(t, g)
		if !deviceFirst {
			require.NoError(t, d.Close())
		}
		requireNothingHeld(t, e)
	}
}

// What Close says of a device that was closed before names it once for each failure.
func TestCUDAIsClosedBeforeItsSession(t *testing.T) {
	watchdog(t, time.Minute)
	l := newLinear(t)
	e := gputest.Emulate(t, "")
	d, err := cuda.Open(cuda.Options{GPU: gpu.Options{Library: e.Library, Check: true}})
	require.NoError(t, err)
	s := l.session(t, d, nil)
	var state DeviceState
	require.NoError(t, l.gradients(t, s, 1).Step(&state, momentum))
	require.NoError(t, d.Close())
	err = s.Close()
	require.ErrorIs(t, err, gpu.ErrClosed)
	require.ErrorIs(t, err, ErrInconsistent)
	require.ErrorContains(t, err, "what the optimiser keeps")
	for line := range strings.Lines(err.Error()) {
		require.Equal(t, 1, strings.Count(line, d.Name()), line)
	}
	requireNothingHeld(t, e)
}

// A device may be closed while runs are in progress.
func TestCUDAIsClosedDuringRuns(t *testing.T) {
	w := treeWorkload(t)
	rng := rand.New(rand.NewPCG(1, 2))
	closed := 0
	for round := range 12 {
		if testing.Short() && round >= 4 {
			break
		}
		watchdog(t, time.Minute)
		e := gputest.Emulate(t, []string{"scheduler=adversarial", "scheduler=threads"}[round%2])
		d, err := cuda.Open(cuda.Options{GPU: gpu.Options{Library: e.Library, Check: true}})
		require.NoError(t, err)
		s := session(t, w.prog, Options{Workers: 1 + round%3, Device: d})
		began := make(chan struct{})
		closing := make(chan error)
		delay := time.Duration(rng.IntN(60)) * time.Millisecond
		go func() {
			<-began
			time.Sleep(delay)
			closing <- d.Close()
		}()
		close(began)
		for _, err := range w.busy(s, 4) {
			if err != nil {
				closed++
				require.True(t, errors.Is(err, gpu.ErrClosed) || errors.Is(err, device.ErrLost), "%v", err)
			}
		}
		require.NoError(t, <-closing)
		_, err = s.Run(context.Background(), w.graph, w.inputs)
		require.ErrorIs(t, err, gpu.ErrClosed)
		err = s.Close()
		require.True(t, err == nil || errors.Is(err, gpu.ErrClosed), "%v", err)
		require.ErrorIs(t, s.Close(), ErrClosed)
		values(t, s.Parameters())
		requireNothingHeld(t, e)
	}
	require.Positive(t, closed)
}
