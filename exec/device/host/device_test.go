package host_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

func stream(t *testing.T, d *host.Device) device.Stream {
	t.Helper()
	s, err := d.NewStream()
	require.NoError(t, err)
	return s
}

func alloc(t *testing.T, s device.Stream, words int) device.Buffer {
	t.Helper()
	b, err := s.Alloc(words)
	require.NoError(t, err)
	return b
}

func operator(t *testing.T, name string) graph.Op {
	t.Helper()
	op, err := ops.Registry()[name](nil)
	require.NoError(t, err)
	return op
}

func vector(n int) graph.Type { return graph.T(graph.Float32, n) }

func TestMemoryIsLimited(t *testing.T) {
	d := host.New(host.Options{Limit: 100})
	s := stream(t, d)
	b := alloc(t, s, 60)
	_, err := s.Alloc(41)
	require.ErrorIs(t, err, device.ErrMemory)
	assert.ErrorContains(t, err, "41 words asked, 60 held, the limit is 100")
	alloc(t, s, 40)
	require.NoError(t, s.Free(b))
	alloc(t, s, 60)
}

func TestHeldCountsWhatIsNotGivenBack(t *testing.T) {
	d := host.New(host.Options{})
	s := stream(t, d)
	b := alloc(t, s, 7)
	e, err := s.Record()
	require.NoError(t, err)
	f, err := s.Fetch(b, 0, 1)
	require.NoError(t, err)
	g, err := s.Fetch(b, 0, 1)
	require.NoError(t, err)
	assert.Equal(t, host.Held{Words: 7, Buffers: 1, Streams: 1, Events: 1, Fetches: 2}, d.Held())
	e.Release()
	e.Release()
	f.Release()
	require.NoError(t, g.Ints(make([]int32, 1)))
	g.Release()
	require.NoError(t, s.Free(b))
	require.NoError(t, s.Close())
	assert.Zero(t, d.Held())
}

func TestFreshMemoryIsPoison(t *testing.T) {
	s := stream(t, host.New(host.Options{Poison: true}))
	x := make([]float32, 3)
	require.NoError(t, s.DownloadFloats(x, alloc(t, s, 3), 0))
	for _, v := range x {
		assert.True(t, math.IsNaN(float64(v)))
	}
}

func TestUseAfterFree(t *testing.T) {
	s := stream(t, host.New(host.Options{}))
	b, kept := alloc(t, s, 8), alloc(t, s, 8)
	require.NoError(t, s.Free(b))
	add, err := host.New(host.Options{}).Compile(device.Operator{Op: operator(t, "neg"), In: []graph.Type{vector(2)}, Out: vector(2)})
	require.NoError(t, err)
	assert.ErrorIs(t, s.Launch(add, &device.Call{}), host.ErrArgument, "a kernel of another device")
	for what, err := range map[string]error{
		"free":     s.Free(b),
		"upload":   s.UploadFloats(b, 0, make([]float32, 1)),
		"download": s.DownloadInts(make([]int32, 1), b, 0),
		"copy":     s.Copy(kept, 0, b, 0, 1),
		"columns":  s.AddColumns(device.ColumnSum{Into: kept, X: device.Rows{Buffer: b, Stride: 1}, N: 1, Width: 1}),
	} {
		assert.ErrorIs(t, err, host.ErrFreed, what)
	}
}

func TestOperationsFailWhenAsked(t *testing.T) {
	cause := errors.New("smoke")
	countdown := 3
	d := host.New(host.Options{Failure: func(what string) error {
		if countdown--; countdown == 0 {
			return cause
		}
		return nil
	}})
	s := stream(t, d)
	b := alloc(t, s, 2)
	err := s.Zero(b, 0, 2)
	require.ErrorIs(t, err, device.ErrLost)
	require.ErrorIs(t, err, cause)
	assert.ErrorContains(t, err, "Zero")

	assert.ErrorIs(t, s.Zero(b, 0, 2), device.ErrLost, "the device stays lost")
	_, err = s.Alloc(1)
	assert.ErrorIs(t, err, device.ErrLost)
	_, err = d.NewStream()
	assert.ErrorIs(t, err, device.ErrLost)
	_, err = s.Record()
	assert.ErrorIs(t, err, device.ErrLost)
	require.NoError(t, s.Free(b))
	require.NoError(t, s.Close())
	assert.Zero(t, d.Held())
}

