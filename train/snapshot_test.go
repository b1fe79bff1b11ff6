package train_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/train"
)

// unpluggable returns a device and a function that makes it fail.
func unpluggable() (d *host.Device, unplug func()) {
	unplugged := false
	d = host.New(host.Options{Failure: func(string) error {
		if unplugged {
			return errors.New("unplugged")
		}
		return nil
	}})
	return d, func() { unplugged = true }
}

// Training goes back to where it was a number of steps ago at most, or when it was asked
// for a snapshot.
func TestSnapshotEvery(t *testing.T) {
	m := newTreeModel(t)
	trees := randomTrees(1, 3)
	for _, c := range []struct{ every, steps, asked, want int64 }{
		{3, 5, 0, 3}, {3, 4, 0, 3}, {3, 3, 0, 0}, {3, 2, 0, 0}, {1, 4, 0, 3}, {0, 99, 0, 0}, {0, 101, 0, 100}, {3, 5, 4, 4},
	} {
		d, unplug := unpluggable()
		s, err := exec.New(m.program, exec.Options{Workers: 1, Device: d})
		require.NoError(t, err)
		tr := m.trainer(t, s, train.NewAdam(0.01), train.Options{SnapshotEvery: int(c.every)})
		for step := range c.steps {
			_, err := tr.Step(t.Context(), trees)
			require.NoError(t, err)
			if step+1 == c.asked {
				require.NoError(t, tr.Snapshot())
			}
		}
		unplug()
		_, err = tr.Step(t.Context(), trees)
		require.ErrorIs(t, err, device.ErrLost)
		rolled, ok := errors.AsType[*train.RollbackError](err)
		require.True(t, ok)
		assert.Equal(t, c.want, rolled.Step, "%+v", c)
		assert.Equal(t, c.want, tr.Progress().Steps, "%+v", c)
		_ = s.Close() // may say again that the device is lost
		require.Zero(t, d.Held())
	}
}

// Without a step on the device nothing is lost with it.
func TestLosingADeviceWithoutStepsOnIt(t *testing.T) {
	m := newTreeModel(t)
	trees := randomTrees(1, 3)
	d, unplug := unpluggable()
	s, err := exec.New(m.program, exec.Options{Workers: 1, Device: d})
	require.NoError(t, err)
	opt := &own{train.NewSGD(0.1)}
	tr := m.trainer(t, s, opt, train.Options{})
	_, err = tr.Step(t.Context(), trees)
	require.NoError(t, err)
	unplug()
	_, err = tr.Step(t.Context(), trees)
	require.ErrorIs(t, err, device.ErrLost)
	_, rolled := errors.AsType[*train.RollbackError](err)
	assert.False(t, rolled)
	assert.Equal(t, int64(1), tr.Progress().Steps)
	require.NoError(t, train.Save(filepath.Join(t.TempDir(), "x"), &train.Checkpoint{Params: s.Parameters(), Optimizer: opt}))
	_ = s.Close()
	require.Zero(t, d.Held())
}

// Released memory is what the optimiser kept: two arrays of every variable.
func TestRelease(t *testing.T) {
	m := newTreeModel(t)
	d := strict()
	s := m.session(t, exec.Options{Workers: 1, Device: d})
	tr := m.trainer(t, s, train.NewAdam(0.01), train.Options{})
	words := 0
	for _, v := range m.program.Variables {
		words += v.Type.Size()
	}
	step := func() {
		_, err := tr.Step(t.Context(), randomTrees(1, 3))
		require.NoError(t, err)
	}
	step()
	before := d.Held().Words
	for range 2 {
		require.NoError(t, tr.Release())
		assert.Equal(t, before-2*words, d.Held().Words)
	}
	step()
	assert.Equal(t, before, d.Held().Words)
}
