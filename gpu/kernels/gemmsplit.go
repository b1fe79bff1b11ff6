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
	splitTile    = 32
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
	m, n, inner, err := p.shape()
	if err != nil {
		return err
	}
	if split.Slice < splitTile || split.Slice%splitTile != 0 || blocksOf(inner, split.Slice) > maxSlices || int64(m)*int64(n) > maxSplitElements {
		return fmt.Errorf("split gemm: %w: an inner dimension of %d in slices of %d, for f32[%d %d]", gpu.ErrArgument, inner, split.Slice, m, n)
	}
	if m == 0 || n == 0 {
		return nil
	}
	slices := blocksOf(inner, split.Slice)
	if split.AnyOrder {
		if err := k.addParts(s, p, gpu.Buffer{}, 0); err != nil {
			return err
		}
		return k.slices(s, p, split.Slice, gpu.InOut(p.C.Buffer), gpu.Null())
	}
	parts, err := s.Alloc(4 * int64(slices) * int64(m) * int64(n))
	if err != nil {
		return err
	}
	err = k.slices(s, p, split.Slice, gpu.Null(), gpu.Out(parts))
	if err == nil {
		err = k.addParts(s, p, parts, slices)
	}
	return errors.Join(err, s.Free(parts))
}

// maxSplitElements bounds the result of a product that is worth splitting.
const maxSplitElements = 1 << 24

// slices launches the products of the pieces.
func (k *Set) slices(s *gpu.Stream, p GEMM, slice int, c, parts gpu.Arg) error {
	m, n, inner, err := p.shape()
	if err != nil {
		return err
	}
	grid := gpu.Grid{
		Blocks:  gpu.Dim3{X: blocksOf(n, splitTile), Y: blocksOf(m, splitTile), Z: blocksOf(inner, slice)},
		Threads: gpu.Line(splitThreads),
	}
	return s.Launch(k.split.gemm[number(p.TransposeA)][number(p.TransposeB)], grid,
		c, integer(p.C.stride()), parts, optional(p.A.Buffer), integer(p.A.stride()), optional(p.Index), integer(p.A.Rows),
		optional(p.B.Buffer), integer(p.B.stride()), integer(m), integer(n), integer(inner), integer(slice))
}

// addParts sets C to the bias and the sum of the pieces, or adds them to it.
func (k *Set) addParts(s *gpu.Stream, p GEMM, parts gpu.Buffer, slices int) error {
	total := p.C.Rows * p.C.Columns
	return s.Launch(k.split.parts, gpu.Cover(total, wordThreads), gpu.InOut(p.C.Buffer), integer(p.C.stride()),
		optional(parts), integer(slices), optional(p.Bias), integer(p.C.Columns), integer(number(p.Accumulate)), integer(total))
}
