package safetensors

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrFormat reports that the input is not a well-formed safetensors file.
	ErrFormat = errors.New("malformed safetensors file")
	// ErrInvalid reports tensors or metadata that cannot be written.
	ErrInvalid = errors.New("not writable as safetensors")
	// ErrNotFound reports a tensor name that the file does not hold.
	ErrNotFound = errors.New("no such tensor")
	// ErrDType reports a read whose element type is not that of the tensor.
	ErrDType = errors.New("dtype mismatch")
	// ErrLength reports a destination whose length is not that of the tensor.
	ErrLength = errors.New("length mismatch")
)

// FormatError says where a safetensors file is malformed and why. It wraps
// ErrFormat.
type FormatError struct {
	File   string // name of the file, or of the reader given by FileName
	Tensor string // the tensor at fault; empty when it is not one tensor's fault
	Reason string // what is wrong, with the value found and the value wanted
}

// Error returns a one-line message. Long tensor names are cut short, so that a
// hostile header cannot flood a log.
func (e *FormatError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "safetensors: %s: ", e.File)
	if e.Tensor != "" {
		b.WriteString("tensor " + quote(e.Tensor) + ": ")
	}
	b.WriteString(e.Reason)
	return b.String()
}

// Unwrap returns ErrFormat.
func (e *FormatError) Unwrap() error { return ErrFormat }

// quote returns s quoted for a message, cut after 100 characters.
func quote(s string) string { return fmt.Sprintf("%.100q", s) }
