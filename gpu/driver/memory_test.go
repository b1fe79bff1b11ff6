package driver_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu/driver"
)

func TestMemory(t *testing.T) {
	c, e := open(t, "memory=65536")
	p, err := c.Alloc(40000)
	require.NoError(t, err)
	free, total, err := c.MemoryInfo()
	require.NoError(t, err)
	require.EqualValues(t, 65536, total)
	require.LessOrEqual(t, free, int64(65536-40000))

	_, err = c.Alloc(40000)
	require.ErrorIs(t, err, driver.ErrMemory)
	require.ErrorContains(t, err, "40000 bytes")
	require.NoError(t, c.Free(p), "running out of memory leaves the context usable")
	require.Error(t, c.Free(p))
	require.Zero(t, e.Count("device bytes"))

	host, err := c.AllocHost(100)
	require.NoError(t, err)
	require.Len(t, host, 100)
	require.NoError(t, c.FreeHost(host))
	require.Zero(t, e.Count("pinned bytes"))
}

// A copy of pinned memory takes what is there when the stream gets to it, and not
// what was there at the call.
func TestCopiesFollowTheStream(t *testing.T) {
	c, _ := open(t, "scheduler=adversarial")
	s, err := c.NewStream()
	require.NoError(t, err)
	p, err := c.Alloc(8)
	require.NoError(t, err)
	host, err := c.AllocHost(8)
	require.NoError(t, err)

	copy(host, "before..")
	require.NoError(t, c.CopyToDevice(p, host, s))
	copy(host, "after...")
	result, err := c.AllocHost(8)
	require.NoError(t, err)
	require.NoError(t, c.CopyToHost(result, p, s))
	require.NotEqual(t, "after...", string(result), "nothing has run yet")
	require.NoError(t, c.SynchronizeStream(s))
	require.Equal(t, "after...", string(result))
}

// A copy of ordinary memory takes what is there at the call.
func TestPageableMemoryIsStaged(t *testing.T) {
	c, _ := open(t, "scheduler=adversarial")
	s, err := c.NewStream()
	require.NoError(t, err)
	p, err := c.Alloc(8)
	require.NoError(t, err)
	memory := make([]byte, 8)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&memory[0])
	copy(memory, "before..")
	require.NoError(t, c.CopyToDevice(p, memory, s))
	copy(memory, "after...")
	require.NoError(t, c.CopyToHost(memory, p, s))
	require.Equal(t, "before..", string(memory), "a copy to ordinary memory waits")
}

// Memory that is freed while a copy of it is in the queue is a mistake.
func TestPinnedMemoryFreedTooEarly(t *testing.T) {
	c, e := open(t, "scheduler=adversarial")
	s, err := c.NewStream()
	require.NoError(t, err)
	p, err := c.Alloc(8)
	require.NoError(t, err)
	host, err := c.AllocHost(8)
	require.NoError(t, err)
	require.NoError(t, c.CopyToDevice(p, host, s))
	require.NoError(t, c.FreeHost(host))
	require.Error(t, c.SynchronizeStream(s))
	require.Contains(t, e.Log(), "copy to device: pinned memory was freed before the copy was done")
}

func TestEvents(t *testing.T) {
	c, e := open(t, "scheduler=adversarial seed=3")
	producer, err := c.NewStream()
	require.NoError(t, err)
	consumer, err := c.NewStream()
	require.NoError(t, err)
	event, err := c.NewEvent()
	require.NoError(t, err)
	p, err := c.Alloc(4)
	require.NoError(t, err)
	host, err := c.AllocHost(4)
	require.NoError(t, err)

	done, err := c.EventDone(event)
	require.NoError(t, err)
	require.True(t, done, "an event that was never recorded is not waited for")

	require.NoError(t, c.Fill(p, 0x01020304, 1, producer))
	require.NoError(t, c.Record(event, producer))
	require.NoError(t, c.Wait(consumer, event))
	require.NoError(t, c.CopyToHost(host, p, consumer))
	require.NoError(t, c.SynchronizeStream(consumer))
	require.Equal(t, []byte{4, 3, 2, 1}, host)
	require.NoError(t, c.SynchronizeEvent(event))
	done, err = c.StreamDone(producer)
	require.NoError(t, err)
	require.True(t, done)

	require.NoError(t, c.DestroyEvent(event))
	require.Error(t, c.DestroyEvent(event))
	require.NoError(t, c.DestroyStream(producer))
	require.NoError(t, c.DestroyStream(consumer))
	require.Zero(t, e.Count("streams")+e.Count("events"))
}

// A stream waits for the record that an event has at the time, also if the event is
// recorded again, elsewhere and to be reached earlier.
func TestWaitIsForOneRecord(t *testing.T) {
	for _, seed := range []string{"1", "2", "3", "4"} {
		c, _ := open(t, "seed="+seed)
		var streams [3]driver.Stream
		for i := range streams {
			var err error
			streams[i], err = c.NewStream()
			require.NoError(t, err)
		}
		event, err := c.NewEvent()
		require.NoError(t, err)
		p, err := c.Alloc(4)
		require.NoError(t, err)
		host, err := c.AllocHost(4)
		require.NoError(t, err)
		for range 5 {
			require.NoError(t, c.Fill(p, 1, 1, streams[0]))
		}
		require.NoError(t, c.Record(event, streams[0]))
		require.NoError(t, c.Wait(streams[1], event))
		require.NoError(t, c.Record(event, streams[2]))
		require.NoError(t, c.CopyToHost(host, p, streams[1]))
		require.NoError(t, c.SynchronizeStream(streams[1]))
		require.Equal(t, []byte{1, 0, 0, 0}, host)
	}
}
