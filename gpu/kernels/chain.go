package kernels

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/frondml/frond/gpu"
)

// Op is an element-wise operation of a running value v and, for some, an operand o.
type Op int32

// Operations. Errors of Log, Sigmoid and Tanh are below 2.5 units in the last place,
// those of Softplus below 3 and of Exp below 1; the others are rounded once per operation.
const (
	Add          Op = iota // v + o
	Subtract               // v - o
	SubtractFrom           // o - v
	Multiply               // v * o
	Divide                 // v / o
	DivideInto             // o / v
	Minimum                // min(v, o), as in Go
	Maximum                // max(v, o), as in Go
	Negate                 // -v
	Absolute               // |v|
	Square                 // v * v
	SquareRoot             // sqrt(v)
	Exp                    // e^v
	Log                    // ln v
	Sigmoid                // 1 / (1 + e^-v)
	Tanh                   // tanh v
	Relu                   // v, or 0 where v < 0
	// In the gradients v is that of a result o of the function.
	SigmoidGradient // v o (1 - o)
	TanhGradient    // v (1 - o^2)
	ReluGradient    // v where o > 0, else 0
	Power           // v^o, as math.Pow
	Reciprocal      // 1 / v
	Softplus        // ln(1 + e^v), without overflow
	// The gradient of |o|, where v is that of the result.
	AbsoluteGradient // v with the sign of o, 0 where o is 0
	Identity         // v
	Nothing          // 0
	chainOps
	// Clip, of [Set.Fused] only, has two operands: min(max(v, low), high).
	Clip    = chainOps
	opCount = chainOps + 1
)

// Step is an operation of a chain with its operand, if it has one.
type Step struct {
	Op       Op
	Constant float32 // the operand, unless there is a buffer
	Buffer   int     // the operand is in buffer number Buffer-1; 0 for none
	Period   int     // element i of the operand is i modulo Period; 0 for i
}

// MaxOperands is the number of buffers that a chain can read beside its input.
const MaxOperands = 4

// maxSteps bounds a chain; longer ones gain nothing over two.
const maxSteps = 64

// Chain is a sequence of steps, kept on the device. It is immutable.
type Chain struct {
	buffer gpu.Buffer
	steps  []Step
}

// NewChain puts a chain on the device. Work on other streams that uses it must be
// ordered behind this point of the stream.
func NewChain(ctx context.Context, s *gpu.Stream, steps ...Step) (*Chain, error) {
	if len(steps) > maxSteps {
		return nil, fmt.Errorf("chain: %w: %d steps, want at most %d", gpu.ErrArgument, len(steps), maxSteps)
	}
	data := make([]byte, 0, 16*len(steps))
	for i, step := range steps {
		if step.Op < 0 || step.Op >= chainOps || step.Buffer < 0 || step.Buffer > MaxOperands || step.Period < 0 || step.Period > math.MaxInt32 {
			return nil, fmt.Errorf("chain: %w: step %d is %+v", gpu.ErrArgument, i, step)
		}
		data = binary.LittleEndian.AppendUint32(data, uint32(step.Op))
		data = binary.LittleEndian.AppendUint32(data, uint32(int32(step.Buffer-1)))
		data = binary.LittleEndian.AppendUint32(data, uint32(step.Period))
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(step.Constant))
	}
	buffer, err := s.Alloc(int64(len(data)))
	if err != nil {
		return nil, err
	}
	return &Chain{buffer, append([]Step(nil), steps...)}, s.Upload(ctx, buffer, data)
}

// Free gives the chain's memory back, behind this point of the stream.
func (c *Chain) Free(s *gpu.Stream) error { return s.Free(c.buffer) }

const chainThreads = 256

// Chain computes out[i] = steps(x[i]) for all float32 in x, which may be out itself,
// as may an operand without a period.
func (k *Set) Chain(s *gpu.Stream, c *Chain, out, x gpu.Buffer, operands ...gpu.Buffer) error {
	if err := c.check(out, x, operands); err != nil {
		return fmt.Errorf("chain: %w", err)
	}
	var passed [MaxOperands]gpu.Arg
	for i := range passed {
		passed[i] = gpu.Null()
		if i < len(operands) {
			passed[i] = gpu.In(operands[i])
		}
	}
	n := int(x.Size() / 4)
	return s.Launch(k.chain, gpu.Cover(n, chainThreads), gpu.Out(out), gpu.In(x), passed[0], passed[1], passed[2], passed[3],
		gpu.In(c.buffer), integer(len(c.steps)), integer(n))
}

func (c *Chain) check(out, x gpu.Buffer, operands []gpu.Buffer) error {
	if x.Size() != out.Size() || x.Size()%4 != 0 || x.Size()/4 > math.MaxInt32-chainThreads {
		return fmt.Errorf("%w: from %d to %d bytes", gpu.ErrArgument, x.Size(), out.Size())
	}
	if len(operands) > MaxOperands {
		return fmt.Errorf("%w: %d operands, want at most %d", gpu.ErrArgument, len(operands), MaxOperands)
	}
	for i, step := range c.steps {
		if step.Buffer == 0 {
			continue
		}
		if step.Buffer > len(operands) {
			return fmt.Errorf("%w: step %d wants operand %d of %d", gpu.ErrArgument, i, step.Buffer, len(operands))
		}
		want := x.Size()
		if step.Period > 0 {
			want = min(want, 4*int64(step.Period))
		}
		if got := operands[step.Buffer-1].Size(); got < want {
			return fmt.Errorf("%w: operand %d of step %d has %d bytes, want %d", gpu.ErrArgument, step.Buffer, i, got, want)
		}
	}
	return nil
}
