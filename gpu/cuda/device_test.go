package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/devicetest"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// open opens the emulated device, or the machine's own, with a check of all accesses.
func open(t *testing.T, precision cuda.Precision) *cuda.Device {
	t.Helper()
	d, err := cuda.Open(cuda.Options{GPU: gpu.Options{Library: emulator.Library(t, ""), Check: true}, Precision: precision})
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestConformance(t *testing.T) {
	d := open(t, cuda.FP32)
	devicetest.Run(t, func(*testing.T) device.Device { return d }, devicetest.Options{Small: true})
}
