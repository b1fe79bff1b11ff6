package kernels

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/normalize.ptx
var normalizePTX string

type normalizeKernels struct{ forward, gradient *gpu.Kernel }

func (k *normalizeKernels) module() module {
	return module{normalizePTX, map[string]**gpu.Kernel{"layer_norm": &k.forward, "layer_norm_gradient": &k.gradient}}
}

// LayerNorm has the parameters of a layer normalisation (Ba et al. 2016).
type LayerNorm struct {
	Gain, Bias gpu.Buffer // lists of w; none for 1 and 0
	Epsilon    float32
}

func (n LayerNorm) check(columns int) error {
	var err error
	if n.Gain != (gpu.Buffer{}) {
		err = checkList("Gain", n.Gain, columns)
	}
	if n.Bias != (gpu.Buffer{}) {
		err = errors.Join(err, checkList("Bias", n.Bias, columns))
	}
	if !(n.Epsilon >= 0) {
		err = errors.Join(err, fmt.Errorf("%w: Epsilon is %v", gpu.ErrArgument, n.Epsilon))
	}
	return err
}

// LayerNorm brings every row to mean 0 and variance 1 before gain and bias: out[r][c] =
// (x[r][c] - mean(x[r])) / sqrt(variance(x[r]) + epsilon) * gain[c] + bias[c]. Out and x
// are `[n w]` and may be the same.
func (k *Set) LayerNorm(s *gpu.Stream, out, x Matrix, n LayerNorm) error {
	if err := errors.Join(sameShape(x, out), n.check(x.Columns)); err != nil {
		return fmt.Errorf("layer norm: %w", err)
	}
	args := append(matrices(out, []Matrix{x}), optional(n.Gain), optional(n.Bias), gpu.F32(n.Epsilon), integer(x.Rows), integer(x.Columns))
	return s.Launch(k.normalize.forward, rowsGrid(x.Rows), args...)
}

// LayerNormGradient computes the gradient of x from the gradient g of the result: with
// h = g*gain and y the normalised row, out = (h - mean(h) - y*mean(h*y)) /
// sqrt(variance + epsilon). All are `[n w]`; out may be x or g. The gradients of bias
// and gain are [Set.SumColumns] of g, and of g times the result without gain and bias.
func (k *Set) LayerNormGradient(s *gpu.Stream, out, x, g Matrix, n LayerNorm) error {
	if err := errors.Join(sameShape(x, g, out), n.check(x.Columns)); err != nil {
		return fmt.Errorf("layer norm gradient: %w", err)
	}
	args := append(matrices(out, []Matrix{x, g}), optional(n.Gain), gpu.F32(n.Epsilon), integer(x.Rows), integer(x.Columns))
	return s.Launch(k.normalize.gradient, rowsGrid(x.Rows), args...)
}
