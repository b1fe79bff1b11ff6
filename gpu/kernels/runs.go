package kernels

import (
	"fmt"
	"math"

	"github.com/frondml/frond/gpu"
)

// Runs says which rows of a matrix belong together: those of run i follow each other.
// They are the elements of a list, or what is reduced along an axis: a tensor
// `[a b c]` is a matrix `[a*b c]` with a runs of b rows.
type Runs struct {
	N int
	// Start is a list of N+1 int32: run i is the rows Start[i] up to Start[i+1].
	Start gpu.Buffer
	// Without Start, run i is the rows i*Length up to (i+1)*Length or to the last one.
	Length int
}

// check returns what is wrong with runs, as far as the host can tell.
func (r Runs) check() error {
	if r.Start != (gpu.Buffer{}) {
		return checkList("Start", r.Start, r.N+1)
	}
	if r.N < 0 || r.N > math.MaxInt32 || r.Length < 0 || r.Length > math.MaxInt32 {
		return fmt.Errorf("%w: %d runs of %d rows", gpu.ErrArgument, r.N, r.Length)
	}
	return nil
}

// maxColumnBlocks bounds the blocks along the columns; each does several if need be.
const maxColumnBlocks = 1024

// grid returns the blocks for columns of all runs, as cuda/rows.cuh expects them.
func (r Runs) grid(columns int) gpu.Grid {
	g := rowsGrid(r.N)
	g.Blocks.Y = min(blocksOf(columns, columnsPerBlock), maxColumnBlocks)
	return g
}

// blocksOf returns how many blocks of a size cover n items.
func blocksOf(n, size int) int { return (n + size - 1) / size }

// sameShape returns what is wrong with matrices that should have one shape.
func sameShape(matrices ...Matrix) error {
	for i, m := range matrices {
		if err := m.check("a matrix"); err != nil {
			return err
		}
		if m.Rows != matrices[0].Rows || m.Columns != matrices[0].Columns {
			return fmt.Errorf("%w: %v and %v, want one shape", gpu.ErrArgument, matrices[0], matrices[i])
		}
	}
	return nil
}
