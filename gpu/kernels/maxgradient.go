package kernels

import (
	_ "embed"
	"errors"
	"fmt"
	"math"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/max_gradient.ptx
var maxGradientPTX string

type maxGradientKernels struct{ maxGradient *gpu.Kernel }

func (k *maxGradientKernels) module() module {
	return module{maxGradientPTX, map[string]**gpu.Kernel{"max_gradient": &k.maxGradient}}
}

// MaxGradient says what a maximum was taken of: run r is Length rows of Width columns,
// or, where there are Lists, Length rows for each of the elements Lists[r] up to
// Lists[r+1], of which there are ListRows in all.
type MaxGradient struct {
	Runs, Length, Width int
	Lists               gpu.Buffer // a list of Runs+1 int32
	ListRows            int
}

// MaxGradient computes the gradient of x from its maxima y over the rows of every run
// and the gradient g of these: out[j][c] = g[r][c] in the first row j of run r with
// x[j][c] = y[r][c], and 0 elsewhere. NaN equals NaN. Y and g are `[runs w]`, without
// gaps like x and out.
func (k *Set) MaxGradient(s *gpu.Stream, out, x, y, g gpu.Buffer, p MaxGradient) error {
	rows := p.Runs
	var err error
	if p.Lists != (gpu.Buffer{}) {
		rows = p.ListRows
		err = checkList("Lists", p.Lists, p.Runs+1)
	}
	for _, n := range []int{p.Runs, p.Length, p.Width, rows} {
		if n < 0 || n > math.MaxInt32 {
			err = errors.Join(err, fmt.Errorf("%w: %+v", gpu.ErrArgument, p))
		}
	}
	err = errors.Join(err, checkMatrices("x", x, rows, p.Length, p.Width), checkMatrices("out", out, rows, p.Length, p.Width),
		checkMatrices("y", y, p.Runs, 1, p.Width), checkMatrices("g", g, p.Runs, 1, p.Width))
	if err != nil {
		return fmt.Errorf("max gradient: %w", err)
	}
	return s.Launch(k.maxGradient.maxGradient, Runs{N: p.Runs}.grid(p.Width), gpu.Out(out), optional(x), gpu.In(y), gpu.In(g),
		optional(p.Lists), integer(p.Length), integer(rows), integer(p.Runs), integer(p.Width))
}
