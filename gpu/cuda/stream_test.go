package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// Streams are ordered by events only, and the check says where one is missing.
func TestMissingEventIsFound(t *testing.T) {
	r := setUp(t, "", cuda.Options{})
	other, err := r.device.NewStream()
	require.NoError(t, err)
	b := r.floats(random(1, 100))
	require.ErrorIs(t, other.Scale(b, 100, 2), gpu.ErrRace)
	event, err := r.Record()
	require.NoError(t, err)
	require.NoError(t, other.Wait(event))
	event.Release()
	require.NoError(t, other.Scale(b, 100, 2))
}

// Whatever the order in which the device executes what is not ordered, what comes to the
// host is what was there when it was asked for.
func TestFetchInEveryOrder(t *testing.T) {
	for _, configuration := range []string{"seed=1", "seed=2", "scheduler=threads"} {
		r := setUp(t, configuration, cuda.Options{})
		b := r.ints(0, 0).Buffer
		var fetches []device.Fetch
		for i := range int32(40) {
			require.NoError(t, r.UploadInts(b, 0, []int32{i, -i}))
			f, err := r.Fetch(b, 0, 2)
			require.NoError(t, err)
			fetches = append(fetches, f)
		}
		got := make([]int32, 2)
		for i, f := range fetches {
			if i%3 == 1 {
				f.Release()
				continue
			}
			require.NoError(t, f.Ints(got))
			require.Equal(t, []int32{int32(i), -int32(i)}, got)
		}
		require.NoError(t, r.device.Close())
	}
}

// Pinned memory is asked for once: fetches that have ended leave theirs to others.
func TestFetchMemoryIsUsedAgain(t *testing.T) {
	e := emulator.Open(t, "pinned=2097152") // of which the staging of uploads is half
	d, err := cuda.Open(cuda.Options{GPU: gpu.Options{Binding: emulator.Binding, Library: e.Library}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	s, err := d.NewStream()
	require.NoError(t, err)
	r := &rig{t, d, s}
	const words = 1 << 16
	b := r.floats(random(1, words))
	for range 20 {
		f, err := r.Fetch(b, 0, words)
		require.NoError(t, err)
		require.NoError(t, f.Ints(make([]int32, words)))
	}
}

func TestFetchRefusesLengths(t *testing.T) {
	r := setUp(t, "", cuda.Options{})
	f, err := r.Fetch(r.ints(1, 2, 3).Buffer, 0, 2)
	require.NoError(t, err)
	err = f.Ints(make([]int32, 3))
	require.ErrorIs(t, err, gpu.ErrArgument)
	require.ErrorContains(t, err, "2 words were fetched, and 3 are wanted")
	f, err = r.Fetch(r.ints(1).Buffer, 1, 0)
	require.NoError(t, err)
	require.NoError(t, f.Ints(nil))
}

// Events and kernels of others are refused by name.
func TestForeignValues(t *testing.T) {
	r := setUp(t, "", cuda.Options{})
	err := r.Launch("a kernel", &device.Call{})
	require.ErrorIs(t, err, gpu.ErrArgument)
	require.ErrorContains(t, err, "the kernel is of another kind of device: string")
	b, err := r.Alloc(4)
	require.NoError(t, err)
	err = r.Copy(b, 2, b, 1, 2)
	require.ErrorIs(t, err, gpu.ErrArgument)
	require.ErrorContains(t, err, "overlap")
	_, err = r.Alloc(-1)
	require.ErrorIs(t, err, gpu.ErrArgument)
}
