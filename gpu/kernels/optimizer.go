package kernels

import (
	_ "embed"
	"errors"
	"fmt"
	"math"

	"github.com/frondml/frond/gpu"
)

//go:embed cuda/optimizer.ptx
var optimizerPTX string

type optimizerKernels struct{ sgd, momentum, adagrad, adam *gpu.Kernel }

func (k *optimizerKernels) module() module {
	return module{optimizerPTX, map[string]**gpu.Kernel{
		"sgd": &k.sgd, "momentum": &k.momentum, "adagrad": &k.adagrad, "adam": &k.adam,
	}}
}

// Weights are weights with a gradient. What an optimiser remembers of them is lists as
// long as theirs.
type Weights struct {
	Values   gpu.Buffer // float32
	Gradient gpu.Buffer // of all weights or, with Rows, of those rows
	// Rows, if there is one, is a list of RowCount int32: the weights are a matrix of
	// rows of the given width, and the others do not change. No two rows may be equal.
	Rows     gpu.Buffer
	RowCount int
	Width    int
	L2       float32 // the loss includes L2/2*w² for every weight that is changed
}

// SGD makes a step of gradient descent: w -= rate*g.
func (k *Set) SGD(s *gpu.Stream, w Weights, rate float32) error {
	return k.step(s, k.optimizer.sgd, w, nil, rate)
}

// Momentum makes a step with a heavy ball: v = decay*v + g, w -= rate*v.
func (k *Set) Momentum(s *gpu.Stream, w Weights, v gpu.Buffer, rate, decay float32) error {
	return k.step(s, k.optimizer.momentum, w, []gpu.Buffer{v}, rate, decay)
}

// Adagrad makes a step of Adagrad (Duchi, Hazan, Singer 2011): sum += g², w -= rate*g /
// (sqrt(sum)+epsilon). Epsilon must be positive.
func (k *Set) Adagrad(s *gpu.Stream, w Weights, sum gpu.Buffer, rate, epsilon float32) error {
	return k.step(s, k.optimizer.adagrad, w, []gpu.Buffer{sum}, rate, epsilon)
}

// AdamStep has the coefficients of a step of [Set.Adam].
type AdamStep struct {
	Rate, Beta1, Beta2, Epsilon float32
	// Correct1 and Correct2 undo the bias of the zero start: 1/(1-Beta1^t) and
	// 1/(1-Beta2^t) at step t = 1, 2, ….
	Correct1, Correct2 float32
}

// Adam makes a step of Adam (Kingma and Ba 2015, algorithm 1): m moves towards g and v
// towards g², then w -= Rate*m̂ / (sqrt(v̂)+Epsilon), where m̂ and v̂ are corrected.
func (k *Set) Adam(s *gpu.Stream, w Weights, m, v gpu.Buffer, a AdamStep) error {
	return k.step(s, k.optimizer.adam, w, []gpu.Buffer{m, v},
		a.Rate*a.Correct1, a.Beta1, 1-a.Beta1, a.Beta2, 1-a.Beta2, a.Correct2, a.Epsilon)
}

// step launches a step with the lists and coefficients of an optimiser.
func (k *Set) step(s *gpu.Stream, kernel *gpu.Kernel, w Weights, slots []gpu.Buffer, coefficients ...float32) error {
	n, rows, err := w.check(slots)
	if err != nil {
		return fmt.Errorf("%s: %w", kernel.Name(), err)
	}
	args := []gpu.Arg{gpu.InOut(w.Values)}
	for _, b := range slots {
		args = append(args, gpu.InOut(b))
	}
	args = append(args, gpu.In(w.Gradient), optional(w.Rows), integer(rows), integer(w.Width), integer(n))
	for _, c := range append(coefficients, w.L2) {
		args = append(args, gpu.F32(c))
	}
	return s.Launch(kernel, gpu.Cover(n, wordThreads), args...)
}

// check returns the number of weights that change and that of all rows.
func (w *Weights) check(slots []gpu.Buffer) (n, rows int, err error) {
	const limit = math.MaxInt32 - wordThreads
	all := w.Values.Size() / 4
	n64 := all
	if w.Rows != (gpu.Buffer{}) {
		if w.Width < 1 || w.RowCount < 0 || int64(w.Width) > limit || all%int64(w.Width) != 0 || all/int64(w.Width) > limit {
			return 0, 0, fmt.Errorf("%w: %d rows of width %d of %d weights", gpu.ErrArgument, w.RowCount, w.Width, all)
		}
		if err := checkList("Rows", w.Rows, w.RowCount); err != nil {
			return 0, 0, err
		}
		n64, rows = int64(w.RowCount)*int64(w.Width), int(all/int64(w.Width))
	}
	if n64 > limit {
		return 0, 0, fmt.Errorf("%w: %d weights in one step", gpu.ErrArgument, n64)
	}
	err = checkList("the gradient", w.Gradient, int(n64))
	for _, b := range slots {
		err = errors.Join(err, checkList("what the optimiser remembers", b, int(min(all, math.MaxInt32))))
	}
	return int(n64), rows, err
}
