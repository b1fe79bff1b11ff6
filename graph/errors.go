package graph

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Kinds of mistakes found while building, for errors.Is.
var (
	ErrShape     = errors.New("shape error")
	ErrDType     = errors.New("element type error")
	ErrUndefined = errors.New("undefined")
	ErrRedefined = errors.New("defined twice")
	ErrUnused    = errors.New("unused")
	ErrScope     = errors.New("value out of scope")
	ErrInvalid   = errors.New("invalid program")
)

// BuildError is one mistake, with the position of the line that made it.
type BuildError struct {
	Pos Pos    // the first caller outside of the building packages
	Op  string // what was being built
	Err error  // what went wrong; wraps one of the sentinels
}

// Error returns "file.go:line: what was built: what went wrong".
func (e *BuildError) Error() string { return fmt.Sprintf("%v: %s: %v", e.Pos, e.Op, e.Err) }

// Unwrap returns the cause.
func (e *BuildError) Unwrap() error { return e.Err }

// Pos is a position in a user's source, resolved when printed.
type Pos struct{ pc uintptr }

// String returns file.go:line, or "-" when the position is not known.
func (p Pos) String() string {
	if p.pc == 0 {
		return "-"
	}
	f, _ := runtime.CallersFrames([]uintptr{p.pc}).Next()
	return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
}

const modulePath = "github.com/frondml/frond/"

var (
	builderPackages = []string{"graph.", "ops.", "recursion."}
	helpers         sync.Map // names of functions that called Helper
)

// Helper marks the calling function as a building helper: mistakes made in it
// are reported at the line that called it.
func Helper() {
	var pcs [1]uintptr
	if runtime.Callers(2, pcs[:]) == 0 {
		return
	}
	f, _ := runtime.CallersFrames(pcs[:]).Next()
	helpers.LoadOrStore(f.Function, true)
}

// CallerPos returns the position of the innermost caller outside of the building
// packages and of functions marked by Helper.
func CallerPos() Pos {
	var pcs [32]uintptr
	for _, pc := range pcs[:runtime.Callers(2, pcs[:])] {
		outside, known := isOutside.Load(pc)
		if !known {
			f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
			outside = !isBuilder(f)
			isOutside.Store(pc, outside)
		}
		if outside.(bool) {
			return Pos{pc}
		}
	}
	return Pos{}
}

// isOutside remembers, per return address, whether the function that it lies in
// is a user's: finding a function's name takes longer than all the rest of adding
// a node. A helper marks itself before it adds its first node.
var isOutside sync.Map

func isBuilder(f runtime.Frame) bool {
	if _, ok := helpers.Load(f.Function); ok {
		return true
	}
	rest, ok := strings.CutPrefix(f.Function, modulePath)
	if !ok || strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	for _, p := range builderPackages {
		if strings.HasPrefix(rest, p) {
			return true
		}
	}
	return false
}
