package kernels

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/fused.ptx
var fusedPTX string

type fusedKernels struct{ fused *gpu.Kernel }

func (k *fusedKernels) module() module {
	return module{fusedPTX, map[string]**gpu.Kernel{"fused": &k.fused}}
}

// Limits of cuda/fused.cu.
const (
	MaxRowOperands = 16 // of [Set.Fused]
	MaxRowSteps    = 32

	fusedThreads = 256
	minLanes     = 8
	rowStepBytes = 20
)

// Marks of cuda/fused.cu.
const (
	markConstant = 255 // instead of the number of an operand
	markClip     = 254 // instead of an operation
)

// RowStep is an element-wise operation on Size elements of every row: To = Op(X, Y), or
// To += Op(X, Y) with Add. X is the running value of Op.
type RowStep struct {
	Op   Op
	Add  bool
	Size int
	To   int // numbers of operands
	X, Y int // Y, where Op has two operands, may be Constant
	// Low is the operand instead of Constant. High is the upper limit of Clip.
	Low, High float32
}

// Constant as RowStep.Y stands for RowStep.Low.
const Constant = -1

// RowOperand is rows that a [Fusion] reads or writes: row i lies i*Stride floats behind
// the first, or Index[i]*Stride. A stride of 0 repeats a row.
type RowOperand struct {
	Buffer gpu.Buffer
	Stride int
	Index  gpu.Buffer // list of int32, or none
}

// Fusion is a sequence of steps. It is immutable, and nothing of it lies on the device.
type Fusion struct {
	steps    []byte
	count    int
	operands []operandUse
	width    int // of the widest step
}

// operandUse is what the steps do with an operand.
type operandUse struct {
	size    int // elements of a row
	written bool
}

// NewFusion checks steps and prepares them for launches.
func NewFusion(steps []RowStep) (*Fusion, error) {
	if len(steps) > MaxRowSteps {
		return nil, fmt.Errorf("fused: %w: %d steps, want at most %d", gpu.ErrArgument, len(steps), MaxRowSteps)
	}
	f := &Fusion{count: len(steps), steps: make([]byte, 0, MaxRowSteps*rowStepBytes)}
	for i, s := range steps {
		if err := f.add(s); err != nil {
			return nil, fmt.Errorf("fused: step %d: %w", i, err)
		}
	}
	f.steps = append(f.steps, make([]byte, MaxRowSteps*rowStepBytes-len(f.steps))...)
	return f, nil
}

func (f *Fusion) add(s RowStep) error {
	if s.Op < 0 || s.Op >= opCount || s.Size < 0 || s.Size > math.MaxInt32-fusedThreads {
		return fmt.Errorf("%w: %+v", gpu.ErrArgument, s)
	}
	operation, y := byte(s.Op), byte(markConstant)
	if s.Op == Clip {
		operation = markClip
	}
	uses := []int{s.To, s.X}
	if s.Y != Constant {
		uses = append(uses, s.Y)
		y = byte(s.Y)
	}
	for _, number := range uses {
		if number < 0 || number >= MaxRowOperands {
			return fmt.Errorf("%w: operand %d, want less than %d", gpu.ErrArgument, number, MaxRowOperands)
		}
		f.operands = slices.Grow(f.operands, MaxRowOperands)[:max(len(f.operands), number+1)]
		f.operands[number].size = max(f.operands[number].size, s.Size)
	}
	f.operands[s.To].written = true
	f.width = max(f.width, s.Size)
	f.steps = append(f.steps, operation, byte(number(s.Add)), byte(s.To), byte(s.X), y, 0, 0, 0)
	f.steps = binary.LittleEndian.AppendUint32(f.steps, uint32(s.Size))
	f.steps = binary.LittleEndian.AppendUint32(f.steps, math.Float32bits(s.Low))
	f.steps = binary.LittleEndian.AppendUint32(f.steps, math.Float32bits(s.High))
	return nil
}

// Fused executes steps on n rows, each for all rows before the next. A step may read
// of what others write only the same row, and no two rows that it writes are the same.
func (k *Set) Fused(s *gpu.Stream, f *Fusion, n int, operands ...RowOperand) error {
	if err := f.check(n, operands); err != nil {
		return fmt.Errorf("fused: %w", err)
	}
	if f.width == 0 || n == 0 {
		return nil
	}
	args := make([]gpu.Arg, 0, 2*MaxRowOperands+6)
	strides := make([]byte, 4*MaxRowOperands)
	for i := range MaxRowOperands {
		if i >= len(f.operands) || f.operands[i].size == 0 {
			args = append(args, gpu.Null(), gpu.Null())
			continue
		}
		o := operands[i]
		binary.LittleEndian.PutUint32(strides[4*i:], uint32(o.Stride))
		rows := gpu.In(o.Buffer)
		if f.operands[i].written {
			rows = gpu.InOut(o.Buffer)
		}
		args = append(args, rows, optional(o.Index))
	}
	shift := f.lanes(n, k.multiprocessors)
	args = append(args, gpu.Bytes(strides), gpu.Bytes(f.steps), integer(len(f.operands)), integer(f.count), integer(n), integer(shift))
	grid := gpu.Grid{Blocks: gpu.Line(blocksOf(n, fusedThreads>>shift)), Threads: gpu.Line(fusedThreads)}
	return s.Launch(k.fusions.fused, grid, args...)
}

// lanes returns the binary logarithm of the number of threads that do a row. A thread
// does up to four elements of a step, and less while there are idle multiprocessors.
func (f *Fusion) lanes(n, multiprocessors int) (shift int) {
	lanes := minLanes
	for shift = 3; lanes < fusedThreads; lanes, shift = 2*lanes, shift+1 {
		if enough := lanes >= blocksOf(f.width, 4); lanes >= f.width || enough && n*lanes/fusedThreads >= multiprocessors {
			break
		}
	}
	return shift
}

func (f *Fusion) check(n int, operands []RowOperand) error {
	if n < 0 || n > math.MaxInt32-fusedThreads || len(operands) < len(f.operands) {
		return fmt.Errorf("%w: %d rows of %d operands, want %d operands", gpu.ErrArgument, n, len(operands), len(f.operands))
	}
	for i, use := range f.operands {
		o := operands[i]
		if use.size == 0 || n == 0 {
			continue
		}
		if o.Stride < 0 || o.Stride > math.MaxInt32 {
			return fmt.Errorf("%w: operand %d has a stride of %d", gpu.ErrArgument, i, o.Stride)
		}
		want := int64(use.size)
		if o.Index == (gpu.Buffer{}) {
			want += int64(n-1) * int64(o.Stride)
		} else if err := checkList(fmt.Sprintf("the index of operand %d", i), o.Index, n); err != nil {
			return err
		}
		if o.Buffer.Size()/4 < want {
			return fmt.Errorf("%w: operand %d has %d bytes, want %d words", gpu.ErrArgument, i, o.Buffer.Size(), want)
		}
	}
	return nil
}
