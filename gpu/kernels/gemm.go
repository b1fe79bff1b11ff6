package kernels

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/gpu"
)

// GEMM is a matrix product: C = op(A) op(B) + bias, or C += op(A) op(B) + bias, with
// C `[m n]` and op the transposition if asked for.
type GEMM struct {
	C, A, B                Matrix
	TransposeA, TransposeB bool
	// Index, if there is one, is a list of int32: row r of A, not transposed, is row
	// Index[r] of A's buffer, or zeros where the index is negative. A.Rows is then the
	// number of rows in the buffer, and IndexLength that of the list.
	Index       gpu.Buffer
	IndexLength int
	// Bias `[n]`, if there is one, is added to every row.
	Bias gpu.Buffer
	// Accumulate adds to what is in C.
	Accumulate bool
}

// gemmTile is a tile of cuda/gemm.cu.
type gemmTile struct{ rows, threads int }

var largeTile, smallTile = gemmTile{64, 256}, gemmTile{16, 128}

const gemmColumns = 64 // of every tile

// GEMM computes a product. C must not overlap anything else.
func (k *Set) GEMM(s *gpu.Stream, p GEMM) error {
	m, n, inner, err := p.shape()
	if err != nil {
		return err
	}
	c := gpu.Out(p.C.Buffer)
	if p.Accumulate {
		c = gpu.InOut(p.C.Buffer)
	}
	if m == 0 || n == 0 {
		return nil
	}
	kernel, tile := k.gemm[number(p.TransposeA)][number(p.TransposeB)], largeTile
	if !p.TransposeA && blocksOf(n, gemmColumns)*blocksOf(m, largeTile.rows) < k.multiprocessors {
		kernel, tile = k.gemmSmall[number(p.TransposeB)], smallTile
	}
	grid := gpu.Grid{Blocks: gpu.Plane(blocksOf(n, gemmColumns), blocksOf(m, tile.rows)), Threads: gpu.Line(tile.threads)}
	return s.Launch(kernel, grid,
		c, integer(p.C.stride()), optional(p.A.Buffer), integer(p.A.stride()), optional(p.Index), integer(p.A.Rows),
		optional(p.B.Buffer), integer(p.B.stride()), optional(p.Bias), integer(m), integer(n), integer(inner),
		integer(number(p.Accumulate)))
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// shape checks the operands and returns the extents of the product.
func (p *GEMM) shape() (m, n, inner int, err error) {
	err = errors.Join(p.C.check("C"), p.A.check("A"), p.B.check("B"))
	if err != nil {
		return 0, 0, 0, fmt.Errorf("gemm: %w", err)
	}
	rows, inner := p.A.Rows, p.A.Columns
	if p.Index != (gpu.Buffer{}) {
		rows = p.IndexLength
		err = checkList("Index", p.Index, rows)
	}
	if p.TransposeA {
		rows, inner = inner, rows
	}
	innerB, columns := p.B.Rows, p.B.Columns
	if p.TransposeB {
		innerB, columns = columns, innerB
	}
	if p.Bias != (gpu.Buffer{}) {
		err = errors.Join(err, checkList("Bias", p.Bias, columns))
	}
	if rows != p.C.Rows || columns != p.C.Columns || inner != innerB {
		err = errors.Join(err, fmt.Errorf("%w: [%d %d] times [%d %d] into %v", gpu.ErrArgument, rows, inner, innerB, columns, p.C))
	}
	if err != nil {
		return 0, 0, 0, fmt.Errorf("gemm: %w", err)
	}
	return rows, columns, inner, nil
}
