package kernels_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// Without any one of its barriers a kernel is a race, and the emulated device says so.
// The compiler makes code of its own for products that are written into parts.
func TestEveryBarrierOfSumsIsNeeded(t *testing.T) {
	const m, n, k = 64, 64, 128
	product := func(r *rig, inParts bool, more ...gpu.Arg) []gpu.Arg {
		parts := gpu.Null()
		if inParts {
			parts = gpu.Out(put(r, make([]float32, m*n)))
		}
		c, a, b := put(r, make([]float32, m*n)), put(r, random(1, m*k)), put(r, random(2, k*n))
		args := []gpu.Arg{gpu.InOut(c), gpu.I32(n), parts, gpu.In(a), gpu.I32(k), gpu.Null(), gpu.I32(m), gpu.In(b), gpu.I32(n)}
		return append(args, more...)
	}
	for kernel, test := range map[string]struct {
		file    string
		threads gpu.Dim3
		args    func(r *rig, inParts bool) []gpu.Arg
	}{
		"sum_columns": {"columns", gpu.Plane(32, 8), func(r *rig, _ bool) []gpu.Arg {
			return []gpu.Arg{gpu.Out(put(r, make([]float32, n))), gpu.In(put(r, random(1, m*n))), gpu.I32(n), gpu.Null(), gpu.I32(0), gpu.I32(m), gpu.I32(n)}
		}},
		"gemm_split_nn": {"gemm_split", gpu.Line(256), func(r *rig, inParts bool) []gpu.Arg {
			return product(r, inParts, gpu.I32(m), gpu.I32(n), gpu.I32(k), gpu.I32(k))
		}},
		"gemm_tf32_nn": {"gemm_tensor", gpu.Line(256), func(r *rig, inParts bool) []gpu.Arg {
			return product(r, inParts, gpu.Null(), gpu.I32(m), gpu.I32(n), gpu.I32(k), gpu.I32(k), gpu.I32(0))
		}},
	} {
		ptx := onlyKernel(t, test.file, kernel)
		for _, without := range withoutBarriers(t, ptx) {
			_, whole := launch(t, without, kernel, test.threads, test.args, false)
			_, inParts := launch(t, without, kernel, test.threads, test.args, true)
			require.ErrorIs(t, errors.Join(whole, inParts), gpu.ErrKernel, kernel)
		}
		for _, inParts := range []bool{false, true} {
			log, err := launch(t, ptx, kernel, test.threads, test.args, inParts)
			require.NoError(t, err, log)
		}
	}
}

// withoutBarriers returns a PTX text as often as it has barriers, without one of them.
func withoutBarriers(t *testing.T, ptx string) (texts []string) {
	t.Helper()
	const barrier = "bar.sync \t0;"
	for n := range strings.Count(ptx, barrier) {
		parts := strings.SplitN(ptx, barrier, n+2)
		texts = append(texts, strings.Join(parts[:n+1], barrier)+parts[n+1])
	}
	require.NotEmpty(t, texts)
	return texts
}

// onlyKernel returns the head of a PTX file and one of its kernels.
func onlyKernel(t *testing.T, file, kernel string) string {
	t.Helper()
	text, err := os.ReadFile("cuda/" + file + ".ptx")
	require.NoError(t, err)
	parts := strings.Split(string(text), "\t// .globl")
	for _, part := range parts[1:] {
		if strings.Contains(part, ".entry "+kernel+"(") {
			return parts[0] + "\t// .globl" + part
		}
	}
	require.Fail(t, "no kernel "+kernel)
	return ""
}

// launch runs one block of a kernel of a PTX text, on a device of its own.
func launch(t *testing.T, ptx, kernel string, threads gpu.Dim3, args func(r *rig, inParts bool) []gpu.Arg, inParts bool) (log string, err error) {
	t.Helper()
	e := emulator.Open(t, "")
	device, err := gpu.Open(gpu.Options{Binding: emulator.Binding, Library: e.Library})
	require.NoError(t, err)
	t.Cleanup(func() { _ = device.Close() })
	module, err := device.Load(ptx)
	require.NoError(t, err)
	k, err := module.Kernel(kernel)
	require.NoError(t, err)
	stream, err := device.NewStream()
	require.NoError(t, err)
	r := &rig{T: t, device: device, stream: stream}
	require.NoError(t, stream.Launch(k, gpu.Grid{Blocks: gpu.Line(1), Threads: threads}, args(r, inParts)...))
	err = device.Synchronize()
	return e.Log(), err
}
