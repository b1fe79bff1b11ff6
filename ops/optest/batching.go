package optest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// batchSizes are the numbers of frames in the batches that the suite runs.
var batchSizes = []int{1, 2, 3, 7}

const defaultTol = 2e-6

// checkBatching runs the batching rule of every node, forward and adjoint, on
// the values that the node meets when the case is evaluated.
func checkBatching(c Case) error {
	g, err := c.build(nil)
	if err != nil {
		return err
	}
	evals, err := c.evaluations(g, slices.Max(batchSizes))
	if err != nil {
		return err
	}
	for _, n := range operatorNodes(g) {
		k := kernelOf(n)
		if k.rule() == noRule && adjointOfNames(g, n) {
			continue
		}
		if err := c.checkNode(k, n, evals); err != nil {
			return fmt.Errorf("%s%v: %w", n.Op.Name(), n.InTypes(), err)
		}
	}
	return nil
}

// adjointOfNames reports whether n belongs to the adjoint of an operator that
// only renames rows of lists. Executors skip those adjoints, because a name
// leads to its row's cotangent, so that they need no batching rule.
func adjointOfNames(g *graph.Graph, n *graph.Node) bool {
	for _, s := range g.Adjoint.Steps {
		if slices.Contains(s.Nodes, n) {
			return kernelOf(s.Node).rule() == byNames
		}
	}
	return false
}

// evaluations evaluates g and its adjoint for n frames with different inputs and,
// as far as the case allows, different lengths of lists.
func (c Case) evaluations(g *graph.Graph, n int) ([]*evaluation, error) {
	sets, err := c.lengths()
	if err != nil {
		return nil, err
	}
	rng := c.rng("batching")
	evals := make([]*evaluation, n)
	for i := range evals {
		e, err := forward(g, c.inputs(rng, sets[i%len(sets)]))
		if err != nil {
			return nil, err
		}
		out, err := e.inputs(g.Results)
		if err != nil {
			return nil, err
		}
		if err := e.backward(cotangents(rng, out)); err != nil {
			return nil, err
		}
		evals[i] = e
	}
	return evals, nil
}

func (c Case) checkNode(k kernel, n *graph.Node, evals []*evaluation) error {
	if err := k.check(); err != nil {
		return err
	}
	frames := make([][]*ops.Tensor, len(evals))
	for i, e := range evals {
		in, err := e.inputs(n.In)
		if err != nil {
			return err
		}
		for _, x := range in {
			frames[i] = append(frames[i], rounded(x))
		}
	}
	rng := c.rng(n.Op.Name())
	for _, size := range batchSizes {
		for from := 0; from+size <= len(frames); from += size {
			for _, l := range k.layouts() {
				if err := c.checkBatch(k, frames[from:from+size], l, rng); err != nil {
					return fmt.Errorf("%d frames from %d, %v: %w", size, from, l, err)
				}
			}
		}
	}
	return k.checkAllocations(frames, rng)
}

// checkBatch compares one batch with Eval, and each of its frames, bit for bit,
// with the same frame alone.
func (c Case) checkBatch(k kernel, frames [][]*ops.Tensor, l layout, rng *rand.Rand) error {
	frames = l.shareInputs(frames)
	want := make([]*ops.Tensor, len(frames))
	for i, frame := range frames {
		x, err := k.op.Eval(frame)
		if slices.Contains(l, shared) && errors.Is(err, ops.ErrIndex) {
			return nil // the index of one frame does not fit the lists of another
		}
		if err != nil {
			return err
		}
		want[i] = x
		if err := c.checkElements(k, frame, x); err != nil {
			return err
		}
	}
	got, err := k.run(frames, l, rng)
	if err != nil {
		return err
	}
	for i := range frames {
		if err := c.compare(got[i], want[i]); err != nil {
			return fmt.Errorf("frame %d, inputs %v: %w", i, frames[i], err)
		}
		alone, err := k.run(frames[i:i+1], layout{}, rng)
		if err != nil {
			return err
		}
		if !sameBits(got[i], alone[0]) {
			return fmt.Errorf("frame %d depends on the batch: %v, alone %v", i, got[i], alone[0])
		}
	}
	return nil
}

func (c Case) compare(got, want *ops.Tensor) error {
	tol := c.Tol
	if tol == 0 {
		tol = defaultTol
	}
	if !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("the kernel gives %v, Eval %v", got.Type(), want.Type())
	}
	for i, w := range want.F {
		if !near(got.F[i], w, tol) {
			return fmt.Errorf("element %d: the kernel gives %.9g, Eval %.9g", i, got.F[i], w)
		}
	}
	if !slices.Equal(got.I, want.I) {
		return fmt.Errorf("the kernel gives %v, Eval %v", got.I, want.I)
	}
	return nil
}

func sameBits(a, b *ops.Tensor) bool {
	return slices.Equal(a.I, b.I) && slices.EqualFunc(a.F, b.F, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y)
	})
}

// rounded returns x with its floats rounded to float32.
func rounded(x *ops.Tensor) *ops.Tensor {
	y := x.Clone()
	for i, f := range y.F {
		y.F[i] = float64(float32(f))
	}
	return y
}

// checkAllocations asserts that a kernel works in the memory that it is given.
func (k kernel) checkAllocations(frames [][]*ops.Tensor, rng *rand.Rand) error {
	f := k.function()
	if f == nil {
		return nil
	}
	c, err := k.call(frames, layout{}, rng)
	if err != nil {
		return err
	}
	var failed error
	allocs := testing.AllocsPerRun(3, func() {
		if err := f(c.batch); err != nil {
			failed = err
		}
	})
	if failed == nil && allocs > 0 {
		failed = fmt.Errorf("%v allocations per call", allocs)
	}
	return failed
}

// Kernel executes the batching rule of an operator for inputs of the given types
// on frames of whole tensors, whose float elements it rounds to float32.
func Kernel(op ops.Op, in []graph.Type, frames ...[]*ops.Tensor) ([]*ops.Tensor, error) {
	out, err := op.Infer(in)
	if err != nil {
		return nil, err
	}
	k := lower(op, in, out[0])
	if err := k.check(); err != nil {
		return nil, err
	}
	for _, frame := range frames {
		if len(frame) != len(in) {
			return nil, fmt.Errorf("%d tensors for %d inputs", len(frame), len(in))
		}
		for i, x := range frame {
			if !fits(x, in[i]) {
				return nil, fmt.Errorf("input %d is %v, want %v", i, x.Type(), in[i])
			}
		}
	}
	return k.run(frames, layout{}, rand.New(rand.NewPCG(1, 1)))
}
