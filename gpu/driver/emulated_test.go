package driver_test

import (
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu/driver"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// scalePTX has one kernel: x[i] *= factor for i < n, one thread per element.
const scalePTX = `
.version 7.8
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x, .param .f32 factor, .param .u32 n)
.maxntid 256, 1, 1
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
`

// open returns a caller that has entered the context of an emulated device.
func open(t testing.TB, configuration string) (*driver.Caller, *emulator.Emulator) {
	t.Helper()
	e := emulator.Open(t, configuration)
	d, err := driver.OpenWith(emulator.Binding, e.Library)
	require.NoError(t, err)
	c := d.NewCaller()
	device, err := c.Device(0)
	require.NoError(t, err)
	ctx, err := c.RetainPrimaryContext(device)
	require.NoError(t, err)
	require.NoError(t, c.Enter(ctx))
	t.Cleanup(c.Leave)
	return c, e
}

func TestOpenFailures(t *testing.T) {
	for _, test := range []struct {
		configuration string
		kind          error
		message       string
	}{
		{"version=11040", driver.ErrDriverTooOld, "supports CUDA 11.4, want 11.8 or newer"},
		{"devices=0", driver.ErrNoDevice, "cuInit: there is no CUDA device (CUDA_ERROR_NO_DEVICE, 100)"},
		{"cuInit=1:803", driver.ErrNoDriver, "libcuda and the kernel's driver have different versions"},
		{"cuInit=1:304", driver.ErrNoDevice, "CUDA_ERROR_OPERATING_SYSTEM"},
		{"cuDriverGetVersion=1:34", driver.ErrNoDriver, "a stub for linking"},
	} {
		e := emulator.Open(t, test.configuration)
		_, err := driver.OpenWith(emulator.Binding, e.Library)
		require.ErrorIs(t, err, test.kind, test.configuration)
		require.ErrorContains(t, err, test.message)
		require.ErrorContains(t, err, e.Library)
	}
}

func TestOpenTwiceIsOneDriver(t *testing.T) {
	e := emulator.Open(t, "version=12040")
	first, err := driver.OpenWith(emulator.Binding, e.Library)
	require.NoError(t, err)
	second, err := driver.OpenWith(emulator.Binding, e.Library)
	require.NoError(t, err)
	require.Same(t, first, second)
	require.Equal(t, "12.4", first.Version().String())
}

func TestDevice(t *testing.T) {
	c, _ := open(t, "memory=1048576 capability=86 devices=2")
	count, err := c.DeviceCount()
	require.NoError(t, err)
	require.Equal(t, 2, count)
	_, err = c.Device(2)
	require.ErrorIs(t, err, driver.ErrNoDevice)
	require.ErrorContains(t, err, "number 2 of 2")
	name, err := c.DeviceName(0)
	require.NoError(t, err)
	require.Equal(t, "emulated device", name)
	memory, err := c.DeviceMemory(0)
	require.NoError(t, err)
	require.EqualValues(t, 1<<20, memory)
	for attribute, want := range map[driver.Attribute]int{
		driver.WarpSize: 32, driver.ComputeCapabilityMajor: 8, driver.ComputeCapabilityMinor: 6,
	} {
		value, err := c.DeviceAttribute(0, attribute)
		require.NoError(t, err)
		require.Equal(t, want, value)
	}
}

func TestLaunch(t *testing.T) {
	for _, scheduler := range []string{"threads", "adversarial"} {
		c, _ := open(t, "scheduler="+scheduler)
		s, err := c.NewStream()
		require.NoError(t, err)
		m, err := c.LoadModule(scalePTX)
		require.NoError(t, err)
		f, err := c.Function(m, "scale")
		require.NoError(t, err)

		const n = 1000
		host, err := c.AllocHost(4 * n)
		require.NoError(t, err)
		for i := range n {
			binary.LittleEndian.PutUint32(host[4*i:], math.Float32bits(float32(i)))
		}
		p, err := c.Alloc(4 * n)
		require.NoError(t, err)
		require.NoError(t, c.CopyToDevice(p, host, s))
		require.NoError(t, scale(c, f, s, p, 2.5, n))
		require.NoError(t, c.CopyToHost(host, p, s))
		require.NoError(t, c.SynchronizeStream(s))
		for i := range n {
			require.Equal(t, float32(i)*2.5, math.Float32frombits(binary.LittleEndian.Uint32(host[4*i:])))
		}
	}
}

// scale launches the kernel of scalePTX.
func scale(c *driver.Caller, f driver.Function, s driver.Stream, p driver.Pointer, factor float32, n int) error {
	parameters := driver.NewParameters()
	defer parameters.Close()
	err := errors.Join(parameters.Word(uint64(p)), parameters.Word(uint64(math.Float32bits(factor))), parameters.Word(uint64(n)))
	if err != nil {
		return err
	}
	return c.Launch(f, driver.Dim3{X: uint32(n+255) / 256, Y: 1, Z: 1}, driver.Dim3{X: 256, Y: 1, Z: 1}, 0, s, parameters)
}

func TestFunctionAttributes(t *testing.T) {
	c, _ := open(t, "")
	m, err := c.LoadModule(scalePTX)
	require.NoError(t, err)
	_, err = c.Function(m, "missing")
	require.ErrorContains(t, err, "missing")
	f, err := c.Function(m, "scale")
	require.NoError(t, err)
	threads, err := c.FunctionAttribute(f, driver.FunctionMaxThreads)
	require.NoError(t, err)
	require.Equal(t, 256, threads)
	require.NoError(t, c.SetFunctionAttribute(f, driver.FunctionMaxDynamicShared, 100<<10))
	blocks, err := c.Occupancy(f, 256, 100<<10)
	require.NoError(t, err)
	require.Equal(t, 2, blocks)
	require.NoError(t, c.UnloadModule(m))
}

func TestCompilerLog(t *testing.T) {
	c, _ := open(t, "")
	_, err := c.LoadModule(".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tfrobnicate.u32;\n}\n")
	require.ErrorContains(t, err, "CUDA_ERROR_INVALID_PTX")
	require.ErrorContains(t, err, "line 6: unknown instruction frobnicate.u32")

	_, err = c.LoadModule(".version 9.9\n.target sm_80\n.address_size 64\n")
	require.ErrorIs(t, err, driver.ErrDriverTooOld)
	_, err = c.LoadModule(".version 7.8\n.target sm_120\n.address_size 64\n")
	require.ErrorIs(t, err, driver.ErrNoDevice)
}

// A thread on which no context is current cannot do anything.
func TestContextIsPerThread(t *testing.T) {
	c, _ := open(t, "")
	errs := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its goroutine
		_, err := c.Driver().NewCaller().Alloc(4)
		errs <- err
	}()
	var failed *driver.Error
	require.ErrorAs(t, <-errs, &failed)
	require.Equal(t, "CUDA_ERROR_INVALID_CONTEXT", failed.Status.String())
}

