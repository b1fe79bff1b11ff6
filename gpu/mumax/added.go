//go:build mumax && linux

package mumax

// #include <stdlib.h>
// #include "library.h"
import "C"

import (
	"bytes"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/frondml/frond/gpu/driver"
)

// Calls that package cu lacks: primary contexts, portable pinned memory, streams apart
// from the default one, events, the compiler's log, attributes that are set, occupancy.
// Its DeviceName and ModuleGetFunction keep the C strings that they make, and its
// LaunchKernel allocates twice per launch, so these are here as well.

// failed returns the error of a call.
func failed(call string, s C.CUresult) error {
	if s != C.CUDA_SUCCESS {
		return &driver.Error{Call: call, Status: driver.Status(s)}
	}
	return nil
}

// about adds to an error of a call what the call was about.
func about(err error, detail string) error {
	if e, ok := err.(*driver.Error); ok {
		e.Detail = detail
	}
	return err
}

// finished tells what a query returned.
func finished(call string, s driver.Status) (bool, error) {
	switch s {
	case driver.StatusSuccess:
		return true, nil
	case driver.StatusNotReady:
		return false, nil
	default:
		return false, &driver.Error{Call: call, Status: s}
	}
}

func (c *calls) DeviceName(d driver.Device) (string, error) {
	buffer := make([]byte, 256)
	err := failed("cuDeviceGetName",
		C.frond_device_name(c.library, C.CUdevice(d), (*C.char)(unsafe.Pointer(&buffer[0])), C.int(len(buffer)-1)))
	name, _, _ := bytes.Cut(buffer, []byte{0})
	return string(name), err
}

func (c *calls) RetainPrimaryContext(d driver.Device) (driver.Context, error) {
	s := C.frond_primary_context_flags(c.library, C.CUdevice(d))
	if s != C.CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE {
		if err := failed("cuDevicePrimaryCtxSetFlags_v2", s); err != nil {
			return 0, err
		}
	}
	r := C.frond_retain_primary_context(c.library, C.CUdevice(d))
	return driver.Context(r.handle), failed("cuDevicePrimaryCtxRetain", r.status)
}

func (c *calls) ReleasePrimaryContext(d driver.Device) error {
	return failed("cuDevicePrimaryCtxRelease_v2", C.frond_release_primary_context(c.library, C.CUdevice(d)))
}

func (c *calls) AllocHost(n int) ([]byte, error) {
	r := C.frond_alloc_host(c.library, C.size_t(n))
	if err := failed("cuMemHostAlloc", r.status); err != nil {
		return nil, about(err, fmt.Sprintf("%d bytes", n))
	}
	return unsafe.Slice((*byte)(r.memory), n), nil
}

func (c *calls) NewStream() (driver.Stream, error) {
	r := C.frond_new_stream(c.library)
	return driver.Stream(r.handle), failed("cuStreamCreateWithPriority", r.status)
}

func (c *calls) Wait(s driver.Stream, e driver.Event) error {
	return failed("cuStreamWaitEvent", C.frond_wait(c.library, C.uintptr_t(s), C.uintptr_t(e)))
}

func (c *calls) NewEvent() (driver.Event, error) {
	r := C.frond_new_event(c.library)
	return driver.Event(r.handle), failed("cuEventCreate", r.status)
}

func (c *calls) DestroyEvent(e driver.Event) error {
	return failed("cuEventDestroy_v2", C.frond_destroy_event(c.library, C.uintptr_t(e)))
}

func (c *calls) Record(e driver.Event, s driver.Stream) error {
	return failed("cuEventRecord", C.frond_record(c.library, C.uintptr_t(e), C.uintptr_t(s)))
}

func (c *calls) EventDone(e driver.Event) (bool, error) {
	return finished("cuEventQuery", driver.Status(C.frond_query_event(c.library, C.uintptr_t(e))))
}

func (c *calls) SynchronizeEvent(e driver.Event) error {
	return failed("cuEventSynchronize", C.frond_synchronize_event(c.library, C.uintptr_t(e)))
}

// logSize is room for some dozens of the compiler's messages.
const logSize = 8 << 10

func (c *calls) LoadModule(ptx string) (driver.Module, error) {
	image := C.CString(ptx)
	defer C.free(unsafe.Pointer(image))
	log := make([]byte, logSize)
	r := C.frond_load_module(c.library, image, (*C.char)(unsafe.Pointer(&log[0])), logSize)
	if err := failed("cuModuleLoadDataEx", r.status); err != nil {
		text, _, _ := bytes.Cut(log, []byte{0})
		return 0, about(err, string(bytes.TrimSpace(text)))
	}
	return driver.Module(r.handle), nil
}

func (c *calls) UnloadModule(m driver.Module) error {
	return failed("cuModuleUnload", C.frond_unload_module(c.library, C.uintptr_t(m)))
}

func (c *calls) Function(m driver.Module, name string) (driver.Function, error) {
	symbol := C.CString(name)
	defer C.free(unsafe.Pointer(symbol))
	r := C.frond_function(c.library, C.uintptr_t(m), symbol)
	return driver.Function(r.handle), about(failed("cuModuleGetFunction", r.status), name)
}

func (c *calls) SetFunctionAttribute(f driver.Function, a driver.FunctionAttribute, value int) error {
	return failed("cuFuncSetAttribute", C.frond_set_function_attribute(c.library, C.uintptr_t(f), C.int(a), C.int(value)))
}

func (c *calls) Occupancy(f driver.Function, threads, shared int) (int, error) {
	r := C.frond_occupancy(c.library, C.uintptr_t(f), C.int(threads), C.size_t(shared))
	return int(r.number), failed("cuOccupancyMaxActiveBlocksPerMultiprocessor", r.status)
}

func (c *calls) Launch(f driver.Function, grid, block driver.Dim3, shared int, s driver.Stream, p *driver.Parameters) error {
	status := C.frond_launch(c.library, C.uintptr_t(f),
		C.uint(grid.X), C.uint(grid.Y), C.uint(grid.Z), C.uint(block.X), C.uint(block.Y), C.uint(block.Z),
		C.uint(shared), C.uintptr_t(s), C.uintptr_t(p.Addresses()))
	runtime.KeepAlive(p)
	return failed("cuLaunchKernel", status)
}

func (c *calls) DeclareAccess(p driver.Pointer, size int64, write bool) {
	flag := C.int(0)
	if write {
		flag = 1
	}
	C.frond_declare(c.library, C.CUdeviceptr(p), C.size_t(size), flag)
}
