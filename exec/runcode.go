package exec

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/frondml/frond/ops"
)

// batchError is an error of one row; frame is its frame's place in the batch, or
// -1 when the whole batch fails.
type batchError struct {
	frame int
	in    *instr
	err   error
}

// runCode executes instructions. On an error of a row the rest is not executed.
func (x *engine) runCode(instrs []instr) (failed *batchError) {
	if x.dev != nil {
		return x.dev.run(instrs)
	}
	var current *instr
	defer func() {
		if p := recover(); p != nil {
			failed = &batchError{-1, current, fmt.Errorf("%w: %v", ErrPanic, p)}
		}
	}()
	var clock time.Time
	counts := x.meter.of(instrs)
	if counts != nil {
		clock = time.Now()
	}
	for i := range instrs {
		current = &instrs[i]
		if current.kind == doFused && (counts != nil || x.opts.CheckFinite) {
			if failed := x.partByPart(current, &counts, &clock); failed != nil {
				return failed
			}
			continue
		}
		err := x.instruction(current)
		if err == nil && x.opts.CheckFinite && current.node != nil {
			err = x.checkFinite(current)
		}
		if counts != nil {
			clock = counts[0].note(x.run, current, clock)
			counts = counts[1:]
		}
		if err != nil {
			return x.rowFailed(current, err)
		}
	}
	return nil
}

// rowFailed finds the frame of the row that an error names.
func (x *engine) rowFailed(in *instr, err error) *batchError {
	var re *ops.RowError
	if !errors.As(err, &re) {
		return &batchError{-1, in, err}
	}
	frame := re.Row
	if frame < 0 || frame >= max(x.run.n, x.run.count(in.space)) {
		return &batchError{-1, in, fmt.Errorf("%w: the kernel reports row %d, which does not exist: %w", ErrPanic, re.Row, re.Err)}
	}
	if in.space != frameSpace && in.kind != doSegments && in.kind != doSameLength {
		frame = int(x.run.spaces[in.space].rowOf[re.Row])
	}
	return &batchError{frame, in, re.Err}
}

// checkFinite looks for the first row of the result that is not finite.
func (x *engine) checkFinite(in *instr) error {
	if in.kind != doRows && in.kind != doSegments && in.kind != doGemm || in.out.kind == inReg {
		return nil
	}
	q := x.rows(&in.out, 0)
	if q.F == nil {
		return nil
	}
	for j := range x.run.count(in.out.space) {
		if err := finiteRow(j, q.Row(j, in.size)); err != nil {
			return err
		}
	}
	return nil
}

// firstNotFinite looks for the first row that is not finite.
func firstNotFinite(rows []float32, size int) error {
	for j := 0; j*size < len(rows); j++ {
		if err := finiteRow(j, rows[j*size:(j+1)*size]); err != nil {
			return err
		}
	}
	return nil
}

func finiteRow(j int, row []float32) error {
	for _, v := range row {
		if d := v - v; d != 0 {
			return &ops.RowError{Row: j, Err: fmt.Errorf("%w: %v", ErrNonFinite, nameFloat(v))}
		}
	}
	return nil
}

func nameFloat(v float32) string {
	if math.IsNaN(float64(v)) {
		return "NaN"
	}
	return fmt.Sprint(v)
}
