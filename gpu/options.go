package gpu

import "github.com/frondml/frond/gpu/driver"

// Options say which device to open and how to use it. The zero value opens the
// first device.
type Options struct {
	// Device is the number of the device, counted from 0.
	Device int
	// Library is the path of the driver; empty means libcuda.so.1, found by the
	// system's loader.
	Library string
	// Binding is how the driver is called; nil means package driver's own binding,
	// which needs no cgo.
	Binding driver.Binding
	// Memory limits the bytes of device memory held at a time, in use and cached; 0
	// means all that the device has.
	Memory int64
	// Staging is the size in bytes of each stream's pinned memory for uploads and
	// downloads; 0 means 1 MiB.
	Staging int
	// Check compares all accesses to buffers by vector clocks. Allocated memory is
	// filled with NaNs, and blocks are as large as the buffers in them, not rounded
	// up, so that tools see their bounds. It costs some microseconds per launch.
	Check bool
}

// Limits of Options.Staging.
const (
	defaultStaging = 1 << 20
	minStaging     = 4 << 10
)

func (o Options) withDefaults() Options {
	if o.Staging == 0 {
		o.Staging = defaultStaging
	}
	o.Staging = max(o.Staging, minStaging)
	return o
}
