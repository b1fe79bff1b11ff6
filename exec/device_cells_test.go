package exec

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/exec/internal/randprog"
)

// TestRandomCellsOnDevices is TestRandomCells for devices: products side by side with
// biases of their own, and long chains over parts of rows.
func TestRandomCellsOnDevices(t *testing.T) {
	for seed := range seedCount(t, 24) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			strict := host.Options{Poison: true, Check: true, SlowFetch: int(seed % 4)}
			checkCells(t, seed, []config{
				{Options{Workers: 1, Device: host.New(strict)}, 1},
				{Options{Workers: 2, Device: host.New(strict), Batching: 3, Deterministic: true}, 2},
				{Options{Workers: 1, Device: host.New(strict), NoSharing: true, CheckFinite: true}, 1},
			})
		})
	}
}

// TestRandomCellsOnCUDA is TestRandomCells for a CUDA device.
func TestRandomCellsOnCUDA(t *testing.T) {
	d := cudaDevice(t)
	for seed := range seedCount(t, 3) {
		checkCells(t, seed, []config{{Options{Workers: 1, Device: d}, 1}})
	}
}

func checkCells(t *testing.T, seed uint64, ways []config) {
	t.Helper()
	c, err := newCells(seed, randprog.Unlimited)
	require.NoError(t, err)
	if err := c.check(ways); err != nil {
		t.Fatalf("seed %d: %v\n\n%v", seed, err, c.Built)
	}
}
