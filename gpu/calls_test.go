package gpu_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/driver"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// callsOfThePackage are the driver's functions that the package calls, and what is
// left where one that gives something back fails in Close.
var callsOfThePackage = map[string]string{
	"cuInit":                        "",
	"cuDriverGetVersion":            "",
	"cuDeviceGetCount":              "",
	"cuDeviceGet":                   "",
	"cuDeviceGetName":               "",
	"cuDeviceGetAttribute":          "",
	"cuDeviceTotalMem_v2":           "",
	"cuDevicePrimaryCtxSetFlags_v2": "",
	"cuDevicePrimaryCtxRetain":      "",
	"cuDevicePrimaryCtxRelease_v2":  "contexts",
	"cuCtxSetCurrent":               "",
	"cuCtxSynchronize":              "",
	"cuMemAlloc_v2":                 "",
	"cuMemFree_v2":                  "device bytes",
	"cuMemHostAlloc":                "",
	"cuMemFreeHost":                 "pinned bytes",
	"cuMemcpyHtoDAsync_v2":          "",
	"cuMemcpyDtoHAsync_v2":          "",
	"cuMemcpyDtoDAsync_v2":          "",
	"cuMemsetD32Async":              "",
	"cuStreamCreateWithPriority":    "",
	"cuStreamDestroy_v2":            "streams",
	"cuStreamSynchronize":           "",
	"cuStreamWaitEvent":             "",
	"cuEventCreate":                 "",
	"cuEventDestroy_v2":             "events",
	"cuEventRecord":                 "",
	"cuEventQuery":                  "",
	"cuModuleLoadDataEx":            "",
	"cuModuleUnload":                "modules",
	"cuModuleGetFunction":           "",
	"cuFuncGetAttribute":            "",
	"cuFuncSetAttribute":            "",
	"cuLaunchKernel":                "",

	"cuOccupancyMaxActiveBlocksPerMultiprocessor": "",
}

// openAndClose opens a device, uses all there is of it, and closes it.
func openAndClose(t *testing.T, e *emulator.Emulator) (err, closed error) {
	device, err := gpu.Open(gpu.Options{Library: e.Library, Memory: 16 << 10})
	if err != nil {
		return err, nil
	}
	err = useAll(&bench{T: t, emulator: e, device: device})
	return err, device.Close()
}

// useAll makes every call of the package.
func useAll(b *bench) error {
	m, err := b.device.Load(testPTX)
	if err != nil {
		return err
	}
	b.scale, _ = m.Kernel("scale")
	p, err := b.device.AllocPinned(8)
	if err != nil {
		return err
	}
	_, err = b.scale.Occupancy(64, 0)
	if err := errors.Join(err, b.scale.AllowShared(64<<10), b.program(), b.device.Synchronize()); err != nil {
		return err
	}
	return errors.Join(b.device.FreePinned(p), m.Close())
}

// Whichever call of the driver fails, and however, it is reported, nothing hangs, and
// everything is given back that the driver takes.
func TestEveryCallFails(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, rest := range callsOfThePackage {
		for _, status := range []driver.Status{1, 719} {
			t.Run(fmt.Sprint(name, "=", uint32(status)), func(t *testing.T) { failEveryCall(t, name, rest, status) })
		}
	}
	requireGoroutines(t, before)
}

func failEveryCall(t *testing.T, name, rest string, status driver.Status) {
	for n := 1; ; n++ {
		message := fmt.Sprintf("%s=%d:%d", name, n, status)
		e := emulator.Open(t, "scheduler=threads "+message)
		var err, closed error
		within(t, func() { err, closed = openAndClose(t, e) })
		if err = errors.Join(err, closed); err == nil {
			require.Greater(t, n, 1, "the call is never made")
			requireNothingHeld(t, e, message)
			return
		}
		var call *driver.Error
		require.ErrorAs(t, err, &call, message)
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, err, status.String())
		if status.Sticky() {
			continue
		}
		require.NotErrorIs(t, err, gpu.ErrDeviceLost, message)
		if name == "cuCtxSetCurrent" && closed != nil {
			continue // outside of the context nothing can be given back
		}
		for _, what := range kindsHeld {
			if closed == nil || what != rest {
				require.Zero(t, e.Count(what), "%s of %s", what, message)
			}
		}
	}
}
