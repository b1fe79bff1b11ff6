package level

import (
	"fmt"

	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/internal/kernel"
)

// Config holds the sizes of a network and how it is executed.
type Config struct {
	Vocab, Embed, Hidden, Classes int

	// Workers is the number of goroutines among which the trees of a mini-batch
	// are dealt, at least 1.
	Workers int
	// MaxRows limits the rows of a product on the way forward and of what the
	// adjoints of its rows are computed by; 0 means no limit. With 1 the network
	// is an executor of single nodes that costs nothing.
	MaxRows int
}

// Parameters are the variables, or their gradients, row-major.
type Parameters struct {
	E  []float32 // [vocab embed]
	W  []float32 // [3·hidden embed]
	BW []float32 // [3·hidden]
	U  []float32 // [5·hidden 2·hidden]
	BU []float32 // [5·hidden]
	Ws []float32 // [classes hidden]
	Bs []float32 // [classes]
}

// Network is a Tree-LSTM and the memory it works in.
type Network struct {
	Config
	embedding          embedding
	leaf, inner, class *layer

	team     *team
	segments []*segment // one per worker
}

// New returns a network with a copy of the parameters p.
func New(c Config, p Parameters) (*Network, error) {
	if c.Workers < 1 || c.MaxRows < 0 {
		return nil, fmt.Errorf("level: %d workers and %d rows at most, want at least 1 and 0", c.Workers, c.MaxRows)
	}
	h := c.Hidden
	for _, v := range []struct {
		name      string
		got, want int
	}{
		{"E", len(p.E), c.Vocab * c.Embed},
		{"W", len(p.W), 3 * h * c.Embed}, {"BW", len(p.BW), 3 * h},
		{"U", len(p.U), 5 * h * 2 * h}, {"BU", len(p.BU), 5 * h},
		{"Ws", len(p.Ws), c.Classes * h}, {"Bs", len(p.Bs), c.Classes},
	} {
		if v.got != v.want {
			return nil, fmt.Errorf("level: %d elements of %s, want %d", v.got, v.name, v.want)
		}
	}
	n := &Network{
		Config:    c,
		embedding: newEmbedding(p.E, c.Vocab, c.Embed),
		leaf:      newLayer(p.W, p.BW, c.Embed, 3*h),
		inner:     newLayer(p.U, p.BU, 2*h, 5*h),
		class:     newLayer(p.Ws, p.Bs, h, c.Classes),
		team:      newTeam(c.Workers),
	}
	for range c.Workers {
		n.segments = append(n.segments, newSegment(n))
	}
	return n, nil
}

// Parameters returns a copy of the variables.
func (n *Network) Parameters() Parameters {
	p := Parameters{E: n.embedding.rows(n.embedding.value)}
	p.W, p.BW = n.leaf.unpack(n.leaf.w), append(p.BW, n.leaf.bias...)
	p.U, p.BU = n.inner.unpack(n.inner.w), append(p.BU, n.inner.bias...)
	p.Ws, p.Bs = n.class.unpack(n.class.w), append(p.Bs, n.class.bias...)
	return p
}

// Infer evaluates the trees. If scores [trees classes] is not nil, it receives the
// logits of the roots. The result is the sum of the losses of all nodes.
func (n *Network) Infer(trees []*corpus.Tree, scores []float32) float64 {
	n.deal(trees)
	n.team.run(func(worker int) { n.forward(n.segments[worker]) })
	if scores != nil {
		n.rootScores(scores)
	}
	return n.loss()
}

// Gradients evaluates the trees and computes the gradient of the sum of all losses.
func (n *Network) Gradients(trees []*corpus.Tree) float64 {
	n.deal(trees)
	n.team.run(n.gradients)
	return n.loss()
}

// Train computes the gradients and changes the parameters by a step of Adagrad.
func (n *Network) Train(trees []*corpus.Tree, rate, eps float32) float64 {
	n.deal(trees)
	n.team.run(func(worker int) {
		n.gradients(worker)
		n.team.wait()
		n.update(worker, rate, eps)
	})
	return n.loss()
}

// gradients is one worker's part: first its trees, then its share of every weight.
func (n *Network) gradients(worker int) {
	s := n.segments[worker]
	n.forward(s)
	n.backward(s)
	n.team.wait()
	n.weightGradients(worker)
}

func (n *Network) loss() float64 {
	sum := 0.0
	for _, s := range n.segments {
		sum += s.loss
	}
	return sum
}

// deal gives every tree to the worker that has the fewest nodes so far.
func (n *Network) deal(trees []*corpus.Tree) {
	for _, s := range n.segments {
		s.trees, s.index, s.nodes = s.trees[:0], s.index[:0], 0
	}
	for i, t := range trees {
		least := n.segments[0]
		for _, s := range n.segments[1:] {
			if s.nodes < least.nodes {
				least = s
			}
		}
		least.trees, least.index = append(least.trees, t), append(least.index, i)
		least.nodes += t.Len()
	}
}

func (n *Network) rootScores(scores []float32) {
	for _, s := range n.segments {
		for i, row := range s.roots {
			copy(scores[s.index[i]*n.Classes:(s.index[i]+1)*n.Classes], s.logits[int(row)*n.Classes:])
		}
	}
}

// product is Gemm, limited to MaxRows at a time.
func (n *Network) product(m int, a []float32, lda int, rows []int32, b *kernel.Packed, c []float32, ldc int, bias []float32) {
	if n.MaxRows == 0 {
		kernel.Gemm(m, a, lda, rows, b, c, ldc, bias, false)
		return
	}
	for i := 0; i < m; i += n.MaxRows {
		k := min(n.MaxRows, m-i)
		if rows != nil {
			kernel.Gemm(k, a, lda, rows[i:i+k], b, c[i*ldc:], ldc, bias, false)
		} else {
			kernel.Gemm(k, a[i*lda:], lda, nil, b, c[i*ldc:], ldc, bias, false)
		}
	}
}
