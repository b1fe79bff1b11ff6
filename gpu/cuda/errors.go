package cuda

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
)

// failure is an error of package gpu that is also one of package device.
type failure struct {
	err  error
	kind error
}

// Error says what package gpu said.
func (e *failure) Error() string { return e.err.Error() }

// Unwrap returns both.
func (e *failure) Unwrap() []error { return []error{e.err, e.kind} }

// translated gives an error of package gpu the kind that package device knows.
func translated(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gpu.ErrDeviceLost):
		return &failure{err, device.ErrLost}
	case errors.Is(err, gpu.ErrMemory):
		return &failure{err, device.ErrMemory}
	}
	return err
}

// unlessLost drops an error that says that the device is lost: nothing is left to be
// given back then.
func unlessLost(err error) error {
	if errors.Is(err, gpu.ErrDeviceLost) {
		return nil
	}
	return translated(err)
}

// unlessGone is unlessLost for what a closed device has released, too.
func (d *Device) unlessGone(err error) error {
	if errors.Is(err, gpu.ErrClosed) && d.fetches.isClosed() {
		return nil
	}
	return unlessLost(err)
}

// foreign is the error about a value that another device made.
func foreign(what string, value any) error {
	return fmt.Errorf("%w: the %s is of another kind of device: %T", gpu.ErrArgument, what, value)
}
