package level

import (
	"slices"

	"github.com/frondml/frond/internal/kernel"
)

// layer is y = W x + b with all that training needs. Weight, gradient and the state
// of the optimiser share the packed layout, so updates need not know it.
type layer struct {
	w          *kernel.Packed // Wᵀ [in out], for y = x·Wᵀ
	wt         *kernel.Packed // W [out in], for dx = dy·W
	grad       *kernel.Packed // like w
	sums       []float32      // of squares of gradients, like w
	bias       []float32
	biasGrad   []float32
	biasSums   []float32
	inputs, to int
}

func newLayer(w, bias []float32, in, out int) *layer {
	l := &layer{
		w: kernel.NewPacked(in, out), wt: kernel.NewPacked(out, in), grad: kernel.NewPacked(in, out),
		bias: slices.Clone(bias), biasGrad: make([]float32, out), biasSums: make([]float32, out),
		inputs: in, to: out,
	}
	l.sums = kernel.Aligned(len(l.w.Data))
	kernel.Pack(l.w, w, in, true)
	kernel.TransposePacked(l.wt, l.w)
	return l
}

// unpack returns a matrix like w as [out in].
func (l *layer) unpack(p *kernel.Packed) []float32 {
	w := make([]float32, l.inputs*l.to)
	p.Unpack(w, l.inputs, true)
	return w
}

// update changes the panels from p0 to p1-1.
func (l *layer) update(p0, p1 int, rate, eps float32) {
	lo, hi := p0*l.inputs*kernel.PanelWidth, p1*l.inputs*kernel.PanelWidth
	kernel.Adagrad(l.w.Data[lo:hi], l.sums[lo:hi], l.grad.Data[lo:hi], rate, eps)
}

func (l *layer) updateBias(rate, eps float32) {
	kernel.Adagrad(l.bias, l.biasSums, l.biasGrad, rate, eps)
}

// addRows adds n rows of a matrix to sum.
func addRows(sum, rows []float32, n, ld int) {
	for i := range n {
		kernel.AddTo(sum, rows[i*ld:i*ld+len(sum)])
	}
}
