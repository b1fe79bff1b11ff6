package gpu

import (
	"fmt"
	"math"

	"github.com/frondml/frond/gpu/driver"
)

// Dim3 is an extent in blocks or threads. It is empty if a component is 0.
type Dim3 struct{ X, Y, Z int }

// Line returns the extent of n in a row.
func Line(n int) Dim3 { return Dim3{n, 1, 1} }

// Plane returns the extent of x times y.
func Plane(x, y int) Dim3 { return Dim3{x, y, 1} }

// Grid says how many threads a launch has.
type Grid struct {
	Blocks  Dim3
	Threads Dim3 // per block
	Shared  int  // bytes of shared memory per block, beyond what the kernel declares
}

// Cover returns a grid with at least one thread for each of n items.
func Cover(n, threads int) Grid {
	if threads < 1 {
		return Grid{}
	}
	return Grid{Blocks: Line((max(n, 0) + threads - 1) / threads), Threads: Line(threads)}
}

type argKind uint8

const (
	argNone argKind = iota
	argBuffer
	argWord
	argReal
	argBytes
)

// Arg is an argument of a launch.
type Arg struct {
	kind     argKind
	write    bool
	indirect bool
	size     int8 // of argWord
	buffer   Buffer
	bits     uint64
	bytes    []byte
}

// In passes the address of a buffer that the kernel reads.
func In(b Buffer) Arg { return Arg{kind: argBuffer, buffer: b} }

// Out passes the address of a buffer that the kernel writes.
func Out(b Buffer) Arg { return Arg{kind: argBuffer, buffer: b, write: true} }

// InOut passes the address of a buffer that the kernel reads and writes.
func InOut(b Buffer) Arg { return Out(b) }

// Indirect declares the use of a buffer whose address is not an argument, because
// the kernel finds it elsewhere.
func (a Arg) Indirect() Arg {
	a.indirect = true
	return a
}

// I32 passes an integer of 32 bits.
func I32(v int32) Arg { return Arg{kind: argWord, size: 4, bits: uint64(uint32(v))} }

// U32 passes an unsigned integer of 32 bits.
func U32(v uint32) Arg { return Arg{kind: argWord, size: 4, bits: uint64(v)} }

// I64 passes an integer of 64 bits.
func I64(v int64) Arg { return Arg{kind: argWord, size: 8, bits: uint64(v)} }

// F32 passes a floating-point number.
func F32(v float32) Arg { return Arg{kind: argReal, size: 4, bits: uint64(math.Float32bits(v))} }

// Bytes passes a struct by value, given by its bytes in memory.
func Bytes(v []byte) Arg { return Arg{kind: argBytes, bytes: v} }

// Null passes an address that the kernel must not use.
func Null() Arg { return Arg{kind: argWord, size: 8} }

// fits reports whether an argument can be what a kernel declares.
func (a *Arg) fits(p parameter) bool {
	switch a.kind {
	case argBuffer:
		return p.size == 8 && !p.real
	case argWord:
		return p.size == int(a.size) && !p.real
	case argReal:
		return p.size == int(a.size) && p.real
	case argBytes:
		return p.size == len(a.bytes)
	default:
		return false
	}
}

// describe says what an argument is, for errors.
func (a *Arg) describe() string {
	switch a.kind {
	case argBuffer:
		return "a buffer (8 bytes)"
	case argReal:
		return fmt.Sprintf("%d bytes real", a.size)
	case argBytes:
		return fmt.Sprintf("%d bytes", len(a.bytes))
	default:
		return fmt.Sprintf("%d bytes", a.size)
	}
}

// Launch puts a kernel into the stream. The arguments, without the indirect ones,
// must be those that the kernel declares; they tell which buffers it reads and
// writes. A grid without blocks is no work and no error.
func (s *Stream) Launch(k *Kernel, g Grid, args ...Arg) error {
	if k == nil {
		return s.failed(&opLaunch, fmt.Errorf("%w: no kernel", ErrArgument))
	}
	if err := s.enter(&k.op); err != nil {
		return err
	}
	defer s.leave()
	return s.failed(&k.op, s.launch(k, g, args))
}

