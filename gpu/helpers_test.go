package gpu_test

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// testPTX has the kernels of these tests: scale, x[i] *= factor for i < n, and add,
// out[i] = a[i] + b[i] for i < n; one thread per element.
const testPTX = `
.version 7.8
.target sm_80
.address_size 64

.visible .entry scale(.param .u64 x, .param .f32 factor, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .f32 %f<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [x];
	ld.param.f32 %f1, [factor];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p1, %r5, %r1;
	@%p1 bra DONE;
	mul.wide.u32 %rd2, %r5, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.f32 %f2, [%rd3];
	mul.rn.f32 %f3, %f2, %f1;
	st.global.f32 [%rd3], %f3;
DONE:
	ret;
}

.visible .entry add(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .f32 %f<4>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [a];
	ld.param.u64 %rd3, [b];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p1, %r5, %r1;
	@%p1 bra DONE;
	mul.wide.u32 %rd4, %r5, 4;
	add.s64 %rd5, %rd1, %rd4;
	add.s64 %rd6, %rd2, %rd4;
	add.s64 %rd7, %rd3, %rd4;
	ld.global.f32 %f1, [%rd6];
	ld.global.f32 %f2, [%rd7];
	add.rn.f32 %f3, %f1, %f2;
	st.global.f32 [%rd5], %f3;
DONE:
	ret;
}
`

// bench is a device with the kernels of testPTX.
type bench struct {
	*testing.T
	emulator   *emulator.Emulator // nil where the device may be a real one
	device     *gpu.Device
	scale, add *gpu.Kernel
}

// setUp opens an emulated device.
func setUp(t *testing.T, configuration string, options gpu.Options) *bench {
	t.Helper()
	e := emulator.Open(t, configuration)
	options.Library = e.Library
	b := setUpWith(t, options)
	b.emulator = e
	return b
}

// setUpAnywhere opens a device that may be a real one, which has no configuration.
func setUpAnywhere(t *testing.T, configuration string, options gpu.Options) *bench {
	t.Helper()
	options.Library = emulator.Library(t, configuration)
	return setUpWith(t, options)
}

func setUpWith(t *testing.T, options gpu.Options) *bench {
	t.Helper()
	options.Binding = emulator.Binding
	device, err := gpu.Open(options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = device.Close() })
	m, err := device.Load(testPTX)
	require.NoError(t, err)
	b := &bench{T: t, device: device}
	b.scale, err = m.Kernel("scale")
	require.NoError(t, err)
	b.add, err = m.Kernel("add")
	require.NoError(t, err)
	return b
}

func (b *bench) stream() *gpu.Stream {
	b.Helper()
	s, err := b.device.NewStream()
	require.NoError(b, err)
	return s
}

func (b *bench) alloc(s *gpu.Stream, size int64) gpu.Buffer {
	b.Helper()
	buffer, err := s.Alloc(size)
	require.NoError(b, err)
	return buffer
}

func (b *bench) download(s *gpu.Stream, buffer gpu.Buffer) []float32 {
	b.Helper()
	data := make([]byte, buffer.Size())
	require.NoError(b, s.Download(context.Background(), data, buffer))
	return floats(data)
}

// multiply launches scale on a buffer of numbers.
func (b *bench) multiply(s *gpu.Stream, x gpu.Buffer, factor float32) error {
	n := int(x.Size() / 4)
	return s.Launch(b.scale, gpu.Cover(n, 64), gpu.InOut(x), gpu.F32(factor), gpu.U32(uint32(n)))
}

// sum launches add.
func (b *bench) sum(s *gpu.Stream, out, x, y gpu.Buffer) error {
	n := int(out.Size() / 4)
	return s.Launch(b.add, gpu.Cover(n, 64), gpu.Out(out), gpu.In(x), gpu.In(y), gpu.U32(uint32(n)))
}

func encode(values ...float32) []byte {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

func floats(data []byte) []float32 {
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return values
}
