package driver

import (
	"errors"
	"fmt"
)

// Kinds of errors, for errors.Is.
var (
	// ErrNoDriver means that no usable libcuda.so.1 was found.
	ErrNoDriver = errors.New("no CUDA driver")
	// ErrDriverTooOld means that the driver is older than [MinimumVersion] or than
	// the PTX that it was given.
	ErrDriverTooOld = errors.New("CUDA driver too old")
	// ErrNoDevice means that there is no device, or none that was asked for.
	ErrNoDevice = errors.New("no CUDA device")
	// ErrMemory means that the device or the host has no memory left for a request.
	ErrMemory = errors.New("out of device memory")
	// ErrDeviceLost means that the device or its context can no longer be used.
	ErrDeviceLost = errors.New("device lost")
	// ErrKernel means that a kernel failed, or that its launch was refused.
	ErrKernel = errors.New("kernel failed")
)

// Error is a driver call that failed.
type Error struct {
	Call   string // "cuMemAlloc_v2"
	Status Status
	Detail string // what the call was about, or the compiler's log; may be empty
}

// Error names the call, the status and the detail.
func (e *Error) Error() string {
	text := "unknown status"
	if m, ok := meanings[e.Status]; ok {
		text = m.text
	}
	s := fmt.Sprintf("%s: %s (%v, %d)", e.Call, text, e.Status, uint32(e.Status))
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Unwrap returns the kind of the error, or nil where it has none.
func (e *Error) Unwrap() error { return meanings[e.Status].kind }