func (s *Stream) launch(k *Kernel, g Grid, args []Arg) error {
	if k.device != s.device {
		return fmt.Errorf("%w: the kernel is of another device", ErrArgument)
	}
	if k.module.closed.Load() {
		return errModuleClosed
	}
	if err := s.pass(k, args); err != nil {
		return err
	}
	blocks, threads, err := g.extents(k)
	if err != nil || blocks.X == 0 {
		return err
	}
	if err := s.before(&k.op, args); err != nil {
		return err
	}
	s.declare(args)
	if err := s.caller.Launch(k.function, blocks, threads, g.Shared, s.handle, s.parameters); err != nil {
		return s.device.noted(err)
	}
	s.after(&k.op, args)
	return nil
}

// declare tells a library that checks the accesses of kernels what this one declares.
func (s *Stream) declare(args []Arg) {
	if !s.device.options.Check || !s.device.driver.ChecksAccess() {
		return
	}
	for i := range args {
		if a := &args[i]; a.kind == argBuffer {
			s.caller.DeclareAccess(a.buffer.pointer(), a.buffer.size, a.write)
		}
	}
}

// pass fills the parameter list.
func (s *Stream) pass(k *Kernel, args []Arg) error {
	s.parameters.Reset()
	n := 0
	for i := range args {
		a := &args[i]
		if a.kind == argBuffer {
			if err := a.buffer.valid(); err != nil {
				return fmt.Errorf("argument %d: %w", i, err)
			}
		}
		if a.indirect {
			continue
		}
		if n < len(k.parameters) && !a.fits(k.parameters[n]) {
			return fmt.Errorf("%w: argument %d is %s, want %s", ErrArgument, i, a.describe(), k.signature())
		}
		n++
		var err error
		switch a.kind {
		case argBuffer:
			err = s.parameters.Word(uint64(a.buffer.pointer()))
		case argBytes:
			err = s.parameters.Bytes(a.bytes)
		default:
			err = s.parameters.Word(a.bits)
		}
		if err != nil {
			return err
		}
	}
	if n != len(k.parameters) {
		return fmt.Errorf("%w: %d arguments, want %d: %s", ErrArgument, n, len(k.parameters), k.signature())
	}
	return nil
}

// Limits of CUDA grids of every compute capability.
const (
	maxBlocksX  = 1<<31 - 1
	maxBlocksYZ = 1<<16 - 1
	maxThreadsZ = 64
)

// extents checks a grid and turns it into what the driver takes.
func (g Grid) extents(k *Kernel) (blocks, threads driver.Dim3, err error) {
	b, t := g.Blocks, g.Threads
	if min(b.X, b.Y, b.Z) < 0 || b.X > maxBlocksX || max(b.Y, b.Z) > maxBlocksYZ {
		return blocks, threads, fmt.Errorf("%w: a grid of %d x %d x %d blocks", ErrArgument, b.X, b.Y, b.Z)
	}
	if min(t.X, t.Y, t.Z) < 1 || max(t.X, t.Y) > k.threads || t.Z > maxThreadsZ || t.X*t.Y*t.Z > k.threads {
		return blocks, threads, fmt.Errorf("%w: blocks of %d x %d x %d threads, want at most %d", ErrArgument, t.X, t.Y, t.Z, k.threads)
	}
	if g.Shared < 0 || g.Shared > math.MaxInt32 {
		return blocks, threads, fmt.Errorf("%w: %d bytes of shared memory", ErrArgument, g.Shared)
	}
	if b.X == 0 || b.Y == 0 || b.Z == 0 {
		return driver.Dim3{}, threads, nil
	}
	return driver.Dim3{X: uint32(b.X), Y: uint32(b.Y), Z: uint32(b.Z)},
		driver.Dim3{X: uint32(t.X), Y: uint32(t.Y), Z: uint32(t.Z)}, nil
}
