package driver

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
)

// Library is the file name under which the loader finds the driver.
const Library = "libcuda.so.1"

// Version is a version of the driver's interface: 1000 times the major number
// plus 10 times the minor number, so that 11080 is CUDA 11.8.
type Version int

// MinimumVersion is the oldest driver that [Open] accepts. It is the first that
// compiles PTX 7.8, the version in which this module's kernels are written.
const MinimumVersion Version = 11080

// String returns "11.8" for 11080.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

// Driver is an initialised CUDA driver. It is immutable and safe for concurrent
// use; calls are made by a [Caller].
type Driver struct {
	library      LoadedLibrary
	version      Version
	checksAccess bool
}

// Version returns the newest CUDA version that the driver supports.
func (d *Driver) Version() Version { return d.version }

// ChecksAccess reports whether the library compares what kernels touch with what
// was declared by [Caller.DeclareAccess].
func (d *Driver) ChecksAccess() bool { return d.checksAccess }

// opened names a driver.
type opened struct {
	binding Binding
	path    string
}

// drivers holds what has been opened. Initialisation is once per process and
// library, and a library is never closed, so neither is this.
var drivers = struct {
	sync.Mutex
	open map[opened]*Driver
}{open: map[opened]*Driver{}}

// Open finds, loads and initialises the driver with this package's own binding. An
// empty path means [Library], looked for where the system's loader looks. Opening a
// path again returns the same driver. The error is an [ErrNoDriver],
// [ErrDriverTooOld] or [ErrNoDevice].
func Open(path string) (*Driver, error) { return OpenWith(nil, path) }

// OpenWith is [Open] with a binding; nil means this package's own.
func OpenWith(binding Binding, path string) (*Driver, error) {
	if binding == nil {
		binding = dynamic{}
	}
	if !reflect.ValueOf(binding).Comparable() {
		return nil, fmt.Errorf("%w: the binding, a %T, is not comparable", ErrNoDriver, binding)
	}
	if path == "" {
		path = Library
	}
	drivers.Lock()
	defer drivers.Unlock()
	key := opened{binding, path}
	if d, ok := drivers.open[key]; ok {
		return d, nil
	}
	d, err := open(binding, path)
	if err != nil {
		return nil, err
	}
	drivers.open[key] = d
	return d, nil
}

func open(binding Binding, path string) (*Driver, error) {
	library, err := binding.Load(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoDriver, err)
	}
	if !library.Exports(symbols[fnInit]) || !library.Exports(symbols[fnDriverGetVersion]) {
		return nil, fmt.Errorf("%w: %s does not export cuInit", ErrNoDriver, path)
	}
	d := &Driver{library: library, checksAccess: library.Exports(SymbolDeclareAccess)}
	// The version is asked first: it needs no device and no initialisation, and
	// explains what a failing initialisation would leave in the dark.
	c := d.NewCaller()
	if d.version, err = c.DriverVersion(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if d.version < MinimumVersion {
		return nil, fmt.Errorf("%w: %s supports CUDA %v, want %v or newer", ErrDriverTooOld, path, d.version, MinimumVersion)
	}
	for _, symbol := range symbols {
		if !library.Exports(symbol) {
			return nil, fmt.Errorf("%w: %s (CUDA %v) does not export %s", ErrDriverTooOld, path, d.version, symbol)
		}
	}
	if err := c.Init(); err != nil {
		return nil, initError(path, err)
	}
	return d, nil
}

// initError gives a kind to failures of the initialisation that have none.
func initError(path string, err error) error {
	if errors.Is(err, ErrNoDriver) || errors.Is(err, ErrNoDevice) || errors.Is(err, ErrDriverTooOld) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return fmt.Errorf("%w: %s: %w", ErrNoDevice, path, err)
}