func TestKernelFaultSticks(t *testing.T) {
	c, e := open(t, "")
	s, err := c.NewStream()
	require.NoError(t, err)
	m, err := c.LoadModule(scalePTX)
	require.NoError(t, err)
	f, err := c.Function(m, "scale")
	require.NoError(t, err)
	p, err := c.Alloc(4 * 10)
	require.NoError(t, err)

	require.NoError(t, scale(c, f, s, p, 2, 11), "a launch does not know what its kernel will do")
	require.ErrorIs(t, c.SynchronizeStream(s), driver.ErrKernel)
	require.ErrorIs(t, c.Fill(p, 0, 1, s), driver.ErrKernel)
	require.Contains(t, e.Log(), "scale: line 23: access of 4 bytes 0 bytes past the end of 40 by thread 10")
}

func TestInjectedFaults(t *testing.T) {
	c, _ := open(t, "fault=2:214 cuMemAlloc_v2=2:2")
	s, err := c.NewStream()
	require.NoError(t, err)
	p, err := c.Alloc(4)
	require.NoError(t, err)
	_, err = c.Alloc(4)
	require.ErrorIs(t, err, driver.ErrMemory)

	require.NoError(t, c.Fill(p, 0, 1, s))
	require.NoError(t, c.SynchronizeStream(s))
	require.NoError(t, c.Fill(p, 0, 1, s))
	require.ErrorIs(t, c.SynchronizeStream(s), driver.ErrDeviceLost)
}

func TestParametersAreBounded(t *testing.T) {
	p := driver.NewParameters()
	defer p.Close()
	for range driver.MaxParameters {
		require.NoError(t, p.Word(1))
	}
	require.ErrorIs(t, p.Word(1), driver.ErrParameters)
	p.Reset()
	require.ErrorIs(t, p.Bytes(make([]byte, 1<<20)), driver.ErrParameters)
	require.ErrorIs(t, p.Bytes(nil), driver.ErrParameters)
	require.NoError(t, p.Bytes(make([]byte, 100)))
}

func TestCallsDoNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes pools forget")
	}
	c, _ := open(t, "scheduler=threads")
	s, err := c.NewStream()
	require.NoError(t, err)
	e, err := c.NewEvent()
	require.NoError(t, err)
	m, err := c.LoadModule(scalePTX)
	require.NoError(t, err)
	f, err := c.Function(m, "scale")
	require.NoError(t, err)
	p, err := c.Alloc(8)
	require.NoError(t, err)
	host, err := c.AllocHost(4)
	require.NoError(t, err)
	parameters := driver.NewParameters()
	defer parameters.Close()
	average := testing.AllocsPerRun(100, func() {
		parameters.Reset()
		_, _, _ = parameters.Word(uint64(p)), parameters.Word(0), parameters.Word(1)
		_ = c.Launch(f, driver.Dim3{X: 1, Y: 1, Z: 1}, driver.Dim3{X: 32, Y: 1, Z: 1}, 0, s, parameters)
		_, _ = c.CopyToDevice(p, host, s), c.CopyToHost(host, p, s)
		_, _ = c.Copy(p+4, p, 4, s), c.Fill(p, 1, 2, s)
		_, _ = c.Record(e, s), c.Wait(s, e)
		_, _ = c.EventDone(e)
		_, _ = c.StreamDone(s)
	})
	require.NoError(t, c.SynchronizeStream(s))
	require.Less(t, average, 1.0)
}
