package driver

import (
	"bytes"
	"runtime"
	"unsafe"
)

// Module is compiled code, a CUmodule.
type Module uintptr

// Function is a kernel of a module, a CUfunction.
type Function uintptr

// Options of the compiler, CUjit_option.
const (
	jitErrorLog     = 5
	jitErrorLogSize = 6
)

// logSize is room for some dozens of the compiler's messages. The driver cuts what
// is longer.
const logSize = 8 << 10

func (c *dynamicCalls) LoadModule(ptx string) (Module, error) {
	image := append([]byte(ptx), 0) // the driver wants a C string
	log := make([]byte, logSize)
	options := [2]int32{jitErrorLog, jitErrorLogSize}
	values := [2]uintptr{uintptr(unsafe.Pointer(&log[0])), logSize}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&image[0])
	pin.Pin(&log[0])
	pin.Pin(&options)
	pin.Pin(&values)
	err := c.call(fnModuleLoadDataEx, c.out(0), uintptr(unsafe.Pointer(&image[0])), uintptr(len(options)),
		uintptr(unsafe.Pointer(&options)), uintptr(unsafe.Pointer(&values)))
	if err != nil {
		text, _, _ := bytes.Cut(log, []byte{0})
		return 0, detail(err, "%s", bytes.TrimSpace(text))
	}
	return Module(c.result[0]), nil
}

func (c *dynamicCalls) UnloadModule(m Module) error { return c.call(fnModuleUnload, uintptr(m)) }

func (c *dynamicCalls) Function(m Module, name string) (Function, error) {
	symbol := append([]byte(name), 0)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&symbol[0])
	if err := c.call(fnModuleGetFunction, c.out(0), uintptr(m), uintptr(unsafe.Pointer(&symbol[0]))); err != nil {
		return 0, detail(err, "%s", name)
	}
	return Function(c.result[0]), nil
}

// FunctionAttribute is a property of a function, a CUfunction_attribute.
type FunctionAttribute int

// Attributes of functions.
const (
	FunctionMaxThreads       FunctionAttribute = 0 // per block
	FunctionSharedMemory     FunctionAttribute = 1 // bytes, without what launches add
	FunctionLocalMemory      FunctionAttribute = 3 // bytes per thread: spilled registers and arrays
	FunctionRegisters        FunctionAttribute = 4 // per thread
	FunctionMaxDynamicShared FunctionAttribute = 8 // bytes that launches may add
)

func (c *dynamicCalls) FunctionAttribute(f Function, a FunctionAttribute) (int, error) {
	err := c.call(fnFuncGetAttribute, c.out(0), uintptr(a), uintptr(f))
	return c.int32Result(0), err
}

func (c *dynamicCalls) SetFunctionAttribute(f Function, a FunctionAttribute, value int) error {
	return c.call(fnFuncSetAttribute, uintptr(f), uintptr(a), uintptr(value))
}

func (c *dynamicCalls) Occupancy(f Function, threads, shared int) (int, error) {
	err := c.call(fnOccupancyMaxActiveBlocks, c.out(0), uintptr(f), uintptr(threads), uintptr(shared))
	return c.int32Result(0), err
}
