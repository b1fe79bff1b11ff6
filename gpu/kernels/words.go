package kernels

import (
	_ "embed"
	"errors"
	"fmt"
	"math"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/words.ptx
var wordsPTX string

type wordKernels struct {
	pairs, choose                                      *gpu.Kernel
	integersToFloats, floatsToIntegers, floatsToTruths *gpu.Kernel
}

func (k *wordKernels) module() module {
	return module{wordsPTX, map[string]**gpu.Kernel{
		"pairs": &k.pairs, "choose": &k.choose, "integers_to_floats": &k.integersToFloats,
		"floats_to_integers": &k.floatsToIntegers, "floats_to_truths": &k.floatsToTruths,
	}}
}

// WordOp is an operation on two words: integers, truth values (0 and 1) or float32.
type WordOp int

// Operations. Those on integers wrap around as in Go; dividing by zero is a fault of
// the device. Comparisons give truth values; with NaN, all but FloatNotEqual are false.
const (
	IntegerAdd WordOp = iota
	IntegerSubtract
	IntegerMultiply
	IntegerDivide    // rounded towards zero
	IntegerRemainder // with the sign of x
	IntegerMinimum
	IntegerMaximum
	And // bit by bit, as the two below
	Or
	Xor // with 1, the negation of a truth value
	IntegerLess
	IntegerLessEqual
	IntegerEqual
	IntegerNotEqual // with 0, the truth value of an integer
	FloatLess
	FloatLessEqual
	FloatEqual
	FloatNotEqual
	wordOpCount
)

// Operand is a list of words of which element i is element i modulo Period: 1 for a
// number, the length of a vector that is repeated, 0 for a list that is not.
type Operand struct {
	Buffer gpu.Buffer
	Period int
}

func (o Operand) check(name string, n int) error {
	if o.Period < 0 || o.Period > math.MaxInt32 {
		return fmt.Errorf("%w: the period of %s is %d", gpu.ErrArgument, name, o.Period)
	}
	if o.Period > 0 {
		n = min(n, o.Period)
	}
	return checkList(name, o.Buffer, n)
}

// wordsIn returns the number of words of a result.
func wordsIn(out gpu.Buffer) (n int, err error) {
	if out.Size()%4 != 0 || out.Size()/4 > math.MaxInt32-wordThreads {
		return 0, fmt.Errorf("%w: out has %d bytes", gpu.ErrArgument, out.Size())
	}
	return int(out.Size() / 4), nil
}

// wordThreads is the size of the blocks of kernels with a thread per element.
const wordThreads = 256

// Pairs computes out[i] = op(x[i], y[i]) for every word of out, which may be an operand
// without a period.
func (k *Set) Pairs(s *gpu.Stream, op WordOp, out gpu.Buffer, x, y Operand) error {
	n, err := wordsIn(out)
	err = errors.Join(err, x.check("x", n), y.check("y", n))
	if op < 0 || op >= wordOpCount {
		err = errors.Join(err, fmt.Errorf("%w: operation %d", gpu.ErrArgument, op))
	}
	if err != nil {
		return fmt.Errorf("pairs: %w", err)
	}
	return s.Launch(k.words.pairs, gpu.Cover(n, wordThreads), gpu.Out(out), integer(int(op)),
		gpu.In(x.Buffer), integer(x.Period), gpu.In(y.Buffer), integer(y.Period), integer(n))
}

// Choose computes out[i] = x[i] where condition[i] is not 0, else y[i], for every word
// of out, which may be an operand without a period.
func (k *Set) Choose(s *gpu.Stream, out gpu.Buffer, condition, x, y Operand) error {
	n, err := wordsIn(out)
	err = errors.Join(err, condition.check("condition", n), x.check("x", n), y.check("y", n))
	if err != nil {
		return fmt.Errorf("choose: %w", err)
	}
	return s.Launch(k.words.choose, gpu.Cover(n, wordThreads), gpu.Out(out), gpu.In(condition.Buffer), integer(condition.Period),
		gpu.In(x.Buffer), integer(x.Period), gpu.In(y.Buffer), integer(y.Period), integer(n))
}

// IntegersToFloats converts int32 to float32: out[i] = float32(x[i]). Truth values are
// integers. Out may be x, here and below.
func (k *Set) IntegersToFloats(s *gpu.Stream, out, x gpu.Buffer) error {
	return k.convert(s, k.words.integersToFloats, out, x)
}

// FloatsToIntegers drops fractions: out[i] = int32(x[i]), the nearest integer where that
// does not fit, 0 for NaN.
func (k *Set) FloatsToIntegers(s *gpu.Stream, out, x gpu.Buffer) error {
	return k.convert(s, k.words.floatsToIntegers, out, x)
}

// FloatsToTruths computes out[i] = x[i] != 0.
func (k *Set) FloatsToTruths(s *gpu.Stream, out, x gpu.Buffer) error {
	return k.convert(s, k.words.floatsToTruths, out, x)
}

func (k *Set) convert(s *gpu.Stream, kernel *gpu.Kernel, out, x gpu.Buffer) error {
	n, err := wordsIn(out)
	if err = errors.Join(err, checkList("x", x, n)); err != nil {
		return fmt.Errorf("%s: %w", kernel.Name(), err)
	}
	return s.Launch(kernel, gpu.Cover(n, wordThreads), gpu.Out(out), gpu.In(x), integer(n))
}
