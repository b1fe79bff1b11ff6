package gpu_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/driver"
	"github.com/frondml/frond/gpu/internal/emulator"
)

func TestOpenFaults(t *testing.T) {
	for configuration, want := range map[string]error{
		"version=11040":                 gpu.ErrDriverTooOld,
		"cuInit=1:804":                  gpu.ErrDriverTooOld,
		"devices=0":                     gpu.ErrNoDevice,
		"cuDriverGetVersion=1:34":       gpu.ErrNoDriver,
		"cuInit=1:803":                  gpu.ErrNoDriver,
		"cuInit=1:802":                  gpu.ErrNoDevice,
		"cuDevicePrimaryCtxRetain=1:46": gpu.ErrNoDevice,
		"cuDevicePrimaryCtxRetain=1:2":  gpu.ErrMemory,
	} {
		e := emulator.Open(t, configuration)
		_, err := gpu.Open(gpu.Options{Library: e.Library})
		require.ErrorIs(t, err, want, configuration)
		require.ErrorContains(t, err, "gpu: ")
		requireNothingHeld(t, e, configuration)
	}
}

// faultyPTX has kernels that fail. Each is given a buffer of 512 bytes, the size of a
// whole block.
const faultyPTX = `
.version 7.8
.target sm_80
.address_size 64

.visible .entry outside(.param .u64 x)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<2>;
	ld.param.u64 %rd1, [x];
	ld.global.u32 %r1, [%rd1+512];
	ret;
}

.visible .entry misaligned(.param .u64 x)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<2>;
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, 0;
	st.global.u32 [%rd1+2], %r1;
	ret;
}

.visible .entry traps(.param .u64 x)
{
	trap;
}

.visible .entry hangs(.param .u64 x)
{
AGAIN:
	bra.uni AGAIN;
}
`

// However a kernel fails, the error says how, and names the stream, the call that met
// it and the launch.
func TestKernelFaults(t *testing.T) {
	for kernel, status := range map[string]string{
		"outside":    "CUDA_ERROR_ILLEGAL_ADDRESS",
		"misaligned": "CUDA_ERROR_MISALIGNED_ADDRESS",
		"traps":      "CUDA_ERROR_LAUNCH_FAILED",
		"hangs":      "CUDA_ERROR_LAUNCH_TIMEOUT",
	} {
		for _, scheduler := range []string{"threads", "adversarial"} {
			b := setUp(t, "steps=10000 scheduler="+scheduler, gpu.Options{})
			m, err := b.device.Load(faultyPTX)
			require.NoError(t, err)
			k, err := m.Kernel(kernel)
			require.NoError(t, err)
			s := b.stream()
			x := b.alloc(s, 512)
			require.NoError(t, s.Fill(x, 0))
			require.NoError(t, wait(s))
			require.NoError(t, s.Launch(k, gpu.Cover(1, 1), gpu.InOut(x)))
			within(t, func() { err = wait(s) })
			requireLost(t, err, kernel)
			require.ErrorIs(t, err, gpu.ErrKernel)
			require.ErrorContains(t, err, status)
			require.ErrorContains(t, err, "launch of "+kernel)
			within(t, func() { require.ErrorIs(t, b.device.Close(), gpu.ErrDeviceLost) })
			require.Zero(t, b.emulator.Count("contexts"))
		}
	}
}

// requireLost checks what an error of a stream on a lost device says.
func requireLost(t *testing.T, err error, message ...any) {
	t.Helper()
	require.ErrorIs(t, err, gpu.ErrDeviceLost, message...)
	var failed *gpu.StreamError
	require.ErrorAs(t, err, &failed, message...)
	require.NotEmpty(t, failed.Op, message...)
	var lost *gpu.LostError
	require.ErrorAs(t, err, &lost, message...)
	require.NotEmpty(t, lost.Recent, message...)
	var call *driver.Error
	require.ErrorAs(t, err, &call, message...)
}

