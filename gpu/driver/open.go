package driver

import (
	"errors"
	"fmt"
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
	entries [functionCount]uintptr
	version Version

	declareAccess uintptr // 0 in a real driver
}

// Version returns the newest CUDA version that the driver supports.
func (d *Driver) Version() Version { return d.version }

// drivers holds what has been opened. Initialisation is once per process and
// library, and a library is never closed, so neither is this.
var drivers = struct {
	sync.Mutex
	open map[string]*Driver
}{open: map[string]*Driver{}}

// Open finds, loads and initialises the driver. An empty path means [Library],
// looked for where the system's loader looks. Opening a path again returns the
// same driver. The error is an [ErrNoDriver], [ErrDriverTooOld] or [ErrNoDevice].
func Open(path string) (*Driver, error) {
	if path == "" {
		path = Library
	}
	drivers.Lock()
	defer drivers.Unlock()
	if d, ok := drivers.open[path]; ok {
		return d, nil
	}
	d, err := open(path)
	if err != nil {
		return nil, err
	}
	drivers.open[path] = d
	return d, nil
}

func open(path string) (*Driver, error) {
	symbol, err := openLibrary(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoDriver, err)
	}
	d := &Driver{declareAccess: symbol(symbolDeclareAccess)}
	for f := range functionCount {
		d.entries[f] = symbol(symbols[f])
	}
	if d.entries[fnInit] == 0 || d.entries[fnDriverGetVersion] == 0 {
		return nil, fmt.Errorf("%w: %s does not export cuInit", ErrNoDriver, path)
	}
	// The version is asked first: it needs no device and no initialisation, and
	// explains what a failing initialisation would leave in the dark.
	c := d.NewCaller()
	version, err := c.driverVersion()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d.version = version
	if version < MinimumVersion {
		return nil, fmt.Errorf("%w: %s supports CUDA %v, want %v or newer", ErrDriverTooOld, path, version, MinimumVersion)
	}
	for f, entry := range d.entries {
		if entry == 0 {
			return nil, fmt.Errorf("%w: %s (CUDA %v) does not export %s", ErrDriverTooOld, path, version, symbols[f])
		}
	}
	if err := c.init(); err != nil {
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
