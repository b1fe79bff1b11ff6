package kernels

import (
	_ "embed"
	"errors"
	"fmt"
	"math"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/products.ptx
var productsPTX string

type productKernels struct{ small, runs *gpu.Kernel }

func (k *productKernels) module() module {
	return module{productsPTX, map[string]**gpu.Kernel{"small_products": &k.small, "run_products": &k.runs}}
}

// Products is a number of matrix products of one size: C[p] = op(A[p]) op(B[p]), with
// C[p] `[m n]`, the inner dimension k, and op the transposition if asked for. The
// matrices lie one after the other, row by row.
type Products struct {
	C, A, B                gpu.Buffer
	Count, M, N, K         int
	TransposeA, TransposeB bool
	OneA, OneB             bool // there is one matrix for all products
	Accumulate             bool // adds to what is in C
}

// Products computes products of small matrices: a thread does an element. One product
// of large ones is for [Set.GEMM]. C must not overlap anything else.
func (k *Set) Products(s *gpu.Stream, p Products) error {
	if err := p.check(); err != nil {
		return fmt.Errorf("products: %w", err)
	}
	total := p.Count * p.M * p.N
	args := []gpu.Arg{gpu.InOut(p.C)}
	args = append(args, operandArgs(p.A, p.M, p.K, p.TransposeA, p.OneA)...)
	args = append(args, operandArgs(p.B, p.K, p.N, p.TransposeB, p.OneB)...)
	args = append(args, integer(p.M), integer(p.N), integer(p.K), integer(number(p.Accumulate)), integer(total))
	return s.Launch(k.products.small, gpu.Cover(total, wordThreads), args...)
}

// operandArgs passes the matrices op(X), of so many rows and columns, with distances.
func operandArgs(b gpu.Buffer, rows, columns int, transposed, one bool) []gpu.Arg {
	matrix, row, column := int64(rows)*int64(columns), columns, 1
	if transposed {
		row, column = 1, rows
	}
	if one {
		matrix = 0
	}
	return []gpu.Arg{optional(b), gpu.I64(matrix), integer(row), integer(column)}
}

func (p *Products) check() error {
	const limit = math.MaxInt32 - wordThreads
	elements := int64(1)
	for _, n := range []int{p.Count, p.M, p.N} {
		if n < 0 || n > limit || elements*int64(n) > limit {
			return fmt.Errorf("%w: %d products into f32[%d %d]", gpu.ErrArgument, p.Count, p.M, p.N)
		}
		elements *= int64(n)
	}
	counts := map[bool]int{true: 1, false: p.Count}
	if p.K < 0 || p.K > limit {
		return fmt.Errorf("%w: the inner dimension is %d", gpu.ErrArgument, p.K)
	}
	return errors.Join(checkMatrices("C", p.C, p.Count, p.M, p.N), checkMatrices("A", p.A, counts[p.OneA], p.M, p.K),
		checkMatrices("B", p.B, counts[p.OneB], p.K, p.N))
}

// checkMatrices returns what is wrong with a buffer of matrices one after the other.
func checkMatrices(name string, b gpu.Buffer, count, rows, columns int) error {
	each := int64(rows) * int64(columns)
	if each > 0 && int64(count) > b.Size()/4/each {
		return fmt.Errorf("%w: %s is %d matrices f32[%d %d] in %d bytes", gpu.ErrArgument, name, count, rows, columns, b.Size())
	}
	return nil
}

// Outer computes outer products of the rows of two matrices: out[r][i][j] = a[r][i] *
// b[r][j]. A is `[n d]`, b `[n h]`, both without gaps, out `[n d h]`.
func (k *Set) Outer(s *gpu.Stream, out gpu.Buffer, a, b Matrix) error {
	err := errors.Join(a.check("a"), b.check("b"))
	if err == nil && (a.Rows != b.Rows || a.stride() != a.Columns || b.stride() != b.Columns) {
		err = fmt.Errorf("%w: a is %v with a stride of %d, b %v with %d; want the same number of rows without gaps",
			gpu.ErrArgument, a, a.stride(), b, b.stride())
	}
	if err != nil {
		return fmt.Errorf("outer: %w", err)
	}
	return k.Products(s, Products{C: out, A: a.Buffer, B: b.Buffer, Count: a.Rows, M: a.Columns, N: b.Columns, K: 1})
}

// RunProducts adds the outer products of the rows of every run, in their order:
// out[r][i][j] = the sum over the rows l of run r of a[l][i] * b[l][j]. A is `[. d]`, b
// `[. h]`, out `[runs.N d h]`. It is the product of two lists, the first transposed.
func (k *Set) RunProducts(s *gpu.Stream, out gpu.Buffer, a, b Matrix, runs Runs) error {
	err := errors.Join(a.check("a"), b.check("b"), runs.check())
	if err == nil && a.Rows != b.Rows {
		err = fmt.Errorf("%w: a is %v, b %v", gpu.ErrArgument, a, b)
	}
	p := Products{C: out, Count: runs.N, M: a.Columns, N: b.Columns}
	if err = errors.Join(err, p.check()); err != nil {
		return fmt.Errorf("run products: %w", err)
	}
	total := p.Count * p.M * p.N
	return s.Launch(k.products.runs, gpu.Cover(total, wordThreads), gpu.Out(out), optional(a.Buffer), integer(a.stride()),
		optional(b.Buffer), integer(b.stride()), integer(a.Rows), optional(runs.Start), integer(runs.Length),
		integer(p.M), integer(p.N), integer(total))
}
