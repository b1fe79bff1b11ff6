package cublas

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/frondml/frond/gpu"
)

// Handle multiplies matrices on one stream. It lies on the heap, for addresses within it
// are given to the library.
type Handle struct {
	library   *Library
	stream    *gpu.Stream
	workspace gpu.Buffer
	factors   [2]float32 // 0 and 1, where the library reads them

	mu     sync.Mutex // calls of the library, of which one may be from Abandon
	handle uintptr    // 0 when it is released
}

// workspaceSize returns how much memory NVIDIA advises to give a handle, for devices of
// a compute capability.
func workspaceSize(capability int) int64 {
	if capability >= 90 {
		return 32 << 20
	}
	return 4 << 20
}

// NewHandle returns a handle for a stream, with workspace of its own, so that products
// of several streams run at once. It waits for the device.
func (l *Library) NewHandle(s *gpu.Stream) (*Handle, error) {
	h := &Handle{library: l, stream: s, factors: [2]float32{0, 1}}
	size := workspaceSize(s.Device().Info().Capability)
	var err error
	if h.workspace, err = s.Alloc(size); err != nil {
		return nil, fmt.Errorf("cublas: workspace: %w", err)
	}
	err = s.Foreign("cublasCreate", []gpu.Arg{gpu.Out(h.workspace)}, func(stream uintptr, addresses []uintptr) error {
		if err := l.call(fnCreate, uintptr(unsafe.Pointer(&h.handle))); err != nil {
			return err
		}
		// In this order: a handle that gets a stream forgets its workspace.
		err := l.call(fnSetStream, h.handle, stream)
		if err == nil {
			err = l.call(fnSetWorkspace, h.handle, addresses[0], uintptr(size))
		}
		if err != nil {
			return errors.Join(err, l.call(fnDestroy, h.handle))
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(h.failed(err), s.Free(h.workspace))
	}
	return h, nil
}

// failed returns the error of a call. The library does not tell a failure of its own from
// one of the device, but the driver knows when it is asked.
func (h *Handle) failed(err error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		event, failure := h.stream.Record()
		if failure == nil {
			event.Release()
		} else if errors.Is(failure, gpu.ErrDeviceLost) {
			err = fmt.Errorf("%w: %w", err, failure)
		}
	}
	return fmt.Errorf("cublas: %w", err)
}

// Close releases the handle behind the stream's work, for which it waits.
func (h *Handle) Close() error {
	if h.released() {
		return nil
	}
	err := h.stream.Foreign("cublasDestroy", []gpu.Arg{gpu.Out(h.workspace)}, h.destroy)
	if err = errors.Join(err, h.stream.Free(h.workspace)); err != nil {
		return fmt.Errorf("cublas: %w", err)
	}
	return nil
}

// Abandon releases the handle from any goroutine, by way of a stream that is not the
// handle's own, which may be in use. It waits for the device. The workspace goes when the
// device is closed; products and Close find that the handle is closed.
func (h *Handle) Abandon(by *gpu.Stream) error {
	if err := by.Foreign("cublasDestroy", nil, h.destroy); err != nil {
		return fmt.Errorf("cublas: %w", err)
	}
	return nil
}

// destroy is what Close and Abandon issue.
func (h *Handle) destroy(uintptr, []uintptr) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.handle == 0 {
		return nil
	}
	defer func() { h.handle = 0 }()
	return h.library.call(fnDestroy, h.handle)
}

func (h *Handle) released() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.handle == 0
}
