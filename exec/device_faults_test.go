package exec

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
)

var errUnplugged = errors.New("unplugged")

// stages of the life of a session, in order.
type stages struct {
	w     *workload
	state DeviceState
}

func (l *stages) all() []func(*Session) (*outcome, error) {
	return []func(*Session) (*outcome, error){
		l.w.infer, l.w.differentiate,
		func(s *Session) (*outcome, error) { return l.w.stepped(s, &l.state) },
		l.w.infer, l.w.differentiate,
	}
}

// undisturbed returns what the stages compute on a device without faults, and the
// variables before and after them.
func undisturbed(t *testing.T, w *workload, o Options) (want []*outcome, before, after [][]float32) {
	o.Device = newFaulty(-1, nil, host.Options{Without: w.without})
	s := session(t, w.prog, o)
	before = values(t, s.Parameters())
	l := stages{w: w}
	for _, stage := range l.all() {
		got, err := stage(s)
		require.NoError(t, err)
		want = append(want, got)
	}
	require.NoError(t, s.Close())
	return want, before, values(t, s.Parameters())
}

// faultStride is from one operation to the next that is to fail.
func faultStride(t testing.TB) int64 {
	if os.Getenv("FROND_FAULTS") == "all" {
		return 1
	}
	if testing.Short() {
		return 61
	}
	return 17
}

func faultWorkloads(t *testing.T, f func(t *testing.T, w *workload, o Options)) {
	for name, w := range map[string]*workload{"trees": treeWorkload(t), "lists": listWorkload(t)} {
		for _, workers := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/workers=%d", name, workers), func(t *testing.T) {
				t.Parallel()
				watchdog(t, 2*time.Minute)
				f(t, w, Options{Workers: workers, Deterministic: workers > 1, NoSharing: workers > 1})
			})
		}
	}
}

// A device that has no memory in any one operation ends that run with an error, and the
// same session does it right the next time.
func TestDeviceHasNoMemoryAnywhere(t *testing.T) {
	faultWorkloads(t, func(t *testing.T, w *workload, o Options) {
		want, _, _ := undisturbed(t, w, o)
		inputs := w.copied()
		for n := int64(1); ; n += faultStride(t) {
			d := newFaulty(n, device.ErrMemory, host.Options{Without: w.without})
			o.Device = d
			s, err := New(w.prog, o)
			if err != nil {
				requireFault(t, d, err, ErrMemory, device.ErrMemory)
				require.Zero(t, d.Held())
				continue
			}
			l := stages{w: w}
			for i, stage := range l.all() {
				got, err := stage(s)
				if errors.Is(err, ErrInconsistent) {
					require.ErrorIs(t, err, device.ErrMemory)
					break
				}
				if err != nil {
					requireFault(t, d, err, ErrMemory, device.ErrMemory)
					got, err = stage(s)
				}
				require.NoError(t, err, "operation %d, %v: stage %d again", n, d.failed(), i)
				require.Equal(t, want[i], got, "operation %d, %v: stage %d", n, d.failed(), i)
			}
			require.Equal(t, inputs, w.inputs)
			if err := s.Close(); err != nil {
				require.ErrorIs(t, err, device.ErrMemory)
			}
			require.Zero(t, d.Held(), "operation %d, %v", n, d.failed())
			if d.failed() == nil {
				t.Logf("%d operations", n-1)
				return
			}
		}
	})
}

// requireFault requires that an error is of a kind, and says where it happened.
func requireFault(t *testing.T, d *faulty, err error, kinds ...error) {
	t.Helper()
	for _, kind := range kinds {
		require.ErrorIs(t, err, kind, "%v", d.failed())
	}
	require.ErrorContains(t, err, d.Name())
	require.ErrorContains(t, err, fmt.Sprintf("said %v", d.failed()))
}

