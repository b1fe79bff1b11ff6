package kernels

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/dropout.ptx
var dropoutPTX string

type dropoutKernels struct{ dropout, elementKeys *gpu.Kernel }

func (k *dropoutKernels) module() module {
	return module{dropoutPTX, map[string]**gpu.Kernel{"dropout": &k.dropout, "element_keys": &k.elementKeys}}
}

// Dropout says which elements of rows become 0: those that ops.DropoutOp would choose.
type Dropout struct {
	Rate float64    // 0 <= Rate < 1, rounded down to a multiple of 2^-16
	Salt int        // of the operator
	Seed uint64     // of the run; not 0, which means none
	Keys gpu.Buffer // a list of uint32: the key of every row
}

// Dropout sets elements to 0 at random and divides the others by 1-Rate. Out and x are
// `[n w]` and may be the same. The gradient is the dropout of the gradient.
func (k *Set) Dropout(s *gpu.Stream, out, x Matrix, d Dropout) error {
	err := errors.Join(sameShape(x, out), checkList("Keys", d.Keys, x.Rows))
	if !(d.Rate >= 0 && d.Rate < 1) || d.Seed == 0 {
		err = errors.Join(err, fmt.Errorf("%w: rate %v with seed %d, want 0 <= rate < 1 and a seed", gpu.ErrArgument, d.Rate, d.Seed))
	}
	if err != nil {
		return fmt.Errorf("dropout: %w", err)
	}
	args := append(matrices(out, []Matrix{x}), optional(d.Keys), gpu.I64(int64(d.Seed)), gpu.U32(uint32(d.Salt)),
		gpu.U32(uint32(d.Rate*(1<<16))), gpu.F32(float32(1/(1-d.Rate))), integer(x.Rows), integer(x.Columns))
	return s.Launch(k.dropout.dropout, rowsGrid(x.Rows), args...)
}

// ElementKeys computes the keys of list elements for [Dropout]: out[j] is that of row j
// as element of run r in an invocation with key keys[r]. Out has an uint32 for each of
// so many rows, keys one per run.
func (k *Set) ElementKeys(s *gpu.Stream, out, keys gpu.Buffer, rows int, runs Runs) error {
	err := errors.Join(checkList("out", out, rows), checkList("keys", keys, runs.N), runs.check())
	if err != nil {
		return fmt.Errorf("element keys: %w", err)
	}
	return s.Launch(k.dropout.elementKeys, rowsGrid(runs.N), gpu.Out(out), integer(rows), gpu.In(keys),
		optional(runs.Start), integer(runs.Length), integer(runs.N))
}
