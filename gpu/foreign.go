package gpu

import "fmt"

// Foreign issues work by way of a library that takes streams and addresses of the
// driver itself, such as cuBLAS. It calls issue with the stream's CUstream and the
// device addresses of the uses, in their order, on a thread on which the device's
// primary context is current; issue must not call the stream's methods nor close the
// device.
//
// The uses, made by [In], [Out] and [InOut], tell which buffers are read and written;
// with [Options] Check they are compared like those of a launch. All work that one
// call issues counts as one operation of the given name.
func (s *Stream) Foreign(name string, uses []Arg, issue func(stream uintptr, addresses []uintptr) error) error {
	op := &operation{name}
	return s.work(op, uses, func() error {
		addresses := make([]uintptr, len(uses))
		for i := range uses {
			if uses[i].kind != argBuffer {
				return fmt.Errorf("%w: use %d is %s, want a buffer", ErrArgument, i, uses[i].describe())
			}
			addresses[i] = uintptr(uses[i].buffer.pointer())
		}
		return issue(uintptr(s.handle), addresses)
	})
}
