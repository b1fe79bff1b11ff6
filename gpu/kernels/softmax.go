package kernels

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/softmax.ptx
var softmaxPTX string

// softmaxKernels are in pairs: the softmax, and its logarithm.
type softmaxKernels struct {
	rows, rowsGradient, runs, runsGradient [2]*gpu.Kernel
}

func (k *softmaxKernels) module() module {
	return module{softmaxPTX, map[string]**gpu.Kernel{
		"softmax_rows": &k.rows[0], "softmax_rows_gradient": &k.rowsGradient[0],
		"softmax_runs": &k.runs[0], "softmax_runs_gradient": &k.runsGradient[0],
		"log_softmax_rows": &k.rows[1], "log_softmax_rows_gradient": &k.rowsGradient[1],
		"log_softmax_runs": &k.runs[1], "log_softmax_runs_gradient": &k.runsGradient[1],
	}}
}

// Softmax normalises every row: out[r][c] = exp(x[r][c]) / sum(exp(x[r])), computed
// without overflow. Out and x are `[n w]` and may be the same.
func (k *Set) Softmax(s *gpu.Stream, out, x Matrix) error {
	return k.overRows(s, k.softmax.rows[0], out, x)
}

// LogSoftmax is the logarithm of [Set.Softmax], computed without forming it.
func (k *Set) LogSoftmax(s *gpu.Stream, out, x Matrix) error {
	return k.overRows(s, k.softmax.rows[1], out, x)
}

// SoftmaxGradient computes the gradient of the input of [Set.Softmax] from its result
// y and the gradient g of that: out[r][c] = y[r][c] * (g[r][c] - sum(y[r]*g[r])). All
// are `[n w]`; out may be y or g.
func (k *Set) SoftmaxGradient(s *gpu.Stream, out, y, g Matrix) error {
	return k.overRows(s, k.softmax.rowsGradient[0], out, y, g)
}

// LogSoftmaxGradient computes the gradient of the input of [Set.LogSoftmax] from its
// result y and the gradient g of that: out[r][c] = g[r][c] - exp(y[r][c]) * sum(g[r]).
func (k *Set) LogSoftmaxGradient(s *gpu.Stream, out, y, g Matrix) error {
	return k.overRows(s, k.softmax.rowsGradient[1], out, y, g)
}

// SoftmaxRuns normalises the columns of every run: out[j][c] = exp(x[j][c]) / the sum
// over the rows i of j's run of exp(x[i][c]). Out and x are `[. w]` and may be the same.
func (k *Set) SoftmaxRuns(s *gpu.Stream, runs Runs, out, x Matrix) error {
	return k.overRuns(s, k.softmax.runs[0], runs, out, x)
}

// LogSoftmaxRuns is the logarithm of [Set.SoftmaxRuns].
func (k *Set) LogSoftmaxRuns(s *gpu.Stream, runs Runs, out, x Matrix) error {
	return k.overRuns(s, k.softmax.runs[1], runs, out, x)
}

// SoftmaxRunsGradient is [Set.SoftmaxGradient] for [Set.SoftmaxRuns].
func (k *Set) SoftmaxRunsGradient(s *gpu.Stream, runs Runs, out, y, g Matrix) error {
	return k.overRuns(s, k.softmax.runsGradient[0], runs, out, y, g)
}

// LogSoftmaxRunsGradient is [Set.LogSoftmaxGradient] for [Set.LogSoftmaxRuns].
func (k *Set) LogSoftmaxRunsGradient(s *gpu.Stream, runs Runs, out, y, g Matrix) error {
	return k.overRuns(s, k.softmax.runsGradient[1], runs, out, y, g)
}

// overRows launches a kernel over the rows of matrices of one shape.
func (k *Set) overRows(s *gpu.Stream, kernel *gpu.Kernel, out Matrix, in ...Matrix) error {
	if err := sameShape(append(in, out)...); err != nil {
		return fmt.Errorf("%s: %w", kernel.Name(), err)
	}
	args := append(matrices(out, in), integer(out.Rows), integer(out.Columns))
	return s.Launch(kernel, rowsGrid(out.Rows), args...)
}

// overRuns launches a kernel over runs of rows of matrices of one shape.
func (k *Set) overRuns(s *gpu.Stream, kernel *gpu.Kernel, runs Runs, out Matrix, in ...Matrix) error {
	if err := errors.Join(sameShape(append(in, out)...), runs.check()); err != nil {
		return fmt.Errorf("%s: %w", kernel.Name(), err)
	}
	args := append(matrices(out, in), integer(out.Rows), optional(runs.Start), integer(runs.Length), integer(runs.N), integer(out.Columns))
	return s.Launch(kernel, runs.grid(out.Columns), args...)
}

// matrices passes a result and its operands, each with its stride.
func matrices(out Matrix, in []Matrix) []gpu.Arg {
	args := []gpu.Arg{gpu.Out(out.Buffer), integer(out.stride())}
	for _, m := range in {
		args = append(args, optional(m.Buffer), integer(m.stride()))
	}
	return args
}
