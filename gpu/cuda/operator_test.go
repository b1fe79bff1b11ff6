package cuda_test

import (
	"slices"
	"testing"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/devicetest"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/graph"
)

// usesFloats reports whether an operator is for the device: integers stay on the host.
func usesFloats(o device.Operator) bool {
	return slices.ContainsFunc(append(slices.Clone(o.In), o.Out), func(t graph.Type) bool { return t.DType == graph.Float32 })
}

// Operands lie in all ways, and every operator on floats has a kernel.
func TestOperators(t *testing.T) {
	devicetest.Operators(t, open(t, cuda.FP32), devicetest.Options{Requires: usesFloats})
}
