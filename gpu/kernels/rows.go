package kernels

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/gpu"
)

// Shape of the blocks of cuda/rows.cu.
const rowsPerBlock, columnsPerBlock = 8, 32

func rowsGrid(n int) gpu.Grid {
	return gpu.Grid{Blocks: gpu.Line((n + rowsPerBlock - 1) / rowsPerBlock), Threads: gpu.Plane(columnsPerBlock, rowsPerBlock)}
}

// GatherRows copies rows of a table: out[r] = table[index[r]], and zeros where the
// index is negative. Out is `[n w]`, table `[. w]`, index a list of n int32.
func (k *Set) GatherRows(s *gpu.Stream, out, table Matrix, index gpu.Buffer) error {
	if err := checkRows("gather", table, out, index); err != nil {
		return err
	}
	return s.Launch(k.gatherRows, rowsGrid(out.Rows),
		gpu.Out(out.Buffer), integer(out.stride()), optional(table.Buffer), integer(table.stride()), integer(table.Rows),
		gpu.In(index), integer(out.Rows), integer(out.Columns))
}

// ScatterAddRows adds rows to those of a table: table[index[r]] += x[r], but for
// negative indices. Table is `[. w]`, x `[n w]`, index a list of n int32. Where
// indices are equal the order of the sum is open, and with it the last bits;
// [Set.AddSegments] does the same in a fixed order.
func (k *Set) ScatterAddRows(s *gpu.Stream, table, x Matrix, index gpu.Buffer) error {
	if err := checkRows("scatter-add", table, x, index); err != nil {
		return err
	}
	return s.Launch(k.scatterAddRows, rowsGrid(x.Rows),
		gpu.InOut(table.Buffer), integer(table.stride()), integer(table.Rows), gpu.In(x.Buffer), integer(x.stride()),
		gpu.In(index), integer(x.Rows), integer(x.Columns))
}

func checkRows(op string, table, x Matrix, index gpu.Buffer) error {
	err := errors.Join(table.check("the table"), x.check("the rows"), checkList("the index", index, x.Rows))
	if err == nil && table.Columns != x.Columns {
		err = fmt.Errorf("%w: the table is %v, the rows %v", gpu.ErrArgument, table, x)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return nil
}

// Segments are lists of rows of a matrix that are added to rows of a table. All
// three buffers are lists of int32 on the device.
type Segments struct {
	Target gpu.Buffer // `[n]`: rows of the table, no two of them equal
	Start  gpu.Buffer // `[n+1]`: where in Source each list begins and the last one ends
	Source gpu.Buffer // rows of the matrix, list by list
	N      int
}

// AddSegments adds rows of x to those of a table, in the order of the lists:
// table[Target[i]] += x[Source[j]] for Start[i] <= j < Start[i+1]. Table is `[. w]`,
// x `[. w]`.
func (k *Set) AddSegments(s *gpu.Stream, table, x Matrix, l Segments) error {
	err := errors.Join(table.check("the table"), x.check("the rows"),
		checkList("Target", l.Target, l.N), checkList("Start", l.Start, l.N+1))
	if err == nil && table.Columns != x.Columns {
		err = fmt.Errorf("%w: the table is %v, the rows %v", gpu.ErrArgument, table, x)
	}
	if err != nil {
		return fmt.Errorf("add segments: %w", err)
	}
	return s.Launch(k.addSegments, rowsGrid(l.N),
		gpu.InOut(table.Buffer), integer(table.stride()), integer(table.Rows), optional(x.Buffer), integer(x.stride()), integer(x.Rows),
		gpu.In(l.Target), gpu.In(l.Start), optional(l.Source), integer(l.N), integer(table.Columns))
}
