//go:build mumax && linux

package mumax

// #include "library.h"
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/mumax/3/cuda/cu"

	"github.com/frondml/frond/gpu/driver"
)

// calls makes the calls of a library: those of this file through package cu, those of
// the file added.go by itself.
type calls struct{ library *C.struct_frond_library }

// begin makes package cu call this library. The goroutine keeps its thread until the
// end of the call, because the selection is the thread's.
func (c *calls) begin() {
	runtime.LockOSThread()
	C.frond_select(c.library)
}

// end ends a call and turns the panic by which package cu reports a failure into an
// error. It must be deferred.
func (c *calls) end(call string, err *error) {
	runtime.UnlockOSThread()
	switch failure := recover().(type) {
	case nil:
	case cu.Result:
		*err = &driver.Error{Call: call, Status: driver.Status(failure)}
	default:
		panic(failure)
	}
}

func (c *calls) Init() (err error) {
	c.begin()
	defer c.end("cuInit", &err)
	cu.Init(0)
	return nil
}

func (c *calls) DriverVersion() (v driver.Version, err error) {
	c.begin()
	defer c.end("cuDriverGetVersion", &err)
	return driver.Version(cu.Version()), nil
}

func (c *calls) DeviceCount() (n int, err error) {
	c.begin()
	defer c.end("cuDeviceGetCount", &err)
	return cu.DeviceGetCount(), nil
}

func (c *calls) Device(ordinal int) (d driver.Device, err error) {
	c.begin()
	defer c.end("cuDeviceGet", &err)
	return driver.Device(cu.DeviceGet(ordinal)), nil
}

func (c *calls) DeviceAttribute(d driver.Device, a driver.Attribute) (value int, err error) {
	c.begin()
	defer c.end("cuDeviceGetAttribute", &err)
	return cu.Device(d).Attribute(cu.DeviceAttribute(a)), nil
}

func (c *calls) DeviceMemory(d driver.Device) (bytes int64, err error) {
	c.begin()
	defer c.end("cuDeviceTotalMem_v2", &err)
	return cu.Device(d).TotalMem(), nil
}

func (c *calls) SetContext(ctx driver.Context) (err error) {
	c.begin()
	defer c.end("cuCtxSetCurrent", &err)
	cu.CtxSetCurrent(cu.Context(ctx))
	return nil
}

func (c *calls) SynchronizeContext() (err error) {
	c.begin()
	defer c.end("cuCtxSynchronize", &err)
	cu.CtxSynchronize()
	return nil
}

func (c *calls) Alloc(n int64) (driver.Pointer, error) {
	p, err := c.alloc(n)
	if err != nil {
		return 0, about(err, fmt.Sprintf("%d bytes", n))
	}
	return p, nil
}

func (c *calls) alloc(n int64) (p driver.Pointer, err error) {
	c.begin()
	defer c.end("cuMemAlloc_v2", &err)
	return driver.Pointer(cu.MemAlloc(n)), nil
}

func (c *calls) Free(p driver.Pointer) (err error) {
	c.begin()
	defer c.end("cuMemFree_v2", &err)
	cu.MemFree(cu.DevicePtr(p))
	return nil
}

func (c *calls) MemoryInfo() (free, total int64, err error) {
	c.begin()
	defer c.end("cuMemGetInfo_v2", &err)
	free, total = cu.MemGetInfo()
	return free, total, nil
}

func (c *calls) FreeHost(memory []byte) (err error) {
	c.begin()
	defer c.end("cuMemFreeHost", &err)
	cu.MemFreeHost(unsafe.Pointer(unsafe.SliceData(memory)))
	return nil
}

func (c *calls) CopyToDevice(to driver.Pointer, from []byte, s driver.Stream) (err error) {
	c.begin()
	defer c.end("cuMemcpyHtoDAsync_v2", &err)
	cu.MemcpyHtoDAsync(cu.DevicePtr(to), unsafe.Pointer(unsafe.SliceData(from)), int64(len(from)), cu.Stream(s))
	return nil
}

func (c *calls) CopyToHost(to []byte, from driver.Pointer, s driver.Stream) (err error) {
	c.begin()
	defer c.end("cuMemcpyDtoHAsync_v2", &err)
	cu.MemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(to)), cu.DevicePtr(from), int64(len(to)), cu.Stream(s))
	return nil
}

func (c *calls) Copy(to, from driver.Pointer, n int64, s driver.Stream) (err error) {
	c.begin()
	defer c.end("cuMemcpyDtoDAsync_v2", &err)
	cu.MemcpyDtoDAsync(cu.DevicePtr(to), cu.DevicePtr(from), n, cu.Stream(s))
	return nil
}

func (c *calls) Fill(p driver.Pointer, word uint32, count int64, s driver.Stream) (err error) {
	c.begin()
	defer c.end("cuMemsetD32Async", &err)
	cu.MemsetD32Async(cu.DevicePtr(p), word, count, cu.Stream(s))
	return nil
}

func (c *calls) DestroyStream(s driver.Stream) (err error) {
	c.begin()
	defer c.end("cuStreamDestroy_v2", &err)
	stream := cu.Stream(s)
	stream.Destroy()
	return nil
}

func (c *calls) SynchronizeStream(s driver.Stream) (err error) {
	c.begin()
	defer c.end("cuStreamSynchronize", &err)
	cu.Stream(s).Synchronize()
	return nil
}

func (c *calls) StreamDone(s driver.Stream) (done bool, err error) {
	c.begin()
	defer c.end("cuStreamQuery", &err)
	return finished("cuStreamQuery", driver.Status(cu.Stream(s).Query()))
}

func (c *calls) FunctionAttribute(f driver.Function, a driver.FunctionAttribute) (value int, err error) {
	c.begin()
	defer c.end("cuFuncGetAttribute", &err)
	return cu.Function(f).GetAttribute(cu.FunctionAttribute(a)), nil
}
