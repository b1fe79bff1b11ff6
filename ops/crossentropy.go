package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type crossEntropyOp struct{}

// CrossEntropy returns the negative logarithm of the probability that softmax
// gives to the label: logits [k], label -> []; logits [n k], labels [n] -> [n];
// both also for every element of lists. A label outside of 0..k-1 is an error
// of the run that wraps ErrIndex. Gradient: dlogits = ct*(softmax - one-hot).
func CrossEntropy(logits, label graph.Value) graph.Value {
	return apply(crossEntropyOp{}, logits, label)
}

// Name implements graph.Op.
func (crossEntropyOp) Name() string { return "cross_entropy" }

// Attrs implements graph.Op.
func (crossEntropyOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (crossEntropyOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 2); err != nil {
		return nil, err
	}
	logits, label := in[0], in[1]
	if !logits.DType.IsFloat() || label.DType != graph.Int32 {
		return nil, fmt.Errorf("%w: logits %v, label %v: want f32 and i32", graph.ErrDType, logits, label)
	}
	row, labels := rowType(logits).Shape, rowType(label).Shape
	if len(row) == 0 || !row[:len(row)-1].Equal(labels) {
		return nil, fmt.Errorf("%w: logits %v, label %v: want logits [.. k] and label [..]", graph.ErrShape, logits, label)
	}
	return []graph.Type{liftedType(in, graph.Type{DType: logits.DType, Shape: labels})}, nil
}

// liftedType is the type of a result whose rows have type row: a list when an
// input is one.
func liftedType(in []graph.Type, row graph.Type) graph.Type {
	if anyList(in) {
		return graph.ListOf(row)
	}
	return row
}

// Gradient implements graph.Differentiable.
func (crossEntropyOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	d := apply(crossEntropyGradOp{}, n.In[0], n.In[1], ct)
	return []graph.Value{sumTo(d, n.In[0]), {}}
}

// Lower implements Op.
func (crossEntropyOp) Lower(in []graph.Type, _ graph.Type) Lowering {
	rows, k := classes(in)
	finish := func(b *Batch, s softmaxBlock) {
		kernel.Log(s.sum, s.sum)
		for r := range s.sum {
			i, j := (s.first+r)/rows, (s.first+r)%rows
			x := b.In[0].Row(i, rows*k)[j*k:]
			b.Out.Row(i, rows)[j] = s.sum[r] + (s.top[r] - x[s.label[r]])
		}
	}
	return Lowering{Rows: func(b *Batch) error { return eachSoftmax(b, rows, k, finish) }}
}

// classes returns the number of distributions in a row and that of their classes.
func classes(in []graph.Type) (rows, k int) {
	s := rowType(in[0]).Shape
	return rowType(in[1]).Size(), s[len(s)-1]
}

// softmaxBlock holds some distributions on the way to their softmax: for number
// first+r, top is the largest logit, exp[r*k:] the exponentials of logit - top, and
// sum their sum. Few classes make a short vector; exponentials of many
// distributions at once make a long one.
type softmaxBlock struct {
	first    int
	top, sum []float32
	exp      []float32
	label    []int32
}

// softmaxBlockSize is how many distributions a block holds.
const softmaxBlockSize = 64

// eachSoftmax checks the labels, In[1], and calls f for blocks of the
// distributions in the rows of In[0].
func eachSoftmax(b *Batch, rows, k int, f func(*Batch, softmaxBlock)) error {
	tmp := b.Tmp.Floats(softmaxBlockSize * (k + 2))
	labels := b.Tmp.Ints(softmaxBlockSize)
	var s softmaxBlock
	total := b.N * rows
	for s.first = 0; s.first < total; s.first += softmaxBlockSize {
		n := min(softmaxBlockSize, total-s.first)
		s.top, s.sum, s.exp, s.label = tmp[:n], tmp[n:2*n], tmp[2*n:(2+k)*n], labels[:n]
		for r := range n {
			i, j := (s.first+r)/rows, (s.first+r)%rows
			l := b.In[1].Ints(i, rows)[j]
			if l < 0 || int(l) >= k {
				return indexError(i, l, k)
			}
			x := b.In[0].Row(i, rows*k)[j*k:][:k]
			s.label[r], s.top[r] = l, largest(x)
			e := s.exp[r*k:][:k]
			for c, v := range x {
				e[c] = v - s.top[r]
			}
		}
		kernel.Exp(s.exp, s.exp)
		for r := range n {
			s.sum[r] = total32(s.exp[r*k:][:k])
		}
		f(b, s)
	}
	return nil
}

// shortRow is the length up to which plain loops beat calls of kernels.
const shortRow = 16

// largest returns the largest element, NaN if there is one.
func largest(x []float32) float32 {
	if len(x) > shortRow {
		return kernel.MaxOf(x)
	}
	top := x[0]
	for _, v := range x[1:] {
		if v > top || v != v {
			top = v
		}
	}
	return top
}

// total32 returns the sum of x.
func total32(x []float32) float32 {
	if len(x) > shortRow {
		return kernel.Sum(x)
	}
	sum := float32(0)
	for _, v := range x {
		sum += v
	}
	return sum
}

// Eval implements Op.
func (crossEntropyOp) Eval(in []*Tensor) (*Tensor, error) {
	var loss []float64
	lead, err := evalClasses(in[0], in[1], func(x []float64, _ int, label int) {
		loss = append(loss, evalCrossEntropy(x, label))
	})
	if err != nil {
		return nil, err
	}
	return &Tensor{DType: in[0].DType, Shape: lead, F: append([]float64{}, loss...)}, nil
}

// evalCrossEntropy returns the cross entropy of one row of logits. It forms no
// probability, which would be 0 for a logit far below the largest.
func evalCrossEntropy(x []float64, label int) float64 {
	top, sum := slices.Max(x), 0.0
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return math.Log(sum) + (top - x[label])
}

// evalClasses calls f with every row of logits, the row's number in the result
// and its label, and returns the result's shape without classes.
// One of the operands may lack the axis of a list that the other has.
func evalClasses(logits, label *Tensor, f func(x []float64, row, label int)) (graph.Shape, error) {
	n := len(logits.Shape) - 1
	k := logits.Shape[n]
	lead := &Tensor{DType: label.DType, Shape: logits.Shape[:n]}
	shape, err := evalShape(lead, label)
	if err != nil {
		return nil, err
	}
	row := 0
	positions(shape, func(at []int) {
		l := int(label.I[label.index(at)])
		if l < 0 || l >= k {
			err = outOfRange(l, k)
			return
		}
		from := lead.index(at) * k
		f(logits.F[from:from+k], row, l)
		row++
	})
	return shape, err
}

// evalSoftmax returns the softmax of x.
func evalSoftmax(x []float64) []float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	p := make([]float64, len(x))
	sum := 0.0
	for i, v := range x {
		p[i] = math.Exp(v - top)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

var _ graph.Differentiable = crossEntropyOp{}
