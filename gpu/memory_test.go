package gpu_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
)

func TestMemoryIsReused(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{})
	s := b.stream()
	for range 100 {
		x := b.alloc(s, 1000)
		require.NoError(t, s.Free(x))
	}
	stats := b.device.MemoryStats()
	require.EqualValues(t, 100, stats.Allocations)
	require.EqualValues(t, 1, stats.DriverCalls)
	require.Zero(t, stats.InUse)
	require.GreaterOrEqual(t, stats.Cached, int64(1000))
}

// Memory freed on one stream may go to another only behind an event.
func TestMemoryCrossesStreamsBehindAnEvent(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{})
	s, other := b.stream(), b.stream()
	x := b.alloc(s, 1000)
	require.NoError(t, s.Fill(x, 0))
	require.NoError(t, s.Free(x))
	b.alloc(other, 1000)
	require.EqualValues(t, 2, b.device.MemoryStats().DriverCalls, "not ordered: new memory")

	e, err := s.Record()
	require.NoError(t, err)
	defer e.Release()
	require.NoError(t, other.Wait(e))
	b.alloc(other, 1000)
	require.EqualValues(t, 2, b.device.MemoryStats().DriverCalls, "ordered: the freed block")
}

// What the host has seen to be done needs no event.
func TestMemoryCrossesStreamsWhenDone(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{})
	s, other := b.stream(), b.stream()
	x := b.alloc(s, 1000)
	require.NoError(t, s.Fill(x, 0))
	e, err := s.Record()
	require.NoError(t, err)
	require.NoError(t, s.Free(x))
	require.NoError(t, e.Wait(ctx))
	e.Release()
	b.alloc(other, 1000)
	require.EqualValues(t, 1, b.device.MemoryStats().DriverCalls)
}

func TestMemoryLimit(t *testing.T) {
	b := setUp(t, "", gpu.Options{Memory: 10 << 10})
	s, other := b.stream(), b.stream()
	x, y := b.alloc(s, 4<<10), b.alloc(s, 4<<10)
	_, err := s.Alloc(4 << 10)
	var full *gpu.MemoryError
	require.ErrorAs(t, err, &full)
	require.ErrorIs(t, err, gpu.ErrMemory)
	require.Equal(t, gpu.MemoryError{Asked: 4 << 10, InUse: 8 << 10, Limit: 10 << 10}, *full)
	require.ErrorContains(t, err, "asked for 4096 bytes, 8192 in use, 0 cached, limit 10240")

	require.NoError(t, s.Fill(x, 0))
	require.NoError(t, s.Free(x))
	b.alloc(other, 4<<10) // waits for the device, because nothing orders the streams
	require.NoError(t, s.Free(y))
	b.alloc(other, 6<<10) // the cached block is of another class and makes room
	require.LessOrEqual(t, b.emulator.Count("device bytes"), int64(10<<10))
	require.NoError(t, b.device.Synchronize())
}

func TestDeviceOutOfMemory(t *testing.T) {
	b := setUp(t, "memory=16384", gpu.Options{})
	s := b.stream()
	x := b.alloc(s, 10000)
	_, err := s.Alloc(10000)
	require.ErrorIs(t, err, gpu.ErrMemory)
	require.ErrorContains(t, err, "no limit set: cuMemAlloc_v2: out of memory")
	require.NoError(t, s.Free(x))
	b.alloc(s, 12000)
	_, err = s.Alloc(math.MaxInt64)
	require.ErrorIs(t, err, gpu.ErrArgument)
	_, err = s.Alloc(-1)
	require.ErrorIs(t, err, gpu.ErrArgument)
}

func TestFreedBuffers(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{})
	s := b.stream()
	x := b.alloc(s, 64)
	require.ErrorIs(t, s.Free(x.Slice(0, 32)), gpu.ErrArgument)
	require.NoError(t, s.Free(x))
	require.ErrorIs(t, s.Free(x), gpu.ErrClosed)
	y := b.alloc(s, 64)
	require.ErrorIs(t, s.Fill(x, 0), gpu.ErrClosed, "the memory is y's now")
	require.NoError(t, s.Fill(y, 0))
	empty := b.alloc(s, 0)
	require.NoError(t, s.Fill(empty, 0))
	require.NoError(t, s.Free(empty))
}

