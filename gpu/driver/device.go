package driver

import (
	"bytes"
	"fmt"
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

// DeviceCount returns the number of devices.
func (c *Caller) DeviceCount() (int, error) {
	err := c.call(fnDeviceGetCount, c.out(0))
	return c.int32Result(0), err
}

// Device returns device number ordinal, counted from 0.
func (c *Caller) Device(ordinal int) (Device, error) {
	count, err := c.DeviceCount()
	if err != nil {
		return 0, err
	}
	if ordinal < 0 || ordinal >= count {
		return 0, fmt.Errorf("%w: number %d of %d", ErrNoDevice, ordinal, count)
	}
	err = c.call(fnDeviceGet, c.out(0), uintptr(ordinal))
	return Device(c.int32Result(0)), err
}

// DeviceName returns the product name.
func (c *Caller) DeviceName(d Device) (string, error) {
	buffer := make([]byte, 256)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&buffer[0])
	err := c.call(fnDeviceGetName, uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)-1), uintptr(d))
	name, _, _ := bytes.Cut(buffer, []byte{0})
	return string(name), err
}

// DeviceAttribute returns a property of a device.
func (c *Caller) DeviceAttribute(d Device, a Attribute) (int, error) {
	err := c.call(fnDeviceGetAttribute, c.out(0), uintptr(a), uintptr(d))
	return c.int32Result(0), err
}

// DeviceMemory returns the device's memory in bytes.
func (c *Caller) DeviceMemory(d Device) (int64, error) {
	err := c.call(fnDeviceTotalMem, c.out(0), uintptr(d))
	return int64(c.result[0]), err
}
