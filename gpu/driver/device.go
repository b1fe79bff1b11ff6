package driver

import (
	"bytes"
	"runtime"
	"unsafe"
)

// Device is a CUDA device, a CUdevice.
type Device int32

// Attribute is a property of a device, a CUdevice_attribute.
type Attribute int

// Attributes of devices.
const (
	MaxThreadsPerBlock         Attribute = 1
	MaxSharedMemoryPerBlock    Attribute = 8 // bytes, without asking for more
	WarpSize                   Attribute = 10
	MultiprocessorCount        Attribute = 16
	ComputeCapabilityMajor     Attribute = 75
	ComputeCapabilityMinor     Attribute = 76
	MaxSharedMemoryPerBlockAll Attribute = 97 // bytes, for kernels that ask
)

func (c *dynamicCalls) DeviceCount() (int, error) {
	err := c.call(fnDeviceGetCount, c.out(0))
	return c.int32Result(0), err
}

func (c *dynamicCalls) Device(ordinal int) (Device, error) {
	err := c.call(fnDeviceGet, c.out(0), uintptr(ordinal))
	return Device(c.int32Result(0)), err
}

func (c *dynamicCalls) DeviceName(d Device) (string, error) {
	buffer := make([]byte, 256)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&buffer[0])
	err := c.call(fnDeviceGetName, uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)-1), uintptr(d))
	name, _, _ := bytes.Cut(buffer, []byte{0})
	return string(name), err
}

func (c *dynamicCalls) DeviceAttribute(d Device, a Attribute) (int, error) {
	err := c.call(fnDeviceGetAttribute, c.out(0), uintptr(a), uintptr(d))
	return c.int32Result(0), err
}

func (c *dynamicCalls) DeviceMemory(d Device) (int64, error) {
	err := c.call(fnDeviceTotalMem, c.out(0), uintptr(d))
	return int64(c.result[0]), err
}
