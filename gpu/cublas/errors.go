package cublas

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/frondml/frond/gpu"
)

// ErrNoLibrary means that no usable cuBLAS was found.
var ErrNoLibrary = errors.New("no cuBLAS library")

// Status is the result of a call of the library, a cublasStatus_t.
type Status int32

const (
	statusSuccess        Status = 0
	statusNotInitialized Status = 1
)

// meanings tells of each status its name in cublas_api.h and the kind of error.
var meanings = map[Status]struct {
	name string
	kind error
}{
	1:  {"CUBLAS_STATUS_NOT_INITIALIZED", gpu.ErrNoDevice}, // the driver or the device cannot be used
	3:  {"CUBLAS_STATUS_ALLOC_FAILED", gpu.ErrMemory},
	7:  {"CUBLAS_STATUS_INVALID_VALUE", gpu.ErrArgument},
	8:  {"CUBLAS_STATUS_ARCH_MISMATCH", gpu.ErrNoDevice},
	11: {"CUBLAS_STATUS_MAPPING_ERROR", nil},
	13: {"CUBLAS_STATUS_EXECUTION_FAILED", gpu.ErrKernel},
	14: {"CUBLAS_STATUS_INTERNAL_ERROR", nil},
	15: {"CUBLAS_STATUS_NOT_SUPPORTED", gpu.ErrArgument},
	16: {"CUBLAS_STATUS_LICENSE_ERROR", nil},
}

// String returns the name in cublas_api.h, or the number of a status that this package
// does not know.
func (s Status) String() string {
	if m, ok := meanings[s]; ok {
		return m.name
	}
	return "cuBLAS status " + strconv.Itoa(int(s))
}

// Error is a call of the library that failed.
type Error struct {
	Call   string // "cublasSgemm_v2"
	Status Status
}

// Error names the call and the status.
func (e *Error) Error() string { return fmt.Sprintf("%s: %v (%d)", e.Call, e.Status, int32(e.Status)) }

// Unwrap returns the kind of the error, or nil where it has none.
func (e *Error) Unwrap() error { return meanings[e.Status].kind }
