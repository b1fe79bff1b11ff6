package level

import "github.com/frondml/frond/internal/kernel"

// backward computes the adjoints of all rows of a segment.
func (n *Network) backward(s *segment) {
	clear(s.dClassBias)
	clear(s.dInnerBias)
	clear(s.dLeafBias)
	s.resizeBackward()
	if s.nodes == 0 {
		return
	}
	for i, label := range s.labels {
		s.probs[i*n.Classes+int(label)]-- // the adjoints of the logits
	}
	addRows(s.dClassBias, s.probs, s.nodes, n.Classes)
	n.product(s.nodes, s.probs, n.Classes, nil, n.class.wt, s.dH, s.ldH, nil)
	for _, r := range s.roots {
		clear(n.hidden(s, s.dC, int(r)))
	}
	for l := len(s.levels) - 2; l >= 0; l-- {
		lo, hi := s.levels[l], s.levels[l+1]
		for i := lo; i < hi; i++ {
			n.innerAdjoint(s, i)
		}
		n.product(hi-lo, s.dInnerGates[lo*s.ldInner:], s.ldInner, nil, n.inner.wt, s.dX[lo*s.ldX:], s.ldX, nil)
		for i := lo; i < hi; i++ {
			n.scatter(s, i)
		}
	}
	for i := range s.leaves {
		n.leafAdjoint(s, i)
	}
	n.product(s.leaves, s.dLeafGates, s.ldLeaf, nil, n.leaf.wt, s.dLeafX, s.ldE, nil)
	addRows(s.dInnerBias, s.dInnerGates, s.nodes-s.leaves, s.ldInner)
	addRows(s.dLeafBias, s.dLeafGates, s.leaves, s.ldLeaf)
}

// scatter hands the adjoints of the inputs of inner node i to its children.
func (n *Network) scatter(s *segment, i int) {
	x := s.dX[i*s.ldX : i*s.ldX+2*n.Hidden]
	kernel.AddTo(n.hidden(s, s.dH, int(s.left[i])), x[:n.Hidden])
	kernel.AddTo(n.hidden(s, s.dH, int(s.right[i])), x[n.Hidden:])
}

// cellAdjoint adds to dC what row r contributes through its output, whose gate is
// out, and sets dOut to the adjoint of out.
func (n *Network) cellAdjoint(s *segment, r int, out, dOut []float32) []float32 {
	dh, dc, tc := n.hidden(s, s.dH, r), n.hidden(s, s.dC, r), n.hidden(s, s.tc, r)
	kernel.Mul(dOut, dh, tc)
	kernel.Mul(s.tmp, dh, out)
	kernel.AddDTanh(dc, s.tmp, tc)
	return dc
}

func (n *Network) innerAdjoint(s *segment, i int) {
	h, r := n.Hidden, s.leaves+i
	left, right := int(s.left[i]), int(s.right[i])
	g := s.innerGates[i*s.ldInner : i*s.ldInner+5*h]
	d := s.dInnerGates[i*s.ldInner : i*s.ldInner+5*h]
	in, forgetL, forgetR, u := g[:h], g[h:2*h], g[2*h:3*h], g[4*h:]
	dc := n.cellAdjoint(s, r, g[3*h:4*h], d[3*h:4*h])
	kernel.Mul(d[:h], dc, u)
	kernel.Mul(d[h:2*h], dc, n.hidden(s, s.c, left))
	kernel.Mul(d[2*h:3*h], dc, n.hidden(s, s.c, right))
	kernel.DSigmoid(d[:4*h], d[:4*h], g[:4*h])
	kernel.Mul(s.tmp, dc, in)
	kernel.DTanh(d[4*h:], s.tmp, u)
	// A node of a tree has one parent, so there is nothing to add to.
	kernel.Mul(n.hidden(s, s.dC, left), dc, forgetL)
	kernel.Mul(n.hidden(s, s.dC, right), dc, forgetR)
}

func (n *Network) leafAdjoint(s *segment, i int) {
	h := n.Hidden
	g := s.leafGates[i*s.ldLeaf : i*s.ldLeaf+3*h]
	d := s.dLeafGates[i*s.ldLeaf : i*s.ldLeaf+3*h]
	in, u := g[:h], g[2*h:]
	dc := n.cellAdjoint(s, i, g[h:2*h], d[h:2*h])
	kernel.Mul(d[:h], dc, u)
	kernel.DSigmoid(d[:2*h], d[:2*h], g[:2*h])
	kernel.Mul(s.tmp, dc, in)
	kernel.DTanh(d[2*h:], s.tmp, u)
}
