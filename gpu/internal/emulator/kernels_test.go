package emulator_test

//go:generate go run ../cudac/generate testdata/features.cu testdata/mistakes.cu testdata/tensor.cu

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/internal/cudac"
	"github.com/frondml/frond/gpu/internal/emulator"
)

func TestCompiledKernelsAreCurrent(t *testing.T) {
	for _, name := range []string{"features", "mistakes", "tensor"} {
		require.NoError(t, cudac.Check("testdata/"+name+".cu"))
	}
}

// rig is an emulated device with the kernels of a file and one stream.
type rig struct {
	*testing.T
	emulator *emulator.Emulator
	stream   *gpu.Stream
	module   *gpu.Module
}

func load(t *testing.T, file, configuration string) *rig {
	t.Helper()
	e := emulator.Open(t, configuration)
	device, err := gpu.Open(gpu.Options{Binding: emulator.Binding, Library: e.Library, Check: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = device.Close() })
	ptx, err := os.ReadFile(file)
	require.NoError(t, err)
	module, err := device.Load(string(ptx))
	require.NoError(t, err)
	stream, err := device.NewStream()
	require.NoError(t, err)
	return &rig{t, e, stream, module}
}

// put uploads numbers into a new buffer.
func put[T any](r *rig, values []T) gpu.Buffer {
	r.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, values)
	require.NoError(r, err)
	b, err := r.stream.Alloc(int64(len(data)))
	require.NoError(r, err)
	require.NoError(r, r.stream.Upload(context.Background(), b, data))
	return b
}

// get downloads numbers.
func get[T any](r *rig, b gpu.Buffer, values []T) []T {
	r.Helper()
	data := make([]byte, b.Size())
	require.NoError(r, r.stream.Download(context.Background(), data, b))
	_, err := binary.Decode(data, binary.LittleEndian, values)
	require.NoError(r, err)
	return values
}

func (r *rig) launch(kernel string, g gpu.Grid, args ...gpu.Arg) {
	r.Helper()
	k, err := r.module.Kernel(kernel)
	require.NoError(r, err)
	require.NoError(r, r.stream.Launch(k, g, args...))
}

const features = "testdata/features.ptx"

func TestSharedMemoryAndShuffles(t *testing.T) {
	for _, configuration := range []string{"seed=1", "seed=2", "seed=3", "scheduler=threads"} {
		r := load(t, features, configuration)
		const n = 1000
		x := make([]float32, n)
		want := make([]float32, 4)
		for i := range x {
			x[i] = float32(i % 17) // sums of small integers are exact in any order
			want[i/256] += x[i]
		}
		sums := put(r, make([]float32, 4))
		r.launch("block_sums", gpu.Cover(n, 256), gpu.Out(sums), gpu.In(put(r, x)), gpu.U32(n))
		require.Equal(t, want, get(r, sums, make([]float32, 4)))
	}
}

func TestDivergentLoops(t *testing.T) {
	r := load(t, features, "")
	const n = 100
	steps := put(r, make([]int32, n))
	r.launch("collatz", gpu.Cover(n, 32), gpu.Out(steps), gpu.U32(n))
	got := get(r, steps, make([]int32, n))
	for i, count := range got {
		var want int32
		for x := i + 1; x != 1; want++ {
			if x%2 == 1 {
				x = 3*x + 1
			} else {
				x /= 2
			}
		}
		require.Equal(t, want, count, i)
	}
	require.EqualValues(t, 111, got[26], "the best-known one: 27 takes 111 steps")
}

func TestAtomics(t *testing.T) {
	r := load(t, features, "seed=5")
	const n = 1000
	x := make([]int32, n)
	want := make([]int32, 8)
	for i := range x {
		x[i] = int32(i * i)
		want[x[i]&7]++
	}
	bins := put(r, make([]int32, 8))
	r.launch("histogram", gpu.Grid{Blocks: gpu.Line(4), Threads: gpu.Line(128)}, gpu.InOut(bins), gpu.In(put(r, x)), gpu.U32(n))
	require.Equal(t, want, get(r, bins, make([]int32, 8)))
}

