package kernels

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/cross_entropy.ptx
var crossEntropyPTX string

type crossEntropyKernels struct{ loss, gradient *gpu.Kernel }

func (k *crossEntropyKernels) module() module {
	return module{crossEntropyPTX, map[string]**gpu.Kernel{"cross_entropy": &k.loss, "cross_entropy_gradient": &k.gradient}}
}

// CrossEntropy computes the negative logarithm of the probability that softmax gives
// to each label: loss[r] = log(sum(exp(x[r]))) - x[r][label[r]]. Logits x are `[n w]`,
// label is a list of n int32, loss one of n float32. A label that is no class is a
// fault of the device.
func (k *Set) CrossEntropy(s *gpu.Stream, loss gpu.Buffer, x Matrix, label gpu.Buffer) error {
	err := errors.Join(x.check("x"), checkList("loss", loss, x.Rows), checkList("label", label, x.Rows))
	if err != nil {
		return fmt.Errorf("cross-entropy: %w", err)
	}
	return s.Launch(k.crossEntropy.loss, rowsGrid(x.Rows), gpu.Out(loss), optional(x.Buffer), integer(x.stride()),
		gpu.In(label), integer(x.Rows), integer(x.Columns))
}

// CrossEntropyGradient computes the gradient of the logits from that of the losses:
// out[r][c] = g[r] * (softmax(x[r])[c] - 1 if c is label[r], else 0). Out and x are
// `[n w]` and may be the same, label is a list of n int32, g one of n float32.
func (k *Set) CrossEntropyGradient(s *gpu.Stream, out, x Matrix, label, g gpu.Buffer) error {
	err := errors.Join(sameShape(x, out), checkList("label", label, x.Rows), checkList("g", g, x.Rows))
	if err != nil {
		return fmt.Errorf("cross-entropy gradient: %w", err)
	}
	return s.Launch(k.crossEntropy.gradient, rowsGrid(x.Rows), gpu.Out(out.Buffer), integer(out.stride()),
		optional(x.Buffer), integer(x.stride()), gpu.In(label), gpu.In(g), integer(x.Rows), integer(x.Columns))
}
