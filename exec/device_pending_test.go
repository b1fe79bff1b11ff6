package exec

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/frondml/frond/exec/device/host"
)

// A decision that depends on computed values costs one copy to the host per batch of
// frames, and one copy of index lists to the device.
func TestDecisionsOnDevicesAreFetchedPerBatch(t *testing.T) {
	p, g := growProgram(t, 6)
	calls := map[string]int{}
	on := host.New(host.Options{Failure: func(what string) error {
		name, _, _ := strings.Cut(what, " ")
		calls[name]++
		return nil
	}})
	s := session(t, p, Options{Workers: 1, Seed: 3, Device: on})
	_, err := s.Run(context.Background(), g, growInputs(6, 64))
	require.NoError(t, err)
	st := s.Stats()
	t.Logf("%v, calls %v", st, calls)
	assert.Greater(t, st.Frames, 5*st.Batches)
	assert.Positive(t, calls["Fetch"])
	assert.LessOrEqual(t, int64(calls["Fetch"]), st.Batches)
	assert.LessOrEqual(t, int64(calls["UploadInts"]), 2*st.Batches)
}

// While a batch waits for integers, the frames of other runs go on: runs that share an
// engine end in fewer waits than they have batches that compute integers.
func TestOtherRunsGoOnWhileABatchWaits(t *testing.T) {
	p, g := growProgram(t, 6)
	alone := session(t, p, Options{Workers: 1, Seed: 3})
	inputs := growInputs(6, 24)
	want, err := alone.Run(context.Background(), g, inputs)
	require.NoError(t, err)
	s := session(t, p, Options{Workers: 1, Seed: 3, Batching: 2, Device: host.New(host.Options{Poison: true, Check: true, SlowFetch: 7})})
	var runs errgroup.Group
	for i := range inputs {
		runs.Go(func() error {
			r, err := s.Run(context.Background(), g, inputs[i:i+1])
			if err != nil {
				return err
			}
			assert.Equal(t, want.Losses[i], r.Losses[0])
			return nil
		})
	}
	require.NoError(t, runs.Wait())
}