func TestLostDeviceFreesWithoutOrder(t *testing.T) {
	lost := false
	d := host.New(host.Options{Check: true, Failure: func(string) error {
		if lost {
			return errors.New("smoke")
		}
		return nil
	}})
	s, other := stream(t, d), stream(t, d)
	b := alloc(t, s, 2)
	require.ErrorIs(t, other.Free(b), host.ErrRace)
	lost = true
	require.ErrorIs(t, s.Zero(b, 0, 1), device.ErrLost)
	require.NoError(t, other.Free(b))
	require.ErrorIs(t, other.Free(b), host.ErrFreed)
}

func TestOutOfMemoryDoesNotLoseTheDevice(t *testing.T) {
	full := true
	d := host.New(host.Options{Failure: func(what string) error {
		if full && what == "Alloc" {
			return device.ErrMemory
		}
		return nil
	}})
	s := stream(t, d)
	_, err := s.Alloc(1)
	require.ErrorIs(t, err, device.ErrMemory)
	require.NotErrorIs(t, err, device.ErrLost)
	full = false
	alloc(t, s, 1)
}

func TestOperatorsWithoutKernel(t *testing.T) {
	d := host.New(host.Options{Without: func(op graph.Op) bool { return op.Name() == "neg" }})
	neg := device.Operator{Op: operator(t, "neg"), In: []graph.Type{vector(2)}, Out: vector(2)}
	_, err := d.Compile(neg)
	require.ErrorIs(t, err, device.ErrNoKernel)
	assert.ErrorContains(t, err, "neg")
	_, err = d.Fuse(device.Chain{Operands: 2, Steps: []device.Step{{Op: neg.Op, In: neg.In, Out: neg.Out, Size: 2, To: 1}}})
	require.ErrorIs(t, err, device.ErrNoKernel)

	neg.Op, neg.Segments = operator(t, "exp"), true
	_, err = d.Compile(neg)
	require.ErrorIs(t, err, device.ErrNoKernel, "rows, not segments")
	neg.Segments, neg.In[0].DType = false, graph.Float64
	_, err = d.Compile(neg)
	require.ErrorIs(t, err, device.ErrNoKernel, "float64")
}

func TestSlowFetch(t *testing.T) {
	s := stream(t, host.New(host.Options{SlowFetch: 2}))
	b := alloc(t, s, 1)
	require.NoError(t, s.UploadInts(b, 0, []int32{9}))
	f, err := s.Fetch(b, 0, 1)
	require.NoError(t, err)
	assert.Equal(t, []bool{false, false, true, true}, []bool{f.Done(), f.Done(), f.Done(), f.Done()})
	got := make([]int32, 1)
	require.ErrorIs(t, f.Ints(nil), host.ErrArgument)
	require.NoError(t, f.Ints(got))
	assert.Equal(t, int32(9), got[0])
	require.ErrorIs(t, f.Ints(got), host.ErrArgument, "twice")
}

func TestStreamIsForOneGoroutine(t *testing.T) {
	var s device.Stream
	var inner error
	d := host.New(host.Options{Failure: func(what string) error {
		if what == "Zero" {
			_, inner = s.Alloc(1) // as another goroutine could
		}
		return nil
	}})
	s = stream(t, d)
	require.NoError(t, s.Zero(alloc(t, s, 1), 0, 1))
	require.ErrorIs(t, inner, host.ErrBusy)
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Close(), host.ErrClosed)
}
