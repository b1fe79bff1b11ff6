package kernels

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/elementwise.ptx
var elementwisePTX string

//go:embed cuda/gemm.ptx
var gemmPTX string

//go:embed cuda/rows.ptx
var rowsPTX string

// Set is the kernels, loaded on a device.
type Set struct {
	modules                                 []*gpu.Module
	multiprocessors                         int
	chain                                   *gpu.Kernel
	gatherRows, scatterAddRows, addSegments *gpu.Kernel
	gemm                                    [2][2]*gpu.Kernel // by which operand is transposed
	gemmSmall                               [2]*gpu.Kernel    // for few rows, by whether B is transposed

	columns      columnKernels
	crossEntropy crossEntropyKernels
	dropout      dropoutKernels
	elements     elementKernels
	fusions      fusedKernels
	maxGradient  maxGradientKernels
	norm         normKernels
	normalize    normalizeKernels
	optimizer    optimizerKernels
	picks        pickKernels
	products     productKernels
	reduce       reduceKernels
	softmax      softmaxKernels
	softplus     softplusKernels
	split        splitKernels
	strides      stridedKernels
	tensor       tensorKernels
	words        wordKernels
}

// module is the PTX of a file with places for its kernels, by name.
type module struct {
	ptx     string
	kernels map[string]**gpu.Kernel
}

// Load loads the kernels on a device.
func Load(d *gpu.Device) (*Set, error) {
	k := &Set{multiprocessors: d.Info().Multiprocessors}
	for _, file := range []module{
		{elementwisePTX, map[string]**gpu.Kernel{"chain": &k.chain}},
		{rowsPTX, map[string]**gpu.Kernel{
			"gather_rows": &k.gatherRows, "scatter_add_rows": &k.scatterAddRows, "add_segments": &k.addSegments,
		}},
		{gemmPTX, map[string]**gpu.Kernel{
			"gemm_nn": &k.gemm[0][0], "gemm_nt": &k.gemm[0][1], "gemm_tn": &k.gemm[1][0], "gemm_tt": &k.gemm[1][1],
			"gemm_small_nn": &k.gemmSmall[0], "gemm_small_nt": &k.gemmSmall[1],
		}},
		k.columns.module(), k.crossEntropy.module(), k.dropout.module(), k.normalize.module(), k.optimizer.module(),
		k.products.module(), k.reduce.module(), k.softmax.module(), k.split.module(), k.strides.module(), k.tensor.module(),
		k.softplus.module(), k.words.module(), k.elements.module(), k.fusions.module(), k.norm.module(), k.maxGradient.module(), k.picks.module(),
	} {
		m, err := d.Load(file.ptx)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("kernels: %w", err), k.Close())
		}
		k.modules = append(k.modules, m)
		for name, kernel := range file.kernels {
			if *kernel, err = m.Kernel(name); err != nil {
				return nil, errors.Join(fmt.Errorf("kernels: %w", err), k.Close())
			}
		}
	}
	return k, nil
}

// Close gives the kernels back. No work may be using them.
func (k *Set) Close() error {
	var err error
	for _, m := range k.modules {
		err = errors.Join(err, m.Close())
	}
	k.modules = nil
	return err
}
