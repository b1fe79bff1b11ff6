package kernels

import (
	_ "embed"
	"errors"
	"fmt"
	"math"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/columns.ptx
var columnsPTX string

type columnKernels struct{ sum, add *gpu.Kernel }

func (k *columnKernels) module() module {
	return module{columnsPTX, map[string]**gpu.Kernel{"sum_columns": &k.sum, "add_columns": &k.add}}
}

// columnChunk is the number of rows that a block of cuda/columns.cu adds.
const columnChunk = 256

// Columns is a sum over the rows of matrices.
type Columns struct {
	X Matrix
	// Y, if it has a buffer, is multiplied with X element by element.
	Y Matrix
	// Accumulate adds to what is in the result.
	Accumulate bool
	// AnyOrder adds parts of the sum when they are ready. It takes less memory, and the
	// last bits of the result may differ from run to run.
	AnyOrder bool
}

// SumColumns adds the rows: out[c] = sum over r of X[r][c] (* Y[r][c]). Out is a list of
// w, X and Y are `[n w]`. Rows are added in chunks of 256, whose sums are then added in
// order. The gradient of a bias is such a sum.
func (k *Set) SumColumns(s *gpu.Stream, out gpu.Buffer, p Columns) error {
	if err := p.check(out); err != nil {
		return fmt.Errorf("sum columns: %w", err)
	}
	n, width := p.X.Rows, p.X.Columns
	out = out.Slice(0, 4*int64(width))
	if p.AnyOrder {
		if !p.Accumulate {
			if err := s.Fill(out, 0); err != nil {
				return err
			}
		}
		return k.columnChunks(s, k.columns.add, out, p)
	}
	parts := Matrix{Rows: blocksOf(n, columnChunk), Columns: width}
	var err error
	if parts.Buffer, err = s.Alloc(4 * int64(parts.Rows) * int64(width)); err != nil {
		return err
	}
	err = k.columnChunks(s, k.columns.sum, parts.Buffer, p)
	if err == nil {
		total := Matrix{Buffer: out, Rows: 1, Columns: width}
		err = k.reduceRuns(s, Sum, total, parts, Runs{N: 1, Length: parts.Rows}, p.Accumulate)
	}
	return errors.Join(err, s.Free(parts.Buffer))
}

func (k *Set) columnChunks(s *gpu.Stream, kernel *gpu.Kernel, out gpu.Buffer, p Columns) error {
	grid := rowsGrid(0)
	grid.Blocks = gpu.Plane(blocksOf(p.X.Rows, columnChunk), blocksOf(p.X.Columns, columnsPerBlock))
	return s.Launch(kernel, grid, gpu.Out(out), optional(p.X.Buffer), integer(p.X.stride()), optional(p.Y.Buffer),
		integer(p.Y.stride()), integer(p.X.Rows), integer(p.X.Columns))
}

func (p *Columns) check(out gpu.Buffer) error {
	err := errors.Join(p.X.check("X"), checkList("out", out, p.X.Columns))
	if p.Y.Buffer != (gpu.Buffer{}) {
		err = errors.Join(err, sameShape(p.X, p.Y))
	}
	if p.X.Rows > math.MaxInt32-columnChunk {
		err = errors.Join(err, fmt.Errorf("%w: X is %v", gpu.ErrArgument, p.X))
	}
	return err
}
