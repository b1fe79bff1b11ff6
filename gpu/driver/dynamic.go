package driver

import "unsafe"

// dynamic is the binding that calls functions by the addresses which the system's
// loader gives.
type dynamic struct{}

// dynamicLibrary is a library that dynamic has loaded.
type dynamicLibrary struct {
	symbol        func(name string) uintptr // 0 for what the library lacks
	entries       [functionCount]uintptr
	declareAccess uintptr // 0 in a real driver
}

func (dynamic) Load(path string) (LoadedLibrary, error) {
	symbol, err := openLibrary(path)
	if err != nil {
		return nil, err
	}
	l := &dynamicLibrary{symbol: symbol, declareAccess: symbol(SymbolDeclareAccess)}
	for f := range functionCount {
		l.entries[f] = symbol(symbols[f])
	}
	return l, nil
}

func (l *dynamicLibrary) Exports(function string) bool { return l.symbol(function) != 0 }

func (l *dynamicLibrary) NewCalls() Calls { return &dynamicCalls{library: l} }

// maxArguments is the length of the longest argument list, that of a launch.
const maxArguments = 11

// dynamicCalls holds the arguments and results of the call in progress, so that calls
// do not allocate.
type dynamicCalls struct {
	library   *dynamicLibrary
	arguments [maxArguments]uintptr
	result    [2]uint64 // where calls put what they return
}

// status makes a call. Arguments that are addresses of Go memory must point to the
// heap and stay reachable until it returns.
func (c *dynamicCalls) status(f function, arguments ...uintptr) Status {
	n := copy(c.arguments[:], arguments)
	return Status(uint32(invoke(c.library.entries[f], c.arguments[:n])))
}

// call makes a call and turns its status into an error.
func (c *dynamicCalls) call(f function, arguments ...uintptr) error {
	if s := c.status(f, arguments...); s != StatusSuccess {
		return &Error{Call: symbols[f], Status: s}
	}
	return nil
}

// done makes a call that asks whether something is finished.
func (c *dynamicCalls) done(f function, handle uintptr) (bool, error) {
	switch s := c.status(f, handle); s {
	case StatusSuccess:
		return true, nil
	case StatusNotReady:
		return false, nil
	default:
		return false, &Error{Call: symbols[f], Status: s}
	}
}

// out returns the address at which a call leaves result i. dynamicCalls lie on the
// heap, for their address is given away here.
func (c *dynamicCalls) out(i int) uintptr {
	c.result[i] = 0
	return uintptr(unsafe.Pointer(&c.result[i]))
}

// int32Result returns result i of a call that wrote a C int.
func (c *dynamicCalls) int32Result(i int) int { return int(*(*int32)(unsafe.Pointer(&c.result[i]))) }

func (c *dynamicCalls) Init() error { return c.call(fnInit, 0) }

func (c *dynamicCalls) DriverVersion() (Version, error) {
	err := c.call(fnDriverGetVersion, c.out(0))
	return Version(c.int32Result(0)), err
}
