package cuda

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// Precision is how the factors of matrix products are rounded.
type Precision int

// Precisions. Sums are float32 in all of them, and so is everything but products.
const (
	FP32 Precision = iota // not at all
	TF32                  // to 11 significant bits, on tensor cores
	BF16                  // to 8 significant bits, on tensor cores
	precisionCount
)

// Options say which device to open and how it computes. The zero value opens the first
// device, rounds nothing and needs no library but the driver.
type Options struct {
	GPU       gpu.Options
	Precision Precision
	Products  Products
	// CuBLASLibrary is the path of the library for Products: CuBLAS. If it is empty, the
	// system's loader looks for cublas.Names.
	CuBLASLibrary string
}

// Device is a CUDA device. It is safe for concurrent use.
type Device struct {
	name      string
	gpu       *gpu.Device
	kernels   *kernels.Set
	precision Precision
	blas      *blas // nil where all products are by kernels
	fetches   fetchPool
}

var _ device.Device = (*Device)(nil)

// kernel is what Compile and Fuse return.
type kernel interface {
	// launch issues the kernel. Memory from Stream.scratch is freed behind it.
	launch(s *Stream, c *device.Call) error
}

// Open opens a device. An error says what is missing on the machine: it is one of
// gpu.Open, or cublas.ErrNoLibrary.
func Open(options Options) (*Device, error) {
	if options.Precision < 0 || options.Precision >= precisionCount {
		return nil, fmt.Errorf("cuda: %w: precision %d", gpu.ErrArgument, options.Precision)
	}
	blas, err := openBLAS(options)
	if err != nil {
		return nil, err
	}
	opened, err := gpu.Open(options.GPU)
	if err != nil {
		return nil, translated(err)
	}
	set, err := kernels.Load(opened)
	if err != nil {
		_ = opened.Close()
		return nil, translated(err)
	}
	d := &Device{
		name: fmt.Sprintf("cuda:%d (%s)", options.GPU.Device, opened.Info().Name),
		gpu:  opened, kernels: set, precision: options.Precision, blas: blas,
	}
	if blas != nil {
		d.name = fmt.Sprintf("cuda:%d (%s, cuBLAS %s)", options.GPU.Device, opened.Info().Name, blas.library.Version())
	}
	d.fetches.gpu = opened
	return d, nil
}

// Name implements device.Device.
func (d *Device) Name() string { return d.name }

// Info describes the device.
func (d *Device) Info() gpu.Info { return d.gpu.Info() }

// MemoryStats says what memory the device holds.
func (d *Device) MemoryStats() gpu.MemoryStats { return d.gpu.MemoryStats() }

// Close waits for all work and releases everything that was made on the device. It may be
// in use: from then on calls fail with gpu.ErrClosed. Of a lost device it returns why it was
// lost.
func (d *Device) Close() error {
	d.fetches.close()
	var err error
	if d.blas != nil {
		err = unlessLost(d.blas.close())
	}
	return translated(errors.Join(err, d.gpu.Close()))
}

// Compile implements device.Device.
func (d *Device) Compile(o device.Operator) (device.Kernel, error) { return d.compile(o) }
