package mumax_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// wrapped finds the PTX that mumax's Go files have, made by NVIDIA's compiler: the name
// of a kernel, a compute capability, and the text.
var wrapped = regexp.MustCompile("(\\w+)_ptx_(\\d+) = `([^`]*)`")

// foreignPTX returns the modules of mumax's kernels for a compute capability, by name.
// They are read from mumax's source and not part of Frond.
func foreignPTX(t *testing.T, capability string) map[string]string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/mumax/3")
	text, err := command.Output()
	if err != nil {
		t.Skipf("the source of mumax cannot be had: go mod download: %v\n%s", err, text)
	}
	var source struct{ Dir string }
	require.NoError(t, json.Unmarshal(text, &source))
	files, err := filepath.Glob(filepath.Join(source.Dir, "cuda", "*_wrapper.go"))
	require.NoError(t, err)
	modules := map[string]string{}
	for _, file := range files {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range wrapped.FindAllSubmatch(code, -1) {
			if string(found[2]) == capability {
				modules[string(found[1])] = string(found[3])
			}
		}
	}
	return modules
}

// The emulated device takes what another compiler has made of another's kernels.
func TestForeignModulesLoad(t *testing.T) {
	for _, capability := range []string{"60", "90"} {
		f := openForeign(t, capability)
		require.Len(t, f.modules, 65)
		for name := range f.modules {
			f.kernel(name)
		}
	}
}

// foreign is an emulated device with kernels of mumax and one stream.
type foreign struct {
	*testing.T
	emulator *emulator.Emulator
	device   *gpu.Device
	stream   *gpu.Stream
	modules  map[string]string
}

func openForeign(t *testing.T, capability string) *foreign {
	t.Helper()
	f := &foreign{T: t, modules: foreignPTX(t, capability), emulator: emulator.Open(t, "")}
	var err error
	f.device, err = gpu.Open(gpu.Options{Binding: emulator.Binding, Library: f.emulator.Library, Check: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.device.Close() })
	f.stream, err = f.device.NewStream()
	require.NoError(t, err)
	return f
}

func (f *foreign) kernel(name string) *gpu.Kernel {
	f.Helper()
	m, err := f.device.Load(f.modules[name])
	require.NoError(f, err, name)
	k, err := m.Kernel(name)
	require.NoError(f, err)
	return k
}

func (f *foreign) put(values []float32) gpu.Buffer {
	f.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, values)
	require.NoError(f, err)
	b, err := f.stream.Alloc(int64(len(data)))
	require.NoError(f, err)
	require.NoError(f, f.stream.Upload(context.Background(), b, data))
	return b
}

func (f *foreign) get(b gpu.Buffer) ([]float32, error) {
	data := make([]byte, b.Size())
	if err := f.stream.Download(context.Background(), data, b); err != nil {
		return nil, err
	}
	values := make([]float32, len(data)/4)
	_, err := binary.Decode(data, binary.LittleEndian, values)
	return values, err
}

// Its products and sums: dst = fac1 src1 + fac2 src2.
func TestForeignSums(t *testing.T) {
	f := openForeign(t, "90")
	const n = 1000
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i)*0.37-100, float32(n-i)*0.11
	}
	out := f.put(make([]float32, n))
	require.NoError(t, f.stream.Launch(f.kernel("madd2"), gpu.Cover(n, 512), gpu.Out(out),
		gpu.In(f.put(x)), gpu.F32(2), gpu.In(f.put(y)), gpu.F32(-3), gpu.U32(n)))
	got, err := f.get(out)
	require.NoError(t, err)
	for i := range got {
		// The compiler has fused the first product with the sum.
		want := float32(float64(x[i])*2 + float64(y[i]*-3))
		require.Equal(t, want, got[i], i)
	}
}

// The last steps of its reduction rely on the threads of a warp doing each instruction
// together. Code for Pascal may; in code for later devices this is a race.
func TestForeignReduction(t *testing.T) {
	f := openForeign(t, "60")
	got, err := f.reduce()
	require.NoError(t, err)
	require.Equal(t, []float32{reductionOf(numbers())}, got)

	f = openForeign(t, "90")
	_, err = f.reduce()
	require.ErrorIs(t, err, gpu.ErrKernel)
	require.Regexp(t, `reducesum: line \d+: race on shared word`, f.emulator.Log())
}

// numbers returns small integers, whose sums are exact in any order.
func numbers() []float32 {
	x := make([]float32, 10000)
	for i := range x {
		x[i] = float32(i%13 - 5)
	}
	return x
}

func reductionOf(x []float32) (sum float32) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// reduce adds numbers with mumax's kernel.
func (f *foreign) reduce() ([]float32, error) {
	f.Helper()
	x, sum := numbers(), f.put([]float32{0})
	require.NoError(f, f.stream.Launch(f.kernel("reducesum"), gpu.Grid{Blocks: gpu.Line(8), Threads: gpu.Line(512)},
		gpu.In(f.put(x)), gpu.InOut(sum), gpu.F32(0), gpu.U32(uint32(len(x)))))
	return f.get(sum)
}