func TestLocalMemory(t *testing.T) {
	r := load(t, features, "")
	const n = 40
	order := make([]int32, 16)
	for j := range order {
		order[j] = int32(15 - j)
	}
	out := put(r, make([]int32, 16*n))
	r.launch("reverse", gpu.Cover(n, 32), gpu.Out(out), gpu.In(put(r, order)), gpu.U32(n))
	for i, v := range get(r, out, make([]int32, 16*n)) {
		require.EqualValues(t, 16*(i/16)+15-i%16, v)
	}
}

func TestStructsAndConversions(t *testing.T) {
	r := load(t, features, "")
	const n = 100
	line := struct {
		Slope, Offset float32
		Scale         float64
		Shift         int16
		_             [6]byte // C's padding
	}{1.5, -20, 3.25, -5, [6]byte{}}
	parameter, err := binary.Append(nil, binary.LittleEndian, line)
	require.NoError(t, err)
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i) * 0.7
	}
	out := put(r, make([]int64, n))
	r.launch("convert", gpu.Cover(n, 64), gpu.Out(out), gpu.In(put(r, x)), gpu.Bytes(parameter), gpu.U32(n))
	for i, v := range get(r, out, make([]int64, n)) {
		y := float64(line.Slope)*float64(x[i]) + float64(line.Offset)
		require.Equal(t, int64(y*line.Scale)+int64(uint8(i*7)>>3)+int64(line.Shift), v, i)
	}
}

func TestApproximateFunctions(t *testing.T) {
	r := load(t, features, "")
	x := []float32{0.001, 0.5, 1, 2, 3, 10, 64}
	out := put(r, make([]float32, 4*len(x)))
	r.launch("approximate", gpu.Cover(len(x), 32), gpu.Out(out), gpu.In(put(r, x)), gpu.U32(uint32(len(x))))
	for i, v := range get(r, out, make([]float32, 4*len(x))) {
		a := float64(x[i/4])
		want := []float64{math.Exp2(a), math.Log2(a), 1 / math.Sqrt(a), math.Sqrt(a)}[i%4]
		require.InEpsilon(t, 1+math.Abs(want), 1+math.Abs(float64(v)), 1e-6)
		require.Equal(t, math.Signbit(want), math.Signbit(float64(v)))
	}
}

func TestIntegerInstructions(t *testing.T) {
	r := load(t, features, "")
	x := []uint32{0, 1, 2, 0x80000000, 0xffffffff, 0x12345678, 0xdeadbeef}
	out := put(r, make([]uint32, len(x)))
	r.launch("mix", gpu.Cover(len(x), 32), gpu.Out(out), gpu.In(put(r, x)), gpu.U32(uint32(len(x))))
	for i, v := range get(r, out, make([]uint32, len(x))) {
		high, _ := bits.Mul32(x[i], 0x9e3779b9)
		want := high ^ bits.RotateLeft32(x[i], 13)
		want += uint32(bits.OnesCount32(x[i])) + uint32(bits.LeadingZeros32(x[i]|1)) + uint32(int32(x[i])>>5)
		require.Equal(t, want, v, i)
	}
}

// Every kind of mistake is reported with the kernel and the line of its PTX.
func TestMistakesAreReported(t *testing.T) {
	block := func(threads int) gpu.Grid { return gpu.Grid{Blocks: gpu.Line(1), Threads: gpu.Line(threads)} }
	for _, test := range []struct {
		kernel string
		grid   gpu.Grid
		args   []gpu.Arg
		log    string
	}{
		{"read_past_end", block(65), nil, "access of 4 bytes 0 bytes past the end of 256 by thread 64"},
		{"misaligned", block(2), nil, "misaligned access of 4 bytes"},
		{"race", block(64), nil, "race on shared word"},
		{"warp_race", block(32), nil, "race on shared word"},
		{"warp_only", block(64), nil, "race on shared word"},
		{"divergent_barrier", block(64), nil, "divergent barrier at line"},
		{"shared_out_of_bounds", block(64), []gpu.Arg{gpu.U32(1)}, "shared access at 256 of 256 bytes by thread 63"},
		{"hang", block(1), nil, "the launch takes too many instructions"},
		{"partial_shuffle", block(32), nil, "not all lanes that the mask names take part"},
		{"trap", block(1), nil, "trap"},
	} {
		r := load(t, "testdata/mistakes.ptx", "steps=10000")
		x := put(r, make([]float32, 64))
		args := append([]gpu.Arg{gpu.InOut(x)}, test.args...)
		if test.kernel == "trap" {
			args = nil
		}
		r.launch(test.kernel, test.grid, args...)
		require.ErrorIs(t, r.stream.Download(context.Background(), make([]byte, 256), x), gpu.ErrKernel, test.kernel)
		require.Contains(t, r.emulator.Log(), test.kernel+": line ")
		require.Contains(t, r.emulator.Log(), test.log)
	}
}

