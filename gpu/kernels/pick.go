package kernels

import (
	_ "embed"
	"errors"
	"fmt"
	"math"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/pick.ptx
var pickPTX string

type pickKernels struct{ pick, scatter *gpu.Kernel }

func (k *pickKernels) module() module {
	return module{pickPTX, map[string]**gpu.Kernel{"pick": &k.pick, "scatter": &k.scatter}}
}

// Pick says which elements of rows are meant: Count integers per row, each the number of
// an element of Width words. The elements of row r are those that lie in the row, so
// many, or, where there are Lists, the rows of run r. An integer that is no element is a
// fault of the device. Axes of the views do not count.
type Pick struct {
	Out, From View // Out has no index
	At        View // the integers
	Rows      int  // to be computed
	Count     int
	Width     int
	Elements  int // in a row
	// Lists are the starts of runs, a list of Rows+1 int32, and ListRows the number of
	// rows in all of them.
	Lists    gpu.Buffer
	ListRows int
}

// Pick copies elements: out[r][k] = from[r][at[r][k]], with Lists those of From. Words
// may be of any type.
func (k *Set) Pick(s *gpu.Stream, p Pick) error {
	elements, from := p.Elements, p.Elements*p.Width
	if p.Lists != (gpu.Buffer{}) {
		elements, from = p.ListRows, 0
	}
	if err := p.check(p.Count*p.Width, from, p.Count, elements); err != nil {
		return fmt.Errorf("pick: %w", err)
	}
	args := append([]gpu.Arg{gpu.Out(p.Out.Buffer), integer(p.Out.Stride)}, p.operands()...)
	args = append(args, optional(p.Lists), integer(elements), integer(p.Rows), integer(p.Count), integer(p.Width))
	return s.Launch(k.picks.pick, rowsGrid(p.Rows*p.Count), args...)
}

// Scatter adds elements: out[r][at[r][k]] += from[r][k], in the order of k. The Lists
// are those of Out.
func (k *Set) Scatter(s *gpu.Stream, p Pick) error {
	inLists := p.Lists != (gpu.Buffer{})
	out := p.Elements * p.Width
	if inLists {
		out = 0
	}
	return k.scatter(s, p, inLists, p.check(out, p.Count*p.Width, p.Count, p.Elements, p.ListRows))
}

// ScatterLists adds the elements of lists: out[r][at[j][k]] += from[j][k] for the rows j
// of run r of the Lists, those of From and At, in this order.
func (k *Set) ScatterLists(s *gpu.Stream, p Pick) error {
	if p.Lists == (gpu.Buffer{}) {
		return fmt.Errorf("scatter: %w: there are no lists", gpu.ErrArgument)
	}
	return k.scatter(s, p, false, p.check(p.Elements*p.Width, 0, 0, p.Elements, p.ListRows))
}

func (k *Set) scatter(s *gpu.Stream, p Pick, intoLists bool, err error) error {
	if err != nil {
		return fmt.Errorf("scatter: %w", err)
	}
	grid := Runs{N: p.Rows}.grid(p.Width)
	args := append([]gpu.Arg{gpu.InOut(p.Out.Buffer), integer(p.Out.Stride)}, p.operands()...)
	args = append(args, optional(p.Lists), integer(p.ListRows), integer(number(intoLists)), integer(p.Elements),
		integer(p.Rows), integer(p.Count), integer(p.Width))
	return s.Launch(k.picks.scatter, grid, args...)
}

// operands passes the source and the integers.
func (p *Pick) operands() []gpu.Arg {
	var args []gpu.Arg
	for _, v := range []View{p.From, p.At} {
		args = append(args, optional(v.Buffer), optional(v.Index), integer(v.Stride))
	}
	return args
}

// check returns what is wrong, as far as the host can tell. Rows of the result, of the
// source and of the integers have so many words; those of lists, whose places are known
// on the device alone, are not looked at, and have 0.
func (p *Pick) check(out, from, at int, more ...int) error {
	for _, n := range append(more, out, from, p.Rows, p.Count, p.Width, p.Out.Stride, p.From.Stride, p.At.Stride) {
		if n < 0 || n > math.MaxInt32 {
			return fmt.Errorf("%w: %d rows of %d elements of %d words, of %d", gpu.ErrArgument, p.Rows, p.Count, p.Width, p.Elements)
		}
	}
	if int64(p.Rows)*int64(p.Count) > math.MaxInt32-rowsPerBlock || p.Out.Index != (gpu.Buffer{}) {
		return fmt.Errorf("%w: %d rows of %d elements, whose result has an index: %t",
			gpu.ErrArgument, p.Rows, p.Count, p.Out.Index != gpu.Buffer{})
	}
	if p.Rows == 0 {
		return nil
	}
	err := errors.Join(p.Out.rows("out", p.Rows, out), p.From.rows("from", p.Rows, from), p.At.rows("at", p.Rows, at))
	if p.Lists != (gpu.Buffer{}) {
		err = errors.Join(err, checkList("Lists", p.Lists, p.Rows+1))
	}
	return err
}

// rows returns what is wrong with n rows of so many words.
func (v *View) rows(name string, n, words int) error {
	switch {
	case words == 0:
		return nil
	case v.Index != (gpu.Buffer{}):
		return checkList("the index of "+name, v.Index, n)
	}
	return reaches(name, v.Buffer, (n-1)*v.Stride+words-1)
}
