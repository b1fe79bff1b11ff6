package level

import "github.com/frondml/frond/internal/kernel"

// share is the part of count that a worker does.
func (n *Network) share(worker, count int) (lo, hi int) {
	return count * worker / n.Workers, count * (worker + 1) / n.Workers
}

// weightGradients computes one worker's panels of the gradients of all weights, over
// the rows of all segments. The last worker also sees to the embedding.
func (n *Network) weightGradients(worker int) {
	for k, s := range n.segments {
		add, inner := k > 0, s.nodes-s.leaves
		p0, p1 := n.share(worker, n.leaf.grad.Panels)
		e := &n.embedding
		kernel.GemmTN(s.leaves, e.value, e.ld, s.words, s.dLeafGates, s.ldLeaf, nil, n.Embed, 3*n.Hidden, n.leaf.grad, add, p0, p1)
		p0, p1 = n.share(worker, n.inner.grad.Panels)
		kernel.GemmTN(inner, s.x, s.ldX, nil, s.dInnerGates, s.ldInner, nil, 2*n.Hidden, 5*n.Hidden, n.inner.grad, add, p0, p1)
		p0, p1 = n.share(worker, n.class.grad.Panels)
		kernel.GemmTN(s.nodes, s.h, s.ldH, nil, s.probs, n.Classes, nil, n.Hidden, n.Classes, n.class.grad, add, p0, p1)
	}
	if worker == 0 {
		n.biasGradients()
	}
	if worker == n.Workers-1 {
		n.embedding.collect(n.segments)
	}
}

func (n *Network) biasGradients() {
	for k, s := range n.segments {
		for _, b := range []struct{ total, part []float32 }{
			{n.leaf.biasGrad, s.dLeafBias}, {n.inner.biasGrad, s.dInnerBias}, {n.class.biasGrad, s.dClassBias},
		} {
			if k == 0 {
				copy(b.total, b.part)
			} else {
				kernel.AddTo(b.total, b.part)
			}
		}
	}
}

// update changes one worker's share of the parameters.
func (n *Network) update(worker int, rate, eps float32) {
	for _, l := range []*layer{n.leaf, n.inner, n.class} {
		p0, p1 := n.share(worker, l.w.Panels)
		l.update(p0, p1, rate, eps)
	}
	if worker == n.Workers-1 {
		n.embedding.update(rate, eps)
	}
	n.team.wait()
	if worker == 0 {
		for _, l := range []*layer{n.leaf, n.inner, n.class} {
			l.updateBias(rate, eps)
			kernel.TransposePacked(l.wt, l.w)
		}
	}
}

// Gradient returns a copy of the gradient that the last call of Gradients or Train
// computed.
func (n *Network) Gradient() Parameters {
	var p Parameters
	p.W, p.BW = n.leaf.unpack(n.leaf.grad), append(p.BW, n.leaf.biasGrad...)
	p.U, p.BU = n.inner.unpack(n.inner.grad), append(p.BU, n.inner.biasGrad...)
	p.Ws, p.Bs = n.class.unpack(n.class.grad), append(p.Bs, n.class.biasGrad...)
	e := &n.embedding
	p.E = make([]float32, n.Vocab*n.Embed)
	for i, w := range e.used {
		copy(p.E[int(w)*e.width:int(w+1)*e.width], e.grad[i*e.ld:])
	}
	return p
}
