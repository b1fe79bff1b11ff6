package exec

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/exec/internal/reference"
	"github.com/frondml/frond/graph"
)

// Kinds of run-time errors, for errors.Is. Errors of operators, such as
// ops.ErrIndex, are wrapped as well.
var (
	// ErrDepth means that a path of invocations exceeded Options.MaxDepth.
	ErrDepth = reference.ErrDepth
	// ErrMemory means that Options.Memory does not suffice.
	ErrMemory = errors.New("memory limit reached")
	// ErrNonFinite means that Options.CheckFinite found a NaN or an infinity.
	ErrNonFinite = errors.New("not a finite number")
	// ErrInput means that an input does not fit the graph's signature.
	ErrInput = errors.New("input does not fit")
	// ErrDevice means that Options.Device is none, or cannot do what Options ask for.
	ErrDevice = errors.New("not on this device")
	// ErrClosed means that the session was closed.
	ErrClosed = errors.New("session is closed")
	// ErrNoGradient means that an operator on the way has no gradient rule.
	ErrNoGradient = errors.New("no gradient rule")
	// ErrPanic means that a kernel panicked, which is a mistake in the kernel.
	ErrPanic = errors.New("kernel panicked")
)

// RunError is an error of a running program, with the invocations that led to it.
type RunError struct {
	Path string    // "classify -> subtree x37 -> subtree.else"
	Op   string    // the operator, empty for errors of an invocation
	Pos  graph.Pos // where the operator was applied
	Root int       // which of the run's inputs
	Err  error
}

// Error returns "input 0: path of calls: operator (file.go:line): what went wrong".
func (e *RunError) Error() string {
	if e.Op == "" {
		return fmt.Sprintf("input %d: %s: %v", e.Root, e.Path, e.Err)
	}
	return fmt.Sprintf("input %d: %s: %s (%v): %v", e.Root, e.Path, e.Op, e.Pos, e.Err)
}

// Unwrap returns the cause.
func (e *RunError) Unwrap() error { return e.Err }
