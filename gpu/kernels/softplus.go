package kernels

import (
	_ "embed"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/softplus.ptx
var softplusPTX string

type softplusKernels struct{ softplus *gpu.Kernel }

func (k *softplusKernels) module() module {
	return module{softplusPTX, map[string]**gpu.Kernel{"softplus": &k.softplus}}
}

// Softplus computes out[i] = log(1 + exp(x[i])), without overflow, for every float32 of
// out, which may be x. Its error is below 3 units in the last place.
func (k *Set) Softplus(s *gpu.Stream, out, x gpu.Buffer) error {
	return k.convert(s, k.softplus.softplus, out, x)
}
