package driver

import "strconv"

// Status is the result of a driver call, a CUresult.
type Status uint32

// Statuses that are more than failures to those who make calls.
const (
	StatusSuccess              Status = 0
	StatusNotInitialized       Status = 3
	StatusNotReady             Status = 600 // of a query: work is still in progress
	StatusPrimaryContextActive Status = 708 // others use it, with flags of their own
)

// meaning is what one status stands for.
type meaning struct {
	name string // as in cuda.h
	text string
	kind error // the sentinel of this package, or nil
}

// meanings lists the statuses that calls of this package can return. They are
// spelled out here rather than asked of the driver, because most of them matter
// when the driver cannot be asked.
var meanings = map[Status]meaning{
	1:   {"CUDA_ERROR_INVALID_VALUE", "an argument is out of range", nil},
	2:   {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory", ErrMemory},
	3:   {"CUDA_ERROR_NOT_INITIALIZED", "the driver is not initialised", nil},
	4:   {"CUDA_ERROR_DEINITIALIZED", "the driver is shutting down", ErrDeviceLost},
	34:  {"CUDA_ERROR_STUB_LIBRARY", "the library found is a stub for linking, not the driver", ErrNoDriver},
	46:  {"CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is busy or does not accept work", ErrNoDevice},
	100: {"CUDA_ERROR_NO_DEVICE", "there is no CUDA device", ErrNoDevice},
	101: {"CUDA_ERROR_INVALID_DEVICE", "there is no device of this number", ErrNoDevice},
	200: {"CUDA_ERROR_INVALID_IMAGE", "the kernel image is not valid", nil},
	201: {"CUDA_ERROR_INVALID_CONTEXT", "no context is current on this thread", nil},
	209: {"CUDA_ERROR_NO_BINARY_FOR_GPU", "the image has no code for this device", ErrNoDevice},
	214: {"CUDA_ERROR_ECC_UNCORRECTABLE", "the device's memory has failed", ErrDeviceLost},
	218: {"CUDA_ERROR_INVALID_PTX", "the PTX cannot be compiled", nil},
	220: {"CUDA_ERROR_NVLINK_UNCORRECTABLE", "a link to the device has failed", ErrDeviceLost},
	221: {"CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "the driver's PTX compiler is missing", ErrNoDriver},
	222: {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX is newer than the driver", ErrDriverTooOld},
	304: {"CUDA_ERROR_OPERATING_SYSTEM", "a call of the operating system failed", nil},
	400: {"CUDA_ERROR_INVALID_HANDLE", "a handle is not valid", nil},
	401: {"CUDA_ERROR_ILLEGAL_STATE", "the call is not allowed in this state", nil},
	500: {"CUDA_ERROR_NOT_FOUND", "there is nothing of this name", nil},
	600: {"CUDA_ERROR_NOT_READY", "work is still in progress", nil},
	700: {"CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel or a copy touched memory outside its allocations", ErrKernel},
	701: {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "the launch needs more threads, registers or shared memory than there are", ErrKernel},
	702: {"CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel ran too long", ErrKernel},
	708: {"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "the primary context is in use", nil},
	709: {"CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context was destroyed", ErrDeviceLost},
	710: {"CUDA_ERROR_ASSERT", "an assertion in a kernel failed", ErrKernel},
	714: {"CUDA_ERROR_HARDWARE_STACK_ERROR", "a kernel's stack overflowed", ErrKernel},
	715: {"CUDA_ERROR_ILLEGAL_INSTRUCTION", "a kernel met an instruction that is not allowed", ErrKernel},
	716: {"CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel touched an address that is not aligned", ErrKernel},
	717: {"CUDA_ERROR_INVALID_ADDRESS_SPACE", "a kernel used an address of the wrong space", ErrKernel},
	718: {"CUDA_ERROR_INVALID_PC", "a kernel's program counter left the code", ErrKernel},
	719: {"CUDA_ERROR_LAUNCH_FAILED", "a kernel failed", ErrKernel},
	720: {"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "the grid does not fit on the device at once", ErrKernel},
	800: {"CUDA_ERROR_NOT_PERMITTED", "the operation is not permitted", nil},
	801: {"CUDA_ERROR_NOT_SUPPORTED", "the driver or device does not support this", nil},
	802: {"CUDA_ERROR_SYSTEM_NOT_READY", "the system is not ready to use CUDA", ErrNoDevice},
	803: {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "libcuda and the kernel's driver have different versions", ErrNoDriver},
	804: {"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "this libcuda does not support the device", ErrDriverTooOld},
	999: {"CUDA_ERROR_UNKNOWN", "the driver gives no reason", ErrDeviceLost},
}

// String returns the name in cuda.h, or the number of a status this package does
// not know.
func (s Status) String() string {
	if m, ok := meanings[s]; ok {
		return m.name
	}
	return "CUDA status " + strconv.FormatUint(uint64(s), 10)
}

// Sticky reports whether the context is lost once a call has returned s: all
// later calls fail, and only a new process, or at best a new context, can go on.
func (s Status) Sticky() bool {
	switch s {
	case 701, 720: // the launch was refused, nothing has run
		return false
	}
	kind := meanings[s].kind
	return kind == ErrKernel || kind == ErrDeviceLost
}
