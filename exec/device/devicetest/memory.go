package devicetest

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
)

// memory checks that buffers are there, keep what they are given and do not overlap.
func (s *suite) memory() {
	var buffers []device.Buffer
	var contents [][]float32
	for _, n := range s.o.sizes([]int{0, 1, 2, 63, 64, 65, 1000}, 5000, 100000) {
		contents = append(contents, s.uniform(n))
		buffers = append(buffers, s.floats(contents[len(contents)-1]))
	}
	for i, b := range buffers {
		assert.Equal(s.t, contents[i], s.download(b))
	}
	for i, b := range buffers[:4] {
		s.free(b)
		s.floats(s.uniform(len(contents[i])))
	}
	for i, b := range buffers[4:] {
		assert.Equal(s.t, contents[4+i], s.download(b))
	}
}

// copies checks transfers and copies of parts.
func (s *suite) copies() {
	ints := []int32{math.MinInt32, -1, 0, 1, math.MaxInt32, canary}
	b := s.ints(ints)
	assert.Equal(s.t, ints, s.downloadInts(b))

	x := s.uniform(300)
	a := s.floats(x)
	host := []float32{7, 8, 9}
	require.NoError(s.t, s.stream.UploadFloats(a, 11, host))
	clear(host) // it was read
	copy(x[11:], []float32{7, 8, 9})
	require.NoError(s.t, s.stream.Copy(a, 200, a, 10, 90))
	copy(x[200:290], x[10:100])
	require.NoError(s.t, s.stream.Zero(a, 5, 3))
	clear(x[5:8])
	assert.Equal(s.t, x, s.download(a))

	c := s.alloc(301)
	require.NoError(s.t, s.stream.Zero(c, 0, 301))
	require.NoError(s.t, s.stream.Copy(c, 1, a, 0, 300))
	assert.Equal(s.t, append([]float32{0}, x...), s.download(c))
	part := make([]float32, 7)
	require.NoError(s.t, s.stream.DownloadFloats(part, c, 13))
	assert.Equal(s.t, x[12:19], part)

	require.NoError(s.t, s.stream.UploadInts(c, 300, []int32{-5}))
	last := make([]int32, 1)
	require.NoError(s.t, s.stream.DownloadInts(last, c, 300))
	assert.Equal(s.t, []int32{-5}, last)
	s.nothing(a, x)
}

// nothing checks that transfers of no words are allowed up to the end and do nothing.
func (s *suite) nothing(a device.Buffer, x []float32) {
	n := a.Words()
	require.NoError(s.t, s.stream.UploadFloats(a, n, nil))
	require.NoError(s.t, s.stream.UploadInts(a, n, nil))
	require.NoError(s.t, s.stream.DownloadFloats(nil, a, n))
	require.NoError(s.t, s.stream.DownloadInts(nil, a, n))
	require.NoError(s.t, s.stream.Zero(a, n, 0))
	require.NoError(s.t, s.stream.Copy(a, n, a, 0, 0))
	assert.Equal(s.t, x, s.download(a))
}

// fetch checks copies that are waited for later.
func (s *suite) fetch() {
	words := []int32{3, -4, 5, 6, math.MinInt32, 8}
	b := s.ints(words)
	first, err := s.stream.Fetch(b, 1, 4)
	require.NoError(s.t, err)
	// What is issued behind a copy does not change what it brings.
	require.NoError(s.t, s.stream.Zero(b, 0, len(words)))
	second, err := s.stream.Fetch(b, 0, 2)
	require.NoError(s.t, err)
	dropped, err := s.stream.Fetch(b, 0, 6)
	require.NoError(s.t, err)
	dropped.Release()
	s.free(b)

	got := make([]int32, 2)
	require.NoError(s.t, second.Ints(got))
	assert.Equal(s.t, []int32{0, 0}, got)
	for end := time.Now().Add(10 * time.Second); !first.Done(); time.Sleep(time.Millisecond) {
		require.True(s.t, time.Now().Before(end), "a copy is not done after ten seconds")
	}
	got = make([]int32, 4)
	require.NoError(s.t, first.Ints(got))
	assert.Equal(s.t, words[1:5], got)
	for i := range s.o.repeat(64) {
		b := s.ints([]int32{int32(i), rand.Int32()})
		f, err := s.stream.Fetch(b, 0, 1)
		require.NoError(s.t, err)
		require.NoError(s.t, f.Ints(got[:1]))
		require.Equal(s.t, int32(i), got[0])
		s.free(b)
	}
}

// outOfMemory checks that a device whose memory is used up goes on.
func (s *suite) outOfMemory() {
	kept := s.uniform(10)
	b := s.floats(kept)
	for _, words := range []int{1 << 44, 1 << 60, math.MaxInt} {
		_, err := s.stream.Alloc(words)
		require.ErrorIs(s.t, err, device.ErrMemory, "%d words", words)
	}
	assert.Equal(s.t, kept, s.download(b))
	more := s.uniform(20)
	assert.Equal(s.t, more, s.download(s.floats(more)))
}
