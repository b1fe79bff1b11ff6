package cublas

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// Names are the file names under which [Open] looks for the library, newest first.
var Names = []string{"libcublas.so.13", "libcublas.so.12"}

// function is an entry point of the library, an index into Library.entries.
type function int

const (
	fnGetProperty function = iota
	fnCreate
	fnDestroy
	fnSetStream
	fnSetWorkspace
	fnSgemm
	fnGemmEx
	functionCount
)

// symbols names the entry points: those of cuBLAS 12 and 13, whose binary interfaces
// agree in them.
var symbols = [functionCount]string{
	fnGetProperty:  "cublasGetProperty",
	fnCreate:       "cublasCreate_v2",
	fnDestroy:      "cublasDestroy_v2",
	fnSetStream:    "cublasSetStream_v2",
	fnSetWorkspace: "cublasSetWorkspace_v2",
	fnSgemm:        "cublasSgemm_v2",
	fnGemmEx:       "cublasGemmEx",
}

// Library is a loaded cuBLAS.
type Library struct {
	entries [functionCount]uintptr
	version string
}

// Open loads the library at a path, or one of [Names] from where the system's loader
// looks if the path is empty. The error is an [ErrNoLibrary].
func Open(path string) (*Library, error) {
	paths := Names
	if path != "" {
		paths = []string{path}
	}
	var failures []error
	for _, p := range paths {
		l, err := open(p)
		if err == nil {
			return l, nil
		}
		failures = append(failures, err)
	}
	return nil, fmt.Errorf("cublas: %w: %w", ErrNoLibrary, errors.Join(failures...))
}

func open(path string) (*Library, error) {
	symbol, err := openLibrary(path)
	if err != nil {
		return nil, err
	}
	l := &Library{}
	for f := range functionCount {
		if l.entries[f] = symbol(symbols[f]); l.entries[f] == 0 {
			return nil, fmt.Errorf("%s does not export %s", path, symbols[f])
		}
	}
	var numbers [3]int
	for i := range numbers {
		if numbers[i], err = l.property(i); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	l.version = fmt.Sprintf("%d.%d.%d", numbers[0], numbers[1], numbers[2])
	return l, nil
}

// Version returns the library's version, as "13.0.2".
func (l *Library) Version() string { return l.version }

// property returns the major, the minor or the patch number of the version.
func (l *Library) property(number int) (int, error) {
	var value int32
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&value)
	err := l.call(fnGetProperty, uintptr(number), uintptr(unsafe.Pointer(&value)))
	return int(value), err
}

// call makes a call and turns its status into an error. Arguments that are addresses of
// Go memory must be pinned or on the heap, and stay reachable until it returns.
func (l *Library) call(f function, arguments ...uintptr) error {
	if s := Status(int32(invoke(l.entries[f], arguments))); s != statusSuccess {
		return &Error{Call: symbols[f], Status: s}
	}
	return nil
}
