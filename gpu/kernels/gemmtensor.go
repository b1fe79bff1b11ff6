package kernels

import (
	_ "embed"
	"fmt"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/gemm_tensor.ptx
var gemmTensorPTX string

type tensorKernels [precisionCount][2][2]*gpu.Kernel // by which operand is transposed

func (k *tensorKernels) module() module {
	m := module{gemmTensorPTX, map[string]**gpu.Kernel{}}
	for precision, name := range []string{"tf32", "bf16"} {
		for a, left := range []string{"n", "t"} {
			for b, right := range []string{"n", "t"} {
				m.kernels["gemm_"+name+"_"+left+right] = &k[precision][a][b]
			}
		}
	}
	return m
}

// Precision is how the factors of a product are rounded for tensor cores. Their range
// is that of float32.
type Precision int

// Precisions.
const (
	TF32 Precision = iota // 11 significant bits: errors of up to 2^-11 per factor
	BF16                  // 8 significant bits: errors of up to 2^-8 per factor
	precisionCount
)

// tensorTile is the tile of cuda/gemm_tensor.cu.
const tensorTile = 64

// TensorGEMM computes a product as [Set.GEMM] does, on tensor cores, which round the
// factors. The inner dimension is cut as split says; the zero Split does not cut it. In
// which order a tensor core adds is its own affair: results may differ between kinds of
// devices, but do not from run to run, unless AnyOrder is asked for.
func (k *Set) TensorGEMM(s *gpu.Stream, p GEMM, precision Precision, split Split) error {
	m, n, inner, err := p.shape()
	if err != nil {
		return err
	}
	if precision < 0 || precision >= precisionCount {
		return fmt.Errorf("tensor gemm: %w: precision %d", gpu.ErrArgument, precision)
	}
	if m == 0 || n == 0 {
		return nil
	}
	d := divided{
		GEMM: p, kernel: k.tensor[precision][number(p.TransposeA)][number(p.TransposeB)],
		tile: tensorTile, slice: split.Slice, tensor: true,
	}
	if split.Slice == 0 {
		d.slice, d.slices = max(splitUnit, blocksOf(inner, splitUnit)*splitUnit), 1
		mode := modeWrite
		if p.Accumulate {
			mode = modeAccumulate
		}
		return d.launch(s, gpu.InOut(p.C.Buffer), gpu.Null(), p.Bias, mode)
	}
	return k.divide(s, d, split)
}
