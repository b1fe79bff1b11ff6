//go:build !linux || (!amd64 && !arm64) || android

package driver

import (
	"errors"
	"runtime"
)

func openLibrary(string) (func(name string) uintptr, error) {
	return nil, errors.New("CUDA is supported on linux/amd64 and linux/arm64, not on " + runtime.GOOS + "/" + runtime.GOARCH)
}

// invoke is unreachable, since no library can be opened.
func invoke(uintptr, []uintptr) uintptr { return uintptr(StatusNotInitialized) }
