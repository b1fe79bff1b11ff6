//go:build linux && (amd64 || arm64) && !android

package cublas

import "github.com/ebitengine/purego"

// openLibrary loads a shared library and returns a function that finds its symbols, or
// returns 0 for what the library lacks.
func openLibrary(path string) (func(name string) uintptr, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	return func(name string) uintptr {
		address, err := purego.Dlsym(handle, name)
		if err != nil {
			return 0
		}
		return address
	}, nil
}

// invoke calls a C function of integers and pointers.
func invoke(function uintptr, arguments []uintptr) uintptr {
	result, _, _ := purego.SyscallN(function, arguments...)
	return result
}
