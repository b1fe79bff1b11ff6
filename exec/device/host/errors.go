package host

import (
	"errors"
	"fmt"
)

var (
	// ErrArgument is wrapped by errors about arguments that cannot be right.
	ErrArgument = errors.New("invalid argument")
	// ErrFreed means that a buffer is used after it was freed.
	ErrFreed = errors.New("buffer is freed")
	// ErrClosed means that a stream is used after it was closed.
	ErrClosed = errors.New("stream is closed")
	// ErrBusy means that two goroutines use a stream at once.
	ErrBusy = errors.New("stream is in use by another goroutine")
	// ErrRace means that two streams use a buffer and nothing orders them.
	ErrRace = errors.New("stream race")
)

// argument makes an error that wraps ErrArgument.
func argument(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrArgument}, args...)...)
}
