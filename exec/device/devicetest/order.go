package devicetest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
)

// order lets two streams hand a buffer to each other.
func (s *suite) order() {
	other, err := s.device.NewStream()
	require.NoError(s.t, err)
	const words = 4096
	b := s.floats(make([]float32, words))
	require.NoError(s.t, s.stream.UploadFloats(b, 0, s.ones(words)))
	streams := []device.Stream{s.stream, other}
	rounds := s.o.repeat(40)
	for range rounds {
		event, err := streams[0].Record()
		require.NoError(s.t, err)
		require.NoError(s.t, streams[1].Wait(event))
		event.Release()
		require.NoError(s.t, streams[1].Scale(b, words, 1.5))
		streams[0], streams[1] = streams[1], streams[0]
	}
	got := make([]float32, words)
	require.NoError(s.t, streams[0].DownloadFloats(got, b, 0))
	want := float32(1)
	for range rounds {
		want *= 1.5
	}
	assert.Equal(s.t, want, got[0])
	assert.Equal(s.t, want, got[words-1])
	s.buffersOutlive(other)
}

func (s *suite) ones(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// buffersOutlive checks that a buffer can be used when the stream that it was allocated
// on is closed, and that an event outlives its stream.
func (s *suite) buffersOutlive(other device.Stream) {
	b, err := other.Alloc(3)
	require.NoError(s.t, err)
	require.NoError(s.t, other.UploadInts(b, 0, []int32{1, 2, 3}))
	event, err := other.Record()
	require.NoError(s.t, err)
	require.NoError(s.t, other.Close())
	require.NoError(s.t, s.stream.Wait(event))
	event.Release()
	assert.Equal(s.t, []int32{1, 2, 3}, s.downloadInts(b))
	require.NoError(s.t, s.stream.Free(b))
	assert.Error(s.t, other.Zero(b, 0, 1), "a closed stream")
}

// concurrency works on streams of several goroutines at once.
func (s *suite) concurrency() {
	const streams = 4
	var all sync.WaitGroup
	failures := make([]error, streams)
	for i := range streams {
		all.Go(func() { failures[i] = s.worker(int32(i), s.o.repeat(24)) })
	}
	all.Wait()
	require.NoError(s.t, errors.Join(failures...))
}

// worker allocates, computes and frees on a stream of its own.
func (s *suite) worker(id int32, rounds int) error {
	stream, err := s.device.NewStream()
	if err != nil {
		return err
	}
	for round := range rounds {
		if err := workOnce(stream, id, int32(round)); err != nil {
			return fmt.Errorf("stream %d, round %d: %w", id, round, err)
		}
	}
	return stream.Close()
}

func workOnce(s device.Stream, id, round int32) error {
	a, err := s.Alloc(100)
	if err != nil {
		return err
	}
	b, err := s.Alloc(100)
	if err != nil {
		return err
	}
	got := make([]int32, 2)
	err = errors.Join(
		s.Zero(a, 0, 100),
		s.UploadInts(a, 40, []int32{id, round}),
		s.Copy(b, 0, a, 40, 2),
		s.Free(a),
		s.DownloadInts(got, b, 0),
		s.Free(b))
	if err == nil && (got[0] != id || got[1] != round) {
		return fmt.Errorf("read %v, want [%d %d]", got, id, round)
	}
	return err
}
