package driver

import (
	"fmt"
	"unsafe"
)

// Pointer is an address in device memory, a CUdeviceptr.
type Pointer uint64

func (c *dynamicCalls) Alloc(n int64) (Pointer, error) {
	if err := c.call(fnMemAlloc, c.out(0), uintptr(n)); err != nil {
		return 0, detail(err, "%d bytes", n)
	}
	return Pointer(c.result[0]), nil
}

func (c *dynamicCalls) Free(p Pointer) error { return c.call(fnMemFree, uintptr(p)) }

func (c *dynamicCalls) MemoryInfo() (free, total int64, err error) {
	err = c.call(fnMemGetInfo, c.out(0), c.out(1))
	return int64(c.result[0]), int64(c.result[1]), err
}

// portable makes pinned memory pinned for every context of the process.
const portable = 1

func (c *dynamicCalls) AllocHost(n int) ([]byte, error) {
	if err := c.call(fnMemHostAlloc, c.out(0), uintptr(n), portable); err != nil {
		return nil, detail(err, "%d bytes", n)
	}
	// The address is no Go pointer, so it may pass through an integer; reading it
	// as a pointer where it was written says so without a conversion.
	address := *(*unsafe.Pointer)(unsafe.Pointer(&c.result[0]))
	return unsafe.Slice((*byte)(address), n), nil
}

func (c *dynamicCalls) FreeHost(memory []byte) error {
	return c.call(fnMemFreeHost, uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
}

func (c *dynamicCalls) CopyToDevice(to Pointer, from []byte, s Stream) error {
	return c.call(fnMemcpyHtoDAsync, uintptr(to), uintptr(unsafe.Pointer(unsafe.SliceData(from))), uintptr(len(from)), uintptr(s))
}

func (c *dynamicCalls) CopyToHost(to []byte, from Pointer, s Stream) error {
	return c.call(fnMemcpyDtoHAsync, uintptr(unsafe.Pointer(unsafe.SliceData(to))), uintptr(from), uintptr(len(to)), uintptr(s))
}

func (c *dynamicCalls) Copy(to, from Pointer, n int64, s Stream) error {
	return c.call(fnMemcpyDtoDAsync, uintptr(to), uintptr(from), uintptr(n), uintptr(s))
}

func (c *dynamicCalls) Fill(p Pointer, word uint32, count int64, s Stream) error {
	return c.call(fnMemsetD32Async, uintptr(p), uintptr(word), uintptr(count), uintptr(s))
}

// detail adds to an error of a call what the call was about.
func detail(err error, format string, arguments ...any) error {
	if e, ok := err.(*Error); ok {
		e.Detail = fmt.Sprintf(format, arguments...)
	}
	return err
}
