package kernels

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/reduce.ptx
var reducePTX string

type reduceKernels struct {
	rows, runs               [reductionCount]*gpu.Kernel
	placeInRows, placeInRuns *gpu.Kernel
}

func (k *reduceKernels) module() module {
	m := module{reducePTX, map[string]**gpu.Kernel{"place_in_rows": &k.placeInRows, "place_in_runs": &k.placeInRuns}}
	for op, name := range map[Reduction][2]string{
		Sum: {"sum_rows", "sum_runs"}, Mean: {"mean_rows", "mean_runs"}, Max: {"max_rows", "max_runs"},
		ArgMax:      {"argmax_rows", "argmax_runs"},
		SumIntegers: {"sum_rows_of_integers", "sum_runs_of_integers"},
		MaxIntegers: {"max_rows_of_integers", "max_runs_of_integers"},
	} {
		m.kernels[name[0]], m.kernels[name[1]] = &k.rows[op], &k.runs[op]
	}
	return m
}

// Reduction is a way to make one element of many.
type Reduction int

// Reductions. Of nothing, a sum is 0, a mean NaN, a maximum the lowest value and its
// place -1. In maxima NaN is the largest.
const (
	Sum         Reduction = iota // in float32
	Mean                         // the sum divided by the number of elements
	Max                          // the largest element
	ArgMax                       // the place of the first of the largest, int32
	SumIntegers                  // of int32, modulo 2^32
	MaxIntegers                  // of int32
	reductionCount
)

// ReduceRows reduces every row: out[r] = op over c of x[r][c]. Out is a list, x
// `[n w]`. Sums are added in 32 interleaved parts, then pairwise.
func (k *Set) ReduceRows(s *gpu.Stream, op Reduction, out gpu.Buffer, x Matrix) error {
	err := errors.Join(op.check(), x.check("x"), checkList("out", out, x.Rows))
	if err != nil {
		return fmt.Errorf("reduce rows: %w", err)
	}
	return s.Launch(k.reduce.rows[op], rowsGrid(x.Rows), gpu.Out(out), optional(x.Buffer), integer(x.stride()),
		integer(x.Rows), integer(x.Columns))
}

// ReduceRuns reduces the rows of every run, one after the other:
//
//	for r := range runs.N {
//		for c := range w {
//			out[r][c] = op over the rows j of run r of x[j][c] // places count from 0 in a run
//		}
//	}
//
// Out is `[runs.N w]`, x `[. w]`.
func (k *Set) ReduceRuns(s *gpu.Stream, op Reduction, out, x Matrix, runs Runs) error {
	return k.reduceRuns(s, op, out, x, runs, false)
}

// AddRuns adds the rows of every run, in their order: out[r] += x[j] for the rows j of
// run r. Out is `[runs.N w]`, x `[. w]`.
func (k *Set) AddRuns(s *gpu.Stream, out, x Matrix, runs Runs) error {
	return k.reduceRuns(s, Sum, out, x, runs, true)
}

func (k *Set) reduceRuns(s *gpu.Stream, op Reduction, out, x Matrix, runs Runs, accumulate bool) error {
	err := errors.Join(op.check(), out.check("out"), x.check("x"), runs.check())
	if err == nil && (out.Rows != runs.N || out.Columns != x.Columns) {
		err = fmt.Errorf("%w: %d runs of %v into %v", gpu.ErrArgument, runs.N, x, out)
	}
	if err != nil {
		return fmt.Errorf("reduce runs: %w", err)
	}
	return s.Launch(k.reduce.runs[op], runs.grid(x.Columns), gpu.InOut(out.Buffer), integer(out.stride()),
		optional(x.Buffer), integer(x.stride()), integer(x.Rows), optional(runs.Start), integer(runs.Length),
		integer(runs.N), integer(x.Columns), integer(number(accumulate)))
}

func (op Reduction) check() error {
	if op < 0 || op >= reductionCount {
		return fmt.Errorf("%w: reduction %d", gpu.ErrArgument, op)
	}
	return nil
}

// PlaceInRows makes rows with one element that is not zero: out[r][place[r]] =
// value[r], or 1 without values, and 0 elsewhere. Out is `[n w]`, place a list of n
// int32, value a list. With places of [ArgMax] it is the gradient of a maximum.
func (k *Set) PlaceInRows(s *gpu.Stream, out Matrix, place, value gpu.Buffer) error {
	err := errors.Join(out.check("out"), checkList("place", place, out.Rows))
	if value != (gpu.Buffer{}) {
		err = errors.Join(err, checkList("value", value, out.Rows))
	}
	if err != nil {
		return fmt.Errorf("place in rows: %w", err)
	}
	return s.Launch(k.reduce.placeInRows, rowsGrid(out.Rows), gpu.Out(out.Buffer), integer(out.stride()),
		gpu.In(place), optional(value), integer(out.Rows), integer(out.Columns))
}

// PlaceInRuns is [Set.PlaceInRows] along runs: out[j][c] = value[r][c] where row j is
// number place[r][c] of run r, and 0 in the run's other rows. Out is `[. w]`, place (of
// int32) and value are `[runs.N w]`.
func (k *Set) PlaceInRuns(s *gpu.Stream, out, place, value Matrix, runs Runs) error {
	err := errors.Join(out.check("out"), sameShape(place, value), runs.check())
	if err == nil && (place.Rows != runs.N || place.Columns != out.Columns) {
		err = fmt.Errorf("%w: %d runs of %v from %v", gpu.ErrArgument, runs.N, out, place)
	}
	if err != nil {
		return fmt.Errorf("place in runs: %w", err)
	}
	return s.Launch(k.reduce.placeInRuns, runs.grid(out.Columns), gpu.Out(out.Buffer), integer(out.stride()),
		integer(out.Rows), optional(place.Buffer), integer(place.stride()), optional(value.Buffer), integer(value.stride()),
		optional(runs.Start), integer(runs.Length), integer(runs.N), integer(out.Columns))
}
