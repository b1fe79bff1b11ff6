package exec

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/internal/randprog"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/gpu/gputest"
)

// cudaDevice opens an emulated device, or the machine's own, that checks what kernels
// access and in which order.
func cudaDevice(t testing.TB) *cuda.Device {
	t.Helper()
	d, err := cuda.Open(cuda.Options{GPU: gpu.Options{Library: gputest.Library(t, ""), Check: true}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// TestRandomProgramsOnCUDA is TestRandomPrograms for a CUDA device.
func TestRandomProgramsOnCUDA(t *testing.T) {
	d := cudaDevice(t)
	for seed := range seedCount(t, 6) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			c, ok, err := newProgramCase(seed, randprog.Unlimited, 3)
			require.NoError(t, err)
			if !ok {
				t.Skip("the inputs do not keep away from where the program jumps")
			}
			before := d.MemoryStats().InUse
			ways := func(seed uint64) []config {
				turn := seed%2 == 1
				return []config{
					{Options{Workers: 1, Device: d}, 1},
					{Options{Workers: 3, Device: d, Deterministic: true, NoSharing: turn}, 2},
				}
			}
			if err := c.check(ways(seed)); err != nil {
				t.Fatal(smallest(seed, ways, err))
			}
			require.Equal(t, before, d.MemoryStats().InUse)
		})
	}
}
