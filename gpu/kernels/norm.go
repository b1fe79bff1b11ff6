package kernels

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/norm.ptx
var normPTX string

type normKernels struct{ squares, add, scale *gpu.Kernel }

func (k *normKernels) module() module {
	return module{normPTX, map[string]**gpu.Kernel{
		"sum_squares": &k.squares, "add_squares": &k.add, "scale": &k.scale,
	}}
}

// How a sum of squares is divided: parts of at least normPart elements, as many as keep
// any device busy.
const (
	normThreads = 256
	normPart    = 4096
	normParts   = 1024
)

// AddSquares adds the squares of all float32 in x to the first of sum. They are added in
// an order that depends on their number alone.
func (k *Set) AddSquares(s *gpu.Stream, sum, x gpu.Buffer) error {
	if err := checkList("the sum", sum, 1); err != nil {
		return fmt.Errorf("add squares: %w", err)
	}
	n := x.Size() / 4
	if n == 0 {
		return nil
	}
	count := int(min(normParts, (n+normPart-1)/normPart))
	parts, err := s.Alloc(4 * int64(count))
	if err != nil {
		return err
	}
	err = s.Launch(k.norm.squares, gpu.Grid{Blocks: gpu.Line(count), Threads: gpu.Line(normThreads)},
		gpu.Out(parts), gpu.In(x), gpu.I64(n), integer(count))
	if err == nil {
		err = s.Launch(k.norm.add, gpu.Cover(1, normThreads), gpu.InOut(sum.Slice(0, 4)), gpu.In(parts), integer(count))
	}
	return errors.Join(err, s.Free(parts))
}

// Scale multiplies all float32 of x by a factor.
func (k *Set) Scale(s *gpu.Stream, x gpu.Buffer, factor float32) error {
	n := x.Size() / 4
	return s.Launch(k.norm.scale, gpu.Cover(int(n), normThreads), gpu.InOut(x), gpu.F32(factor), gpu.I64(n))
}