// A barrier of the warp is enough within one warp.
func TestWarpBarrierOrdersWarp(t *testing.T) {
	for _, seed := range []string{"seed=1", "seed=2", "seed=3"} {
		r := load(t, "testdata/mistakes.ptx", seed)
		x := make([]float32, 32)
		want := make([]float32, 32)
		for i := range x {
			x[i] = float32(i)
			want[31-i] = x[i]
		}
		b := put(r, x)
		r.launch("warp_only", gpu.Grid{Blocks: gpu.Line(1), Threads: gpu.Line(32)}, gpu.InOut(b))
		require.Equal(t, want, get(r, b, make([]float32, 32)))
	}
}

// Code for devices before Volta may rely on the threads of a warp doing each
// instruction together, but not those of several warps.
func TestWarpsInStep(t *testing.T) {
	code, err := os.ReadFile("testdata/mistakes.ptx")
	require.NoError(t, err)
	early := strings.Replace(string(code), ".target sm_80", ".target sm_61", 1)
	r := load(t, "testdata/mistakes.ptx", "")
	r.module, err = r.stream.Device().Load(early)
	require.NoError(t, err)
	x, want := make([]float32, 32), make([]float32, 32)
	for i := range x {
		x[i], want[31-i] = float32(i), float32(i)
	}
	b := put(r, x)
	warp := gpu.Grid{Blocks: gpu.Line(1), Threads: gpu.Line(32)}
	r.launch("warp_race", warp, gpu.InOut(b))
	require.Equal(t, want, get(r, b, make([]float32, 32)))

	r.launch("race", gpu.Grid{Blocks: gpu.Line(1), Threads: gpu.Line(64)}, gpu.InOut(put(r, make([]float32, 64))))
	require.ErrorIs(t, r.stream.Download(context.Background(), make([]byte, 128), b), gpu.ErrKernel)
	require.Contains(t, r.emulator.Log(), "race on shared word")
}

// A library that no test has configured is configured by the environment.
func TestConfigurationByEnvironment(t *testing.T) {
	for configuration, want := range map[string]error{"version=11000": gpu.ErrDriverTooOld, "devices=0": gpu.ErrNoDevice, "unknown": gpu.ErrNoDevice, "": nil} {
		contents, err := os.ReadFile(emulator.Open(t, "").Library)
		require.NoError(t, err)
		library := filepath.Join(t.TempDir(), "libcuda.so.1")
		require.NoError(t, os.WriteFile(library, contents, 0o700))
		t.Setenv("FROND_EMULATOR", configuration)
		device, err := gpu.Open(gpu.Options{Binding: emulator.Binding, Library: library})
		require.ErrorIs(t, err, want, configuration)
		if want == nil {
			require.NoError(t, device.Close())
		}
	}
}

// A kernel may touch the buffers that its launch declares, and as it declares them.
func TestUndeclaredAccess(t *testing.T) {
	for _, test := range []struct {
		args func(x gpu.Buffer) []gpu.Arg
		log  string
	}{
		{func(x gpu.Buffer) []gpu.Arg { return []gpu.Arg{gpu.In(x)} }, "writes memory that the launch has declared to be read only, by thread"},
		{func(x gpu.Buffer) []gpu.Arg { return []gpu.Arg{gpu.InOut(x.Slice(0, 64))} }, "memory that the launch has declared not at all, by thread"},
	} {
		r := load(t, "testdata/mistakes.ptx", "")
		x := put(r, make([]float32, 32))
		r.launch("warp_only", gpu.Grid{Blocks: gpu.Line(1), Threads: gpu.Line(32)}, test.args(x)...)
		require.ErrorIs(t, r.stream.Download(context.Background(), make([]byte, 128), x), gpu.ErrKernel)
		require.Contains(t, r.emulator.Log(), test.log)
	}
}
