package cuda_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu/cuda"
)

// Streams of several goroutines share the memory that fetches come to: no two fetches have
// the same.
func TestFetchesOfSeveralStreams(t *testing.T) {
	r := setUp(t, "", cuda.Options{})
	var group sync.WaitGroup
	for worker := range int32(4) {
		s, err := r.device.NewStream()
		require.NoError(t, err)
		mine := &rig{t, r.device, s}
		b := mine.ints(worker, worker).Buffer
		group.Go(func() {
			got := make([]int32, 2)
			for range 400 {
				var fetches []device.Fetch
				for range 3 {
					f, err := s.Fetch(b, 0, 2)
					if !assert.NoError(t, err) {
						return
					}
					fetches = append(fetches, f)
				}
				for _, f := range fetches {
					if !assert.NoError(t, f.Ints(got)) || !assert.True(t, slices.Equal(got, []int32{worker, worker}), "%v of worker %d", got, worker) {
						return
					}
				}
			}
		})
	}
	group.Wait()
}
