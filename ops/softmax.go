package ops

import (
	"fmt"
	"math"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

// softmaxOp normalises along an axis; log says that the result is the logarithm.
type softmaxOp struct {
	axis int
	log  bool
}

// Softmax returns exp(x)/sum(exp(x)) over the last axis, of f32 with one axis or
// more: [n k] normalises every row, [? k] every element of the list and [?] the
// list. Gradient: dx = y*(ct - sum(y*ct)), where y is the result.
func Softmax(x graph.Value) graph.Value { return SoftmaxAxis(x, -1) }

// SoftmaxAxis is Softmax over another axis; negative axes count from the end.
// Axis 0 of a list runs over its elements.
func SoftmaxAxis(x graph.Value, axis int) graph.Value { return softmaxOf("softmax", x, axis, false) }

// LogSoftmax returns the logarithm of Softmax, of f32, computed without
// overflow. Gradient: dx = ct - exp(y)*sum(ct), where y is the result.
func LogSoftmax(x graph.Value) graph.Value { return softmaxOf("log_softmax", x, -1, true) }

func softmaxOf(what string, x graph.Value, axis int, log bool) graph.Value {
	s, ok := axesOf(what, x, []int{axis})
	if !ok {
		return graph.Poisoned()
	}
	return apply(softmaxOp{s.list()[0], log}, x)
}

// Name implements graph.Op.
func (o softmaxOp) Name() string {
	if o.log {
		return "log_softmax"
	}
	return "softmax"
}

// Attrs implements graph.Op.
func (o softmaxOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "axis", Value: o.axis}} }

// Infer implements graph.Op.
func (o softmaxOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantAxisOf(in, o.axis); err != nil {
		return nil, err
	}
	return inferFloatMap(in)
}

// wantAxisOf checks that there is one input and that it has the axis.
func wantAxisOf(in []graph.Type, axis int) error {
	if err := wantInputs(in, 1); err != nil {
		return err
	}
	if axis < 0 || axis >= in[0].Rank() {
		return fmt.Errorf("%w: x %v has no axis %d", graph.ErrShape, in[0], axis)
	}
	return nil
}

// Gradient implements graph.Differentiable.
func (o softmaxOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	y := n.Result(0)
	total := sumOp{axes: axisRange(o.axis, o.axis+1)}
	total.keep = !y.Type().IsList() || o.axis > 0
	if o.log {
		return []graph.Value{Sub(ct, Mul(Exp(y), apply(total, ct)))}
	}
	g := Mul(y, ct)
	return []graph.Value{Sub(g, Mul(y, apply(total, g)))}
}

// Lower implements Op.
func (o softmaxOp) Lower(in []graph.Type, _ graph.Type) Lowering {
	a, list := alignReduced(in[0], axisRange(o.axis, o.axis+1))
	switch {
	case list:
		return Lowering{Segments: o.kernel(a, segment)}
	case a.in[0].step == 0:
		return Lowering{Rows: o.runs(a)}
	}
	return Lowering{Rows: o.kernel(a, single)}
}

// runs normalises every run of every row, when the axis is the innermost one.
func (o softmaxOp) runs(a *alignment) func(*Batch) error {
	f := kernel.Softmax
	if o.log {
		f = kernel.LogSoftmax
	}
	return func(b *Batch) error {
		for i := range b.N {
			x, z := b.In[0].Row(i, a.size), b.Out.Row(i, a.size)
			for from := 0; from < a.size; from += a.run {
				f(z[from:][:a.run], x[from:][:a.run])
			}
		}
		return nil
	}
}

// kernel normalises the rows of every frame together, when what is normalised
// lies apart: a run of a row then holds elements of as many distributions.
func (o softmaxOp) kernel(a *alignment, rows rowsOfFrame) func(*Batch) error {
	n := a.in[0].size
	return func(b *Batch) error {
		tmp := b.Tmp.Floats(2*n + a.size)
		top, sum, e := tmp[:n], tmp[n:2*n], tmp[2*n:]
		for i := range b.N {
			from, to := rows(b, i)
			fill(top, floatMax.initial)
			for j := from; j < to; j++ {
				floatMax.add(a, top, b.In[0].Row(j, a.size))
			}
			fill(sum, 0)
			for j := from; j < to; j++ {
				z := b.Out.Row(j, a.size)
				a.zip(z, b.In[0].Row(j, a.size), top, kernel.Sub)
				if !o.log {
					e = z
				}
				kernel.Exp(e, z)
				floatSum.add(a, sum, e)
			}
			o.normalise(a, b, from, to, sum)
		}
		return nil
	}
}

// normalise divides the rows by their sums or, if they are logarithms,
// subtracts the logarithms of the sums.
func (o softmaxOp) normalise(a *alignment, b *Batch, from, to int, sum []float32) {
	f := kernel.Mul
	if o.log {
		f = kernel.Sub
		kernel.Log(sum, sum)
	} else {
		reciprocalFloats(sum, sum)
	}
	for j := from; j < to; j++ {
		z := b.Out.Row(j, a.size)
		a.zip(z, z, sum, f)
	}
}

// zip sets dst to f(x, y) run by run; y, the operand, must go on within runs.
func (a *alignment) zip(dst, x, y []float32, f func(dst, x, y []float32)) {
	for r, s := range a.in[0].starts {
		from, to := r*a.run, (r+1)*a.run
		f(dst[from:to], x[from:to], y[s:][:a.run])
	}
}

// Eval implements Op.
func (o softmaxOp) Eval(in []*Tensor) (*Tensor, error) {
	x, z := in[0], in[0].Clone()
	cells := axisRange(o.axis, o.axis+1).ones(x.Shape)
	top, sum := NewTensor(x.DType, cells...), NewTensor(x.DType, cells...)
	for i := range top.F {
		top.F[i] = math.Inf(-1)
	}
	each := func(f func(i, cell int)) {
		i := 0
		positions(x.Shape, func(at []int) {
			f(i, top.index(at))
			i++
		})
	}
	each(func(i, cell int) { top.F[cell] = max(top.F[cell], x.F[i]) })
	each(func(i, cell int) { sum.F[cell] += math.Exp(x.F[i] - top.F[cell]) })
	each(func(i, cell int) {
		if o.log {
			z.F[i] = x.F[i] - top.F[cell] - math.Log(sum.F[cell])
		} else {
			z.F[i] = math.Exp(x.F[i]-top.F[cell]) / sum.F[cell]
		}
	})
	return z, nil
}

var _ graph.Differentiable = softmaxOp{}
