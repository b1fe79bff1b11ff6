package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// crossEntropyGradOp computes the cotangent of the logits of a cross-entropy
// with the cotangent ct: (softmax - one-hot) * ct.
type crossEntropyGradOp struct{}

// Name implements graph.Op.
func (crossEntropyGradOp) Name() string { return "cross_entropy_grad" }

// Attrs implements graph.Op.
func (crossEntropyGradOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (crossEntropyGradOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 3); err != nil {
		return nil, err
	}
	loss, err := crossEntropyOp{}.Infer(in[:2])
	if err != nil {
		return nil, err
	}
	if !in[2].Equal(loss[0]) {
		return nil, fmt.Errorf("%w: ct %v, want %v", graph.ErrShape, in[2], loss[0])
	}
	return []graph.Type{liftedType(in, rowType(in[0]))}, nil
}

// Lower implements Op.
func (crossEntropyGradOp) Lower(in []graph.Type, _ graph.Type) Lowering {
	rows, k := classes(in)
	finish := func(b *Batch, s softmaxBlock) {
		for r, sum := range s.sum {
			i, j := (s.first+r)/rows, (s.first+r)%rows
			ct := b.In[2].Row(i, rows)[j]
			d := b.Out.Row(i, rows*k)[j*k:][:k]
			for c, e := range s.exp[r*k:][:k] {
				d[c] = e * (ct / sum)
			}
			d[s.label[r]] -= ct
		}
	}
	return Lowering{Rows: func(b *Batch) error { return eachSoftmax(b, rows, k, finish) }}
}

// Eval implements Op.
func (crossEntropyGradOp) Eval(in []*Tensor) (*Tensor, error) {
	var d []float64
	ct := in[2].F
	lead, err := evalClasses(in[0], in[1], func(x []float64, row, label int) {
		p := evalSoftmax(x)
		p[label]--
		for _, v := range p {
			d = append(d, v*ct[row])
		}
	})
	if err != nil {
		return nil, err
	}
	k := in[0].Shape[len(in[0].Shape)-1]
	return &Tensor{DType: in[0].DType, Shape: append(lead, k), F: append([]float64{}, d...)}, nil
}

var _ Op = crossEntropyGradOp{}
