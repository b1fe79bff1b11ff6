package driver

import (
	"errors"
	"runtime"
	"unsafe"
)

// Dim3 is an extent in blocks or threads. The zero of a component is 0, not 1.
type Dim3 struct{ X, Y, Z uint32 }

// Limits of a [Parameters] block, far beyond what kernels take.
const (
	MaxParameters     = 64
	maxParameterWords = 256
)

// ErrParameters means that a launch has more parameters than a block holds.
var ErrParameters = errors.New("too many kernel parameters")

// Parameters is the list of values that a launch passes to its kernel. It is
// filled anew for each launch, without allocating, and belongs to one goroutine at
// a time. The driver copies the values before the launch returns.
type Parameters struct {
	words     [maxParameterWords]uint64
	addresses [MaxParameters]uintptr // of the parameters within words
	used      int                    // words
	count     int                    // parameters
	pin       runtime.Pinner
}

// NewParameters returns an empty list. It must be closed.
func NewParameters() *Parameters {
	p := &Parameters{}
	// The block holds addresses of itself, which the driver follows.
	p.pin.Pin(p)
	return p
}

// Close releases the list.
func (p *Parameters) Close() { p.pin.Unpin() }

// Reset empties the list.
func (p *Parameters) Reset() { p.used, p.count = 0, 0 }

// Word appends a parameter of at most 8 bytes, given by its bits in the lower part
// of a word.
func (p *Parameters) Word(bits uint64) error {
	cell, err := p.cell(1)
	if err != nil {
		return err
	}
	cell[0] = bits
	return nil
}

// Bytes appends a parameter of any size, a struct passed by value, given by its
// bytes in memory.
func (p *Parameters) Bytes(value []byte) error {
	cell, err := p.cell((len(value) + 7) / 8)
	if err != nil {
		return err
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(cell))), 8*len(cell)), value)
	return nil
}

// Addresses returns the address of the array of the parameters' addresses, the
// kernelParams of cuLaunchKernel. All of it is pinned memory of the list, which must
// be kept alive while the address is in use.
func (p *Parameters) Addresses() uintptr { return uintptr(unsafe.Pointer(&p.addresses[0])) }

// cell appends a parameter of so many words and returns its place.
func (p *Parameters) cell(words int) ([]uint64, error) {
	if p.count == MaxParameters || words < 1 || p.used+words > maxParameterWords {
		return nil, ErrParameters
	}
	cell := p.words[p.used : p.used+words]
	p.addresses[p.count] = uintptr(unsafe.Pointer(&cell[0]))
	p.used += words
	p.count++
	return cell, nil
}

func (c *dynamicCalls) Launch(f Function, grid, block Dim3, shared int, s Stream, p *Parameters) error {
	err := c.call(fnLaunchKernel, uintptr(f),
		uintptr(grid.X), uintptr(grid.Y), uintptr(grid.Z), uintptr(block.X), uintptr(block.Y), uintptr(block.Z),
		uintptr(shared), uintptr(s), p.Addresses(), 0)
	runtime.KeepAlive(p)
	return err
}
