package kernels

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/gemm_split.ptx
var gemmSplitPTX string

type splitKernels struct {
	gemm  [2][2]*gpu.Kernel // by which operand is transposed
	parts *gpu.Kernel
}

func (k *splitKernels) module() module {
	return module{gemmSplitPTX, map[string]**gpu.Kernel{
		"gemm_split_nn": &k.gemm[0][0], "gemm_split_nt": &k.gemm[0][1], "gemm_split_tn": &k.gemm[1][0],
		"gemm_split_tt": &k.gemm[1][1], "gemm_parts": &k.parts,
	}}
}

// Tiles of cuda/gemm_split.cu.
const (
	splitTile    = 64
	splitUnit    = 32 // what slices are multiples of
	splitThreads = 256
	maxSlices    = 1<<16 - 1 // a limit of grids
)

// Split says how the inner dimension of a product is cut, so that products with a
// small result, such as gradients of weights, occupy the whole device.
type Split struct {
	// Slice is the length of a piece of the inner dimension, a multiple of 32.
	Slice int
	// AnyOrder adds the sums of the pieces to C when they are ready. It takes no memory
	// beside C, and the last bits of the result may differ from run to run.
	AnyOrder bool
}

// SplitGEMM computes a product as [Set.GEMM] does, but in pieces of the inner dimension.
// Unless AnyOrder is asked for, their sums are added in order, and the result has the
// same bits every time. C must not overlap anything else.
func (k *Set) SplitGEMM(s *gpu.Stream, p GEMM, split Split) error {
	if _, _, _, err := p.shape(); err != nil {
		return err
	}
	kernel := k.split.gemm[number(p.TransposeA)][number(p.TransposeB)]
	return k.divide(s, divided{GEMM: p, kernel: kernel, tile: splitTile, slice: split.Slice}, split)
}

// divided is a product of checked shape that is computed in pieces.
type divided struct {
	GEMM
	kernel *gpu.Kernel
	tile   int
	slice  int  // elements of the inner dimension in a piece
	slices int  // pieces
	tensor bool // the kernel is one of cuda/gemm_tensor.cu
}

// Modes of cuda/gemm_tensor.cu: what becomes of a sum.
const (
	modeWrite = iota
	modeAccumulate
	modeAtomic
)

// maxDivided bounds the result of a product that is worth dividing.
const maxDivided = 1 << 24

// inner returns the length of the inner dimension.
func (p *GEMM) inner() int {
	if p.TransposeB {
		return p.B.Columns
	}
	return p.B.Rows
}

// divide computes a product in pieces.
func (k *Set) divide(s *gpu.Stream, d divided, split Split) error {
	m, n := d.C.Rows, d.C.Columns
	if d.slice < splitUnit || d.slice%splitUnit != 0 || blocksOf(d.inner(), d.slice) > maxSlices || int64(m)*int64(n) > maxDivided {
		return fmt.Errorf("gemm: %w: an inner dimension of %d in slices of %d, for %v", gpu.ErrArgument, d.inner(), d.slice, d.C)
	}
	d.slices = blocksOf(d.inner(), d.slice)
	if split.AnyOrder {
		if err := k.addParts(s, d.GEMM, gpu.Buffer{}, 0); err != nil {
			return err
		}
		return d.launch(s, gpu.InOut(d.C.Buffer), gpu.Null(), gpu.Buffer{}, modeAtomic)
	}
	parts, err := s.Alloc(4 * int64(d.slices) * int64(m) * int64(n))
	if err != nil {
		return err
	}
	err = d.launch(s, gpu.Null(), gpu.Out(parts), gpu.Buffer{}, modeWrite)
	if err == nil {
		err = k.addParts(s, d.GEMM, parts, d.slices)
	}
	return errors.Join(err, s.Free(parts))
}

// launch computes the products of the pieces, into c or into parts.
func (d *divided) launch(s *gpu.Stream, c, parts gpu.Arg, bias gpu.Buffer, mode int) error {
	grid := gpu.Grid{
		Blocks:  gpu.Dim3{X: blocksOf(d.C.Columns, d.tile), Y: blocksOf(d.C.Rows, d.tile), Z: d.slices},
		Threads: gpu.Line(splitThreads),
	}
	args := []gpu.Arg{
		c, integer(d.C.stride()), parts, optional(d.A.Buffer), integer(d.A.stride()), optional(d.Index),
		integer(d.A.Rows), optional(d.B.Buffer), integer(d.B.stride()),
	}
	if d.tensor {
		args = append(args, optional(bias))
	}
	args = append(args, integer(d.C.Rows), integer(d.C.Columns), integer(d.inner()), integer(d.slice))
	if d.tensor {
		args = append(args, integer(mode))
	}
	return s.Launch(d.kernel, grid, args...)
}

// addParts sets C to the bias and the sum of the pieces, or adds them to it.
func (k *Set) addParts(s *gpu.Stream, p GEMM, parts gpu.Buffer, slices int) error {
	total := p.C.Rows * p.C.Columns
	return s.Launch(k.split.parts, gpu.Cover(total, wordThreads), gpu.InOut(p.C.Buffer), integer(p.C.stride()),
		optional(parts), integer(slices), optional(p.Bias), integer(p.C.Columns), integer(number(p.Accumulate)), integer(total))
}
