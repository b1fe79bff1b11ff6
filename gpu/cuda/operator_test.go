package cuda_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/devicetest"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/gpu/internal/emulator"
	"github.com/frondml/frond/graph"
)

// emulated opens the emulated device, or the machine's own, with a check of all accesses.
func emulated(t *testing.T) *cuda.Device {
	t.Helper()
	d, err := cuda.Open(cuda.Options{GPU: gpu.Options{Library: emulator.Library(t, ""), Check: true}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// usesFloats reports whether an operator is for the device: integers stay on the host.
func usesFloats(o device.Operator) bool {
	return slices.ContainsFunc(append(slices.Clone(o.In), o.Out), func(t graph.Type) bool { return t.DType == graph.Float32 })
}

// Operands lie in all ways, and every operator on floats has a kernel.
func TestOperators(t *testing.T) {
	devicetest.Operators(t, emulated(t), devicetest.Options{Requires: usesFloats})
}