// Sizes around those of the staging ring and of its pieces.
func TestUploadDownload(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{Staging: 4096, Check: true})
	s := b.stream()
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 4, 1000, 1023, 1024, 1025, 2048, 3000, 4096, 4097, 10000} {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		want := bytes.Clone(data)
		x := b.alloc(s, int64(n))
		require.NoError(t, s.Upload(ctx, x, data))
		clear(data) // the upload has its own copy
		got := make([]byte, n)
		require.NoError(t, s.Download(ctx, got, x))
		require.True(t, bytes.Equal(want, got), n)
		require.NoError(t, s.Free(x))
	}
	require.ErrorIs(t, s.Upload(ctx, b.alloc(s, 4), make([]byte, 5)), gpu.ErrArgument)
}

func TestManySmallUploads(t *testing.T) {
	b := setUp(t, "scheduler=threads", gpu.Options{Staging: 4096})
	s := b.stream()
	x := b.alloc(s, 4*500)
	want := make([]float32, 500)
	for i := range want {
		want[i] = float32(i)
		require.NoError(t, s.Upload(ctx, x.Slice(int64(4*i), int64(4*i+4)), encode(want[i])))
	}
	require.Equal(t, want, b.download(s, x))
	require.LessOrEqual(t, b.emulator.Count("events"), int64(100))
}

func TestPinned(t *testing.T) {
	b := setUp(t, "", gpu.Options{})
	s := b.stream()
	x := b.alloc(s, 8)
	p, err := b.device.AllocPinned(16)
	require.NoError(t, err)
	copy(p.Bytes(), "datadatadatadata")
	require.NoError(t, s.CopyToDevice(x, p.Slice(0, 8)))
	copy(p.Bytes(), "late")
	require.NoError(t, s.CopyToHost(p.Slice(8, 16), x))
	require.NoError(t, b.device.Synchronize())
	require.Equal(t, "latedatalatedata", string(p.Bytes()), "pinned memory is read when the stream gets there")
	require.ErrorIs(t, s.CopyToDevice(x, p), gpu.ErrArgument)
	require.ErrorIs(t, s.CopyToDevice(x, p.Slice(9, 17)), gpu.ErrArgument)
	require.NoError(t, b.device.FreePinned(p))
	require.ErrorIs(t, b.device.FreePinned(p), gpu.ErrClosed)
	require.ErrorIs(t, s.CopyToDevice(x, p.Slice(0, 8)), gpu.ErrClosed)
	_, err = b.device.AllocPinned(0)
	require.ErrorIs(t, err, gpu.ErrArgument)
}

func TestWaitIsCancelled(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{})
	s := b.stream()
	x := b.alloc(s, 4)
	require.NoError(t, s.Fill(x, 0))
	e, err := s.Record()
	require.NoError(t, err)
	cancelled, cancel := context.WithCancelCause(ctx)
	cancel(context.Canceled)
	// The adversarial device does nothing unless it is asked, so the wait is not over
	// at once; it may still win against the cancellation.
	if err := e.Wait(cancelled); err != nil {
		require.ErrorIs(t, err, context.Canceled)
	}
	require.NoError(t, e.Wait(ctx))
	done, err := e.Done()
	require.NoError(t, err)
	require.True(t, done)
	e.Release()
}

func TestNotifyManyEvents(t *testing.T) {
	b := setUpAnywhere(t, "scheduler=threads", gpu.Options{})
	const streams, rounds = 4, 50
	told := make(chan error, streams*rounds)
	for range streams {
		s := b.stream()
		x := b.alloc(s, 4)
		require.NoError(t, s.Fill(x, 0))
		for range rounds {
			require.NoError(t, b.multiply(s, x, 2))
			e, err := s.Record()
			require.NoError(t, err)
			e.Notify(func(err error) { told <- err })
			e.Release()
		}
	}
	for range streams * rounds {
		select {
		case err := <-told:
			require.NoError(t, err)
		case <-time.After(10 * time.Second):
			t.Fatal("an event was not told of")
		}
	}
}
