package exec

import (
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/exec/internal/randprog"
	"github.com/frondml/frond/graph"
)

// withoutSome takes the kernels of a part of the operators away.
func withoutSome(seed uint64) func(graph.Op) bool {
	return func(op graph.Op) bool {
		h := fnv.New64a()
		fmt.Fprint(h, seed, op.Name())
		return h.Sum64()%3 == 0
	}
}

// deviceConfigs are ways to execute a program on a device that checks everything that it
// can.
func deviceConfigs(seed uint64) []config {
	strict := host.Options{Poison: true, Check: true, SlowFetch: int(seed % 4)}
	poor := strict
	poor.Without = withoutSome(seed)
	turn := seed%2 == 1
	return []config{
		{Options{Workers: 1, Device: host.New(strict)}, 1},
		{Options{Workers: 2, Device: host.New(strict), Batching: BatchOff, Deterministic: turn}, 1},
		{Options{Workers: 8, Device: host.New(strict), Batching: 3, Deterministic: true}, 4},
		{Options{Workers: 2, Device: host.New(strict), NoSharing: turn, Memory: 1 << 30, Analyse: true}, 2},
		{Options{Workers: 1, Device: host.New(poor), NoSharing: !turn}, 1},
		{Options{Workers: 2, Device: host.New(poor), CheckFinite: true, Deterministic: true}, 2},
	}
}

// TestRandomProgramsOnDevices is TestRandomPrograms for devices.
func TestRandomProgramsOnDevices(t *testing.T) {
	for seed := range seedCount(t, 24) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			c, ok, err := newProgramCase(seed, randprog.Unlimited, 5)
			require.NoError(t, err)
			if !ok {
				t.Skip("the inputs do not keep away from where the program jumps")
			}
			ways := deviceConfigs(seed)
			if err := c.check(ways); err != nil {
				t.Fatal(smallest(seed, deviceConfigs, err))
			}
			for _, w := range ways {
				require.Zero(t, w.Device.(*host.Device).Held(), "%v", w)
			}
		})
	}
}