// A device that is lost in any one operation ends all runs from then on; the host has the
// variables that it had last.
func TestDeviceIsLostAnywhere(t *testing.T) {
	faultWorkloads(t, func(t *testing.T, w *workload, o Options) {
		want, before, after := undisturbed(t, w, o)
		inputs := w.copied()
		for n := int64(1); ; n += faultStride(t) {
			d := newFaulty(n, errUnplugged, host.Options{Without: w.without})
			o.Device = d
			s, err := New(w.prog, o)
			if err != nil {
				requireFault(t, d, err, device.ErrLost, errUnplugged)
				require.Zero(t, d.Held())
				continue
			}
			l := stages{w: w}
			for i, stage := range l.all() {
				got, err := stage(s)
				if d.failed() != nil {
					requireFault(t, d, err, device.ErrLost, errUnplugged)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, want[i], got, "stage %d", i)
			}
			require.Equal(t, inputs, w.inputs)
			stepped, inTime := s.Parameters().newest != nil || s.Parameters().lost != nil, d.failed() != nil
			err = s.Close()
			require.Zero(t, d.Held(), "operation %d, %v", n, d.failed())
			newerLost := errors.Is(err, ErrInconsistent) || s.Parameters().lost != nil
			if inTime {
				require.Equal(t, stepped, newerLost)
			}
			requireLoss(t, s.Parameters(), newerLost)
			if stepped && !newerLost {
				require.Equal(t, after, values(t, s.Parameters()))
			} else {
				require.Equal(t, before, values(t, s.Parameters()))
			}
			if d.failed() == nil {
				require.NoError(t, err)
				t.Logf("%d operations", n-1)
				return
			}
		}
	})
}

// requireLoss requires that Sync tells once that newer values were lost, if there were any.
func requireLoss(t *testing.T, p *Parameters, newer bool) {
	t.Helper()
	err := p.Sync()
	if newer {
		require.ErrorIs(t, err, ErrInconsistent)
		require.ErrorIs(t, err, device.ErrLost)
		err = p.Sync()
	}
	require.NoError(t, err)
}

// Runs of several goroutines, gradients among them, meet a fault together: each has its
// result or an error that says what happened.
func TestDeviceFailsUnderConcurrentRuns(t *testing.T) {
	for _, kind := range []error{device.ErrMemory, errUnplugged} {
		faultWorkloads(t, func(t *testing.T, w *workload, o Options) {
			o.Deterministic = true
			want, before, _ := undisturbed(t, w, o)
			for n, spared := int64(1), 0; spared < 3; n += 5 * faultStride(t) {
				d := newFaulty(n, kind, host.Options{Without: w.without})
				o.Device = d
				s, err := New(w.prog, o)
				if err != nil {
					continue
				}
				check := func() (failed bool) {
					for _, err := range together(w, s, want) {
						if err == nil {
							continue
						}
						failed = true
						requireFault(t, d, err, kind)
						if kind == errUnplugged {
							require.ErrorIs(t, err, device.ErrLost)
						} else {
							require.ErrorIs(t, err, ErrMemory)
						}
					}
					return failed
				}
				check()
				fault := d.failed() != nil
				if fault {
					require.Equal(t, kind == errUnplugged, check(), "the runs after operation %d, %v", n, d.failed())
				}
				err = s.Close()
				require.True(t, err == nil || errors.Is(err, kind), "%v", err)
				require.Zero(t, d.Held(), "operation %d, %v", n, d.failed())
				require.NoError(t, s.Parameters().Sync())
				require.Equal(t, before, values(t, s.Parameters()))
				if !fault {
					spared++
				}
			}
		})
	}
}

var errWrong = errors.New("wrong result")

// together runs inference and gradients at the same time and returns all errors.
func together(w *workload, s *Session, want []*outcome) []error {
	errs := make([]error, 4)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			for range 2 {
				run, wanted := w.infer, want[0]
				if i == 0 {
					run, wanted = w.differentiate, want[1]
				}
				got, err := run(s)
				if err == nil && !equalOutcomes(wanted, got) {
					err = errWrong
				}
				errs[i] = errors.Join(errs[i], err)
			}
		})
	}
	group.Wait()
	return errs
}
