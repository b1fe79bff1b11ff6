package models

import (
	"math"
	"math/rand/v2"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Growth says how large a tree may become, and what chance does to it.
//
// A tree has at most as many nodes as Noise has elements. The edges that a node wants
// to have share equally what the node does not need itself, and where that is less than
// a node for each, it has none. So subtrees need not wait for each other to know how
// many nodes are left. A bound of (3^(d+1)-1)/2 stops no tree with paths of up to d edges.
//
// Noise is added to the scores of words and edges, of which the largest word and all
// positive edges are taken. Zeros give the most probable choice everywhere; what
// SampleNoise returns makes a sample of the distribution.
type Growth struct {
	Noise graph.Value // [? words+3]
}

// SampleNoise returns the Noise, row-major, with which a tree of at most the given
// number of nodes is a random sample: nodes*(vocab+3) numbers. The largest of scores with
// Gumbel noise is distributed as their softmax, and a score with logistic noise is
// positive with the probability σ(score).
func SampleNoise(rng *rand.Rand, nodes, vocab int) []float32 {
	noise := make([]float32, 0, max(0, nodes*(vocab+fanOut)))
	for range nodes {
		for range vocab {
			noise = append(noise, float32(-math.Log(-math.Log(inside(rng)))))
		}
		for range fanOut {
			u := inside(rng)
			noise = append(noise, float32(math.Log(u/(1-u))))
		}
	}
	return noise
}

// inside draws from the numbers between 0 and 1, the ends left out.
func inside(rng *rand.Rand) float64 { return (float64(rng.Uint64()>>12) + 0.5) / (1 << 52) }

func (t *tdTreeLSTM) generate() *recursion.SubGraph[Growth, TDTree] {
	m := t.module
	// A node may take the elements from, ..., to-1 of the noise for its subtree.
	type bud struct {
		From, To graph.Value
		Edge     edge
	}
	noise := graph.F32(graph.Any, t.config.Vocab+fanOut)
	model := recursion.Declare(m, "generate", Growth{noise}, tdTreeSpec())
	return model.Define(func(g Growth) TDTree {
		subtree := recursion.Declare(m, "grown", bud{graph.I32(), graph.I32(), t.edgeSpec()}, tdTreeSpec())
		subtree.Define(func(b bud) TDTree {
			s, noise := t.follow(b.Edge), ops.At(g.Noise, b.From)
			logits := t.words.Apply(s.H)
			word := ops.ArgMax(ops.Add(logits, ops.Slice(noise, 0, 0, t.config.Vocab)), 0)
			edges := t.edges(b.Edge, s, word)
			scores := t.addScores(edges)
			wants := ops.Greater(ops.Add(scores, ops.Slice(noise, 0, t.config.Vocab, t.config.Vocab+fanOut)), m.Float(0))
			first := ops.Add(b.From, m.Int(1))
			has, share := divide(m, wants, ops.Sub(b.To, first))
			t.loss(logits, word, scores, has)
			var parts [fanOut]TDTree
			for k := range parts {
				grows := ops.At(has, m.Int(k))
				end := ops.Add(first, ops.Mul(share, ops.Cast(grows, graph.Int32)))
				from := first
				parts[k] = recursion.If(grows,
					func() TDTree { return subtree.Invoke(bud{from, end, edges[k]}) },
					func() TDTree { return emptyTDTree(m) })
				first = end
			}
			return joinTDTrees(m, word, parts)
		})
		return subtree.Invoke(bud{m.Int(0), ops.Len(g.Noise), t.first()})
	})
}

// divide returns which of the wanted edges there can be when their subtrees may have so
// many nodes, and how many each may have.
func divide(m *graph.Module, wants, nodes graph.Value) (has, share graph.Value) {
	count := ops.Sum(ops.Cast(wants, graph.Int32))
	share = ops.Div(nodes, ops.Maximum(count, m.Int(1)))
	return ops.And(wants, ops.GreaterEqual(share, m.Int(1))), share
}

func emptyTDTree(m *graph.Module) TDTree {
	none := ops.Range(m.Int(0))
	return TDTree{none, none, none, none}
}

// joinTDTrees makes a tree of what grows at the edges of a node.
func joinTDTrees(m *graph.Module, word graph.Value, parts [fanOut]TDTree) TDTree {
	offset := m.Int(0)
	var words, left, right, next, ends []graph.Value
	for _, p := range parts {
		// The nodes of this part come behind those of the parts before.
		moved := func(ids graph.Value) graph.Value {
			return ops.Where(ops.Less(ids, m.Int(0)), ids, ops.Add(ids, offset))
		}
		words, left = append(words, p.Word), append(left, moved(p.Left))
		right, next = append(right, moved(p.Right)), append(next, moved(p.Next))
		size := ops.Len(p.Word)
		offset = ops.Add(offset, size)
		end := ops.Where(ops.Equal(size, m.Int(0)), m.Int(-1), ops.Sub(offset, m.Int(1)))
		ends = append(ends, end)
	}
	with := func(lists []graph.Value, own graph.Value) graph.Value {
		return ops.Join(append(lists, ops.List(own))...)
	}
	return TDTree{with(words, word), with(left, ends[0]), with(right, ends[1]), with(next, ends[2])}
}