// program does a little of everything on an open device.
func (b *bench) program() error {
	s, err := b.device.NewStream()
	if err != nil {
		return err
	}
	other, err := b.device.NewStream()
	if err != nil {
		return err
	}
	x, err := b.produce(s)
	if err != nil {
		return err
	}
	if err := b.consume(other, s, x); err != nil {
		return err
	}
	// There is no room for this unless what was freed goes back to the driver.
	y, err := s.Alloc(14 << 10)
	if err != nil {
		return err
	}
	return errors.Join(s.Fill(y, 0), s.Close(), other.Close())
}

// produce computes 4, 8 on a stream, whose next work may use it.
func (b *bench) produce(s *gpu.Stream) (x gpu.Buffer, err error) {
	if x, err = s.Alloc(8); err != nil {
		return x, err
	}
	if err := s.Upload(ctx, x, encode(2, 4)); err != nil {
		return x, err
	}
	if err := b.multiply(s, x, 2); err != nil {
		return x, err
	}
	return x, wait(s)
}

// consume doubles on one stream what another has made, compares and frees it.
func (b *bench) consume(s, producer *gpu.Stream, x gpu.Buffer) error {
	y, err := s.Alloc(8)
	if err != nil {
		return err
	}
	if err := b.multiply(producer, x, 2); err != nil {
		return err
	}
	if err := order(producer, s); err != nil {
		return err
	}
	if err := s.Copy(y, x); err != nil {
		return err
	}
	data := make([]byte, 8)
	if err := s.Download(ctx, data, y); err != nil {
		return err
	}
	if got := fmt.Sprint(floats(data)); got != "[8 16]" {
		return errors.New("wrong result: " + got)
	}
	return errors.Join(s.Free(y), s.Free(x))
}

// order lets a stream wait for another.
func order(first, then *gpu.Stream) error {
	e, err := first.Record()
	if err != nil {
		return err
	}
	defer e.Release()
	return then.Wait(e)
}

// Whatever operation the device is lost in, the program ends with an error that says
// where, and the device can be closed.
func TestDeviceLostInEveryOperation(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, configuration := range []string{"scheduler=threads", "seed=1", "seed=2"} {
		for _, status := range []driver.Status{214, 719, 999} {
			lostIn := 0
			for n := 1; ; n++ {
				message := fmt.Sprintf("%s fault=%d:%d", configuration, n, status)
				b := setUp(t, message, gpu.Options{Memory: 16 << 10, Check: configuration == "seed=2"})
				var err, closed error
				within(t, func() { err = b.program() })
				within(t, func() { closed = b.device.Close() })
				require.Zero(t, b.emulator.Count("contexts"), message)
				if err == nil && closed == nil {
					requireNothingHeld(t, b.emulator)
					break
				}
				lostIn++
				requireLost(t, err, message)
				require.ErrorContains(t, err, status.String())
				if strings.Contains(b.emulator.Log(), "scale: injected") {
					require.ErrorContains(t, err, "launch of scale")
				}
				require.ErrorIs(t, closed, gpu.ErrDeviceLost, message)
			}
			require.Greater(t, lostIn, 8)
		}
	}
	requireGoroutines(t, before)
}

// requireGoroutines waits until there are no more goroutines than before.
func requireGoroutines(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(deadline); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "goroutines are left")
	}
}

// Pinned memory may run out in an upload; the device goes on.
func TestOutOfPinnedMemory(t *testing.T) {
	b := setUp(t, "pinned=10000", gpu.Options{Staging: 8 << 10})
	p, err := b.device.AllocPinned(9000)
	require.NoError(t, err)
	s := b.stream()
	x := b.alloc(s, 4)
	err = s.Upload(ctx, x, encode(1))
	require.ErrorIs(t, err, gpu.ErrMemory)
	require.ErrorContains(t, err, "stream 0: upload: cuMemHostAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2): 8192 bytes")
	_, err = b.device.AllocPinned(9000)
	require.ErrorIs(t, err, gpu.ErrMemory)
	require.NoError(t, b.device.FreePinned(p))
	require.NoError(t, s.Upload(ctx, x, encode(1)))
	require.Equal(t, []float32{1}, b.download(s, x))
	require.NoError(t, b.device.Close())
	requireNothingHeld(t, b.emulator)
}
