//go:build mumax && linux

package mumax

// #cgo CFLAGS: -I${SRCDIR}/include
// #cgo LDFLAGS: -L${SRCDIR}/lib -ldl
// #include <stdlib.h>
// #include "library.h"
import "C"

import (
	"errors"
	"unsafe"

	"github.com/frondml/frond/gpu/driver"
)

// Binding is the binding, for [gpu.Options]. All values are equal.
//
// Code of the program that uses package cu by itself finds the driver that was
// opened under the name [driver.Library], or the one that this binding called last on
// the same thread. Before any was opened its calls fail with NOT_INITIALIZED.
type Binding struct{}

// Load loads a driver.
func (Binding) Load(path string) (driver.LoadedLibrary, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	loaded := C.frond_load(name)
	if loaded.library == nil {
		defer C.free(unsafe.Pointer(loaded.error))
		return nil, errors.New(C.GoString(loaded.error))
	}
	if path == driver.Library {
		C.frond_share(loaded.library)
	}
	return &library{loaded.library}, nil
}

// library is a loaded driver.
type library struct{ c *C.struct_frond_library }

func (l *library) Exports(function string) bool {
	name := C.CString(function)
	defer C.free(unsafe.Pointer(name))
	return C.frond_exports(l.c, name) != 0
}

func (l *library) NewCalls() driver.Calls { return &calls{l.c} }
