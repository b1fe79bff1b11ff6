package level

import (
	"math"
	"slices"

	"github.com/frondml/frond/internal/kernel"
)

// forward computes the states, scores and losses of a segment.
func (n *Network) forward(s *segment) {
	s.loss = 0
	s.order()
	s.resizeForward(n.Classes)
	if s.nodes == 0 {
		return
	}
	n.product(s.leaves, n.embedding.value, n.embedding.ld, s.words, n.leaf.w, s.leafGates, s.ldLeaf, n.leaf.bias)
	for i := range s.leaves {
		n.leafCell(s, i)
	}
	for l := range len(s.levels) - 1 {
		lo, hi := s.levels[l], s.levels[l+1]
		for i := lo; i < hi; i++ {
			n.gather(s, i)
		}
		n.product(hi-lo, s.x[lo*s.ldX:], s.ldX, nil, n.inner.w, s.innerGates[lo*s.ldInner:], s.ldInner, n.inner.bias)
		for i := lo; i < hi; i++ {
			n.innerCell(s, i)
		}
	}
	n.product(s.nodes, s.h, s.ldH, nil, n.class.w, s.logits, n.Classes, n.class.bias)
	s.loss = n.losses(s)
}

// gather puts the outputs of the children of inner node i side by side.
func (n *Network) gather(s *segment, i int) {
	x := s.x[i*s.ldX : i*s.ldX+2*n.Hidden]
	copy(x[:n.Hidden], s.h[int(s.left[i])*s.ldH:])
	copy(x[n.Hidden:], s.h[int(s.right[i])*s.ldH:])
}

// hidden returns row r of a matrix of hidden columns.
func (n *Network) hidden(s *segment, matrix []float32, r int) []float32 {
	return matrix[r*s.ldH : r*s.ldH+n.Hidden]
}

func (n *Network) leafCell(s *segment, i int) {
	h := n.Hidden
	g := s.leafGates[i*s.ldLeaf : i*s.ldLeaf+3*h]
	kernel.Sigmoid(g[:2*h], g[:2*h])
	kernel.Tanh(g[2*h:], g[2*h:])
	in, out, u := g[:h], g[h:2*h], g[2*h:]
	c, tc := n.hidden(s, s.c, i), n.hidden(s, s.tc, i)
	kernel.Mul(c, in, u)
	kernel.Tanh(tc, c)
	kernel.Mul(n.hidden(s, s.h, i), out, tc)
}

func (n *Network) innerCell(s *segment, i int) {
	h, r := n.Hidden, s.leaves+i
	g := s.innerGates[i*s.ldInner : i*s.ldInner+5*h]
	kernel.Sigmoid(g[:4*h], g[:4*h])
	kernel.Tanh(g[4*h:], g[4*h:])
	in, forgetL, forgetR, out, u := g[:h], g[h:2*h], g[2*h:3*h], g[3*h:4*h], g[4*h:]
	c, tc := n.hidden(s, s.c, r), n.hidden(s, s.tc, r)
	kernel.Mul(c, in, u)
	kernel.MulAdd(c, forgetL, n.hidden(s, s.c, int(s.left[i])))
	kernel.MulAdd(c, forgetR, n.hidden(s, s.c, int(s.right[i])))
	kernel.Tanh(tc, c)
	kernel.Mul(n.hidden(s, s.h, r), out, tc)
}

// losses computes the probabilities of the classes and the sum of the losses. Rows
// are short, so the exponentials of all of them are taken at once.
func (n *Network) losses(s *segment) float64 {
	k, loss := n.Classes, 0.0
	for i, label := range s.labels {
		row := s.logits[i*k : (i+1)*k]
		top := slices.Max(row)
		loss += float64(top - row[label])
		for j, v := range row {
			s.probs[i*k+j] = v - top
		}
	}
	kernel.Exp(s.probs, s.probs)
	for i := range s.labels {
		row := s.probs[i*k : (i+1)*k]
		sum := float32(0)
		for _, v := range row {
			sum += v
		}
		loss += math.Log(float64(sum))
		scale := 1 / sum
		for j := range row {
			row[j] *= scale
		}
	}
	return loss
}
