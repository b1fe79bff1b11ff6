package gpu

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/frondml/frond/gpu/driver"
)

// Module is compiled code. It is safe for concurrent use.
type Module struct {
	device  *Device
	handle  driver.Module
	kernels map[string]*Kernel
	closed  atomic.Bool
}

// Kernel is a function of a module that can be launched. It is immutable.
type Kernel struct {
	name       string
	op         operation
	module     *Module
	device     *Device
	function   driver.Function
	parameters []parameter
	threads    int // at most, per block
	registers  int
	local      int
}

// Load compiles PTX for the device, which takes the driver milliseconds to seconds,
// and finds all its kernels. The error of a failed compilation has its log.
func (d *Device) Load(ptx string) (*Module, error) {
	declared, err := signatures(ptx)
	if err != nil {
		return nil, err
	}
	m := &Module{device: d, kernels: map[string]*Kernel{}}
	err = d.do(func(c *driver.Caller) error {
		if m.handle, err = c.LoadModule(ptx); err != nil {
			return err
		}
		d.mu.Lock()
		d.modules[m] = struct{}{}
		d.mu.Unlock()
		if err = m.resolve(c, declared); err != nil {
			return first(err, m.unload(c))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// resolve fetches all functions of a module now: a driver that loads code when it is
// first used would stop the device in the middle of work.
func (m *Module) resolve(c *driver.Caller, declared map[string][]parameter) error {
	for name, parameters := range declared {
		k := &Kernel{name: name, op: operation{"launch of " + name}, module: m, device: m.device, parameters: parameters}
		if err := k.resolve(c); err != nil {
			return err
		}
		m.kernels[name] = k
	}
	return nil
}

// unload gives a module back. One that the driver does not take is left to the
// device's Close.
func (m *Module) unload(c *driver.Caller) error {
	if err := c.UnloadModule(m.handle); err != nil {
		return err
	}
	m.device.mu.Lock()
	defer m.device.mu.Unlock()
	delete(m.device.modules, m)
	return nil
}

func (k *Kernel) resolve(c *driver.Caller) (err error) {
	if k.function, err = c.Function(k.module.handle, k.name); err != nil {
		return err
	}
	for attribute, value := range map[driver.FunctionAttribute]*int{
		driver.FunctionMaxThreads:  &k.threads,
		driver.FunctionRegisters:   &k.registers,
		driver.FunctionLocalMemory: &k.local,
	} {
		if *value, err = c.FunctionAttribute(k.function, attribute); err != nil {
			return err
		}
	}
	return nil
}

// Kernel finds a kernel by name.
func (m *Module) Kernel(name string) (*Kernel, error) {
	k, ok := m.kernels[name]
	if !ok {
		return nil, fmt.Errorf("%w: the module has no kernel %q", ErrArgument, name)
	}
	return k, nil
}

// Close gives a module back. No work may be using its kernels.
func (m *Module) Close() error {
	if !m.closed.CompareAndSwap(false, true) {
		return errModuleClosed
	}
	return m.device.do(m.unload)
}

var errModuleClosed = fmt.Errorf("module: %w", ErrClosed)

// do makes calls about a kernel.
func (k *Kernel) do(f func(*driver.Caller) error) error {
	if k.module.closed.Load() {
		return errModuleClosed
	}
	return k.device.do(f)
}

// Name returns the kernel's name.
func (k *Kernel) Name() string { return k.name }

// MaxThreads returns the largest number of threads per block.
func (k *Kernel) MaxThreads() int { return k.threads }

// Resources returns what each thread takes: registers, and bytes of local memory.
func (k *Kernel) Resources() (registers, local int) { return k.registers, k.local }

// Occupancy returns how many blocks of so many threads and so many bytes of shared
// memory, beyond what the kernel declares, a multiprocessor runs at once.
func (k *Kernel) Occupancy(threads, shared int) (blocks int, err error) {
	err = k.do(func(c *driver.Caller) error {
		blocks, err = c.Occupancy(k.function, threads, shared)
		return err
	})
	return blocks, err
}

// AllowShared lets launches add up to so many bytes of shared memory, which above
// 48 KiB the driver wants to be told.
func (k *Kernel) AllowShared(bytes int) error {
	return k.do(func(c *driver.Caller) error {
		return c.SetFunctionAttribute(k.function, driver.FunctionMaxDynamicShared, bytes)
	})
}

// signature describes the parameters, as "(8 bytes, 4 bytes real)".
func (k *Kernel) signature() string {
	var list []string
	for _, p := range k.parameters {
		real := ""
		if p.real {
			real = " real"
		}
		list = append(list, fmt.Sprintf("%d bytes%s", p.size, real))
	}
	return "(" + strings.Join(list, ", ") + ")"
}
