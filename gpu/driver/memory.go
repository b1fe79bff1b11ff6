package driver

import (
	"fmt"
	"unsafe"
)

// Pointer is an address in device memory, a CUdeviceptr.
type Pointer uint64

// Alloc returns n bytes of device memory, aligned for every type. Their contents
// are undefined. It may wait for the device.
func (c *Caller) Alloc(n int64) (Pointer, error) {
	if err := c.call(fnMemAlloc, c.out(0), uintptr(n)); err != nil {
		return 0, detail(err, "%d bytes", n)
	}
	return Pointer(c.result[0]), nil
}

// Free returns memory to the device. No work in progress may use it.
func (c *Caller) Free(p Pointer) error { return c.call(fnMemFree, uintptr(p)) }

// MemoryInfo returns the free and the total memory of the current context's
// device in bytes.
func (c *Caller) MemoryInfo() (free, total int64, err error) {
	err = c.call(fnMemGetInfo, c.out(0), c.out(1))
	return int64(c.result[0]), int64(c.result[1]), err
}

// portable makes pinned memory pinned for every context of the process.
const portable = 1

// AllocHost returns n > 0 bytes of pinned host memory, which the device can read
// and write by itself. They do not belong to the Go heap and must be given back
// with FreeHost, after which the slice must not be touched.
func (c *Caller) AllocHost(n int) ([]byte, error) {
	if err := c.call(fnMemHostAlloc, c.out(0), uintptr(n), portable); err != nil {
		return nil, detail(err, "%d bytes", n)
	}
	// The address is no Go pointer, so it may pass through an integer; reading it
	// as a pointer where it was written says so without a conversion.
	address := *(*unsafe.Pointer)(unsafe.Pointer(&c.result[0]))
	return unsafe.Slice((*byte)(address), n), nil
}

// FreeHost gives back what AllocHost returned. No work in progress may use it.
func (c *Caller) FreeHost(memory []byte) error {
	return c.call(fnMemFreeHost, uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
}

// CopyToDevice copies to the device, in the order of the stream. Pinned memory is
// read when the stream gets there. Memory of the Go heap, which runtime.Pinner must
// hold in place, is read before the call returns.
func (c *Caller) CopyToDevice(to Pointer, from []byte, s Stream) error {
	return c.call(fnMemcpyHtoDAsync, uintptr(to), uintptr(unsafe.Pointer(unsafe.SliceData(from))), uintptr(len(from)), uintptr(s))
}

// CopyToHost copies from the device, in the order of the stream. Pinned memory is
// written when the stream gets there. For memory of the Go heap, which
// runtime.Pinner must hold in place, the call waits.
func (c *Caller) CopyToHost(to []byte, from Pointer, s Stream) error {
	return c.call(fnMemcpyDtoHAsync, uintptr(unsafe.Pointer(unsafe.SliceData(to))), uintptr(from), uintptr(len(to)), uintptr(s))
}

// Copy copies n bytes within the device, in the order of the stream. The ranges
// must not overlap.
func (c *Caller) Copy(to, from Pointer, n int64, s Stream) error {
	return c.call(fnMemcpyDtoDAsync, uintptr(to), uintptr(from), uintptr(n), uintptr(s))
}

// Fill sets count 32-bit words, in the order of the stream.
func (c *Caller) Fill(p Pointer, word uint32, count int64, s Stream) error {
	return c.call(fnMemsetD32Async, uintptr(p), uintptr(word), uintptr(count), uintptr(s))
}

// detail adds to an error of a call what the call was about.
func detail(err error, format string, arguments ...any) error {
	if e, ok := err.(*Error); ok {
		e.Detail = fmt.Sprintf(format, arguments...)
	}
	return err
}
