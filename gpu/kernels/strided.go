package kernels

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/strided.ptx
var stridedPTX string

type stridedKernels struct{ copy, add *gpu.Kernel }

func (k *stridedKernels) module() module {
	return module{stridedPTX, map[string]**gpu.Kernel{"copy_strided": &k.copy, "add_strided": &k.add}}
}

// Axis is one axis of what is copied.
type Axis struct {
	Extent int
	Out    int // words between neighbours in the result
	From   int // words between neighbours in the source; 0 repeats the element
}

// Layout is up to four axes. A slice, its padding in a larger tensor, and the inputs of
// a concatenation are copies of two axes or three, from or to a part of a buffer
// ([gpu.Buffer.Slice]); a transposition exchanges distances; broadcasting has a
// distance of 0 in the source.
type Layout [4]Axis

// CopyStrided copies words: out[i·Out] = from[i·From] for all places i of the layout.
// Axes of extent 0 at the end of the layout are as good as absent. No two places may be
// the same in out.
func (k *Set) CopyStrided(s *gpu.Stream, out, from gpu.Buffer, l Layout) error {
	return k.strided(s, k.strides.copy, out, from, l)
}

// AddStrided adds float32: out[i·Out] += from[i·From] for all places i of the layout, of
// which no two may be the same in out.
func (k *Set) AddStrided(s *gpu.Stream, out, from gpu.Buffer, l Layout) error {
	return k.strided(s, k.strides.add, out, from, l)
}

func (k *Set) strided(s *gpu.Stream, kernel *gpu.Kernel, out, from gpu.Buffer, l Layout) error {
	l = l.whole()
	n, err := l.check(out, from)
	if err != nil {
		return fmt.Errorf("%s: %w", kernel.Name(), err)
	}
	return s.Launch(kernel, gpu.Cover(n, wordThreads), gpu.InOut(out), gpu.In(from), gpu.Bytes(l.bytes()), integer(n))
}

// whole gives absent axes the extent 1.
func (l Layout) whole() Layout {
	for i := len(l) - 1; i > 0 && l[i] == (Axis{}); i-- {
		l[i].Extent = 1
	}
	return l
}

// check returns the number of places, and what is wrong with a layout.
func (l Layout) check(out, from gpu.Buffer) (n int, err error) {
	n = 1
	for _, a := range l {
		if a.Extent < 0 || a.Out < 0 || a.From < 0 || max(a.Extent, a.Out, a.From) > math.MaxInt32 || n*a.Extent > math.MaxInt32-wordThreads {
			return 0, fmt.Errorf("%w: the layout %+v", gpu.ErrArgument, l)
		}
		if a.Extent > 1 && a.Out == 0 {
			return 0, fmt.Errorf("%w: several elements at one place: the layout %+v", gpu.ErrArgument, l)
		}
		n *= a.Extent
	}
	if n == 0 {
		return 0, nil
	}
	lastOut, lastFrom := 0, 0
	for _, a := range l {
		lastOut += (a.Extent - 1) * a.Out
		lastFrom += (a.Extent - 1) * a.From
	}
	return n, errors.Join(reaches("out", out, lastOut), reaches("from", from, lastFrom))
}

// reaches returns what is wrong with a buffer whose word number last is used.
func reaches(name string, b gpu.Buffer, last int) error {
	if int64(last) >= b.Size()/4 {
		return fmt.Errorf("%w: %s has %d bytes, the layout reaches word %d", gpu.ErrArgument, name, b.Size(), last)
	}
	return nil
}

// bytes returns the Layout of cuda/strided.cu.
func (l Layout) bytes() []byte {
	var data []byte
	for _, part := range []func(Axis) int{
		func(a Axis) int { return a.Extent }, func(a Axis) int { return a.Out }, func(a Axis) int { return a.From },
	} {
		for _, a := range l {
			data = binary.LittleEndian.AppendUint32(data, uint32(part(a)))
		}
	}
	return data
}
