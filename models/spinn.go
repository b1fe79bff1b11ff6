package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Unparsed is a sentence without its tree.
type Unparsed struct {
	Word graph.Value // [?], one at least
}

// ParsedSentence is a sentence of n words with the binary tree over them. Transition k
// makes node k of the tree in post-order.
type ParsedSentence struct {
	Word       graph.Value // [?] n words, one at least
	Transition graph.Value // [?] 2n-1 transitions, each Shift or Reduce
	Label      graph.Value // [?] 2n-1, the class of each node; negative if not known
}

// The transitions of a shift-reduce parser: the next word is put on the stack, or the
// upper two elements of the stack become one.
const (
	Shift  = 0
	Reduce = 1
)

// SPINNConfig holds the sizes of a SPINN.
type SPINNConfig struct {
	Vocab   int // words
	Embed   int // elements of a word vector
	Hidden  int // elements of h and of c
	Track   int // elements of the tracking LSTM's h and c
	Classes int
}

// SPINN is a parser that computes the meaning of what it parses, with two graphs that
// share its variables.
type SPINN struct {
	// Train goes through the given transitions.
	Train *recursion.SubGraph[ParsedSentence, Scores]
	// Parse makes its own transitions.
	Parse *recursion.SubGraph[Unparsed, Scores]
}

// NewSPINN adds the stack-augmented parser-interpreter of Bowman et al. (ACL 2016,
// section 3, SPINN-PI). It reads the words of a sentence from a buffer and composes
// them on a stack. b is the next word of the buffer, s1 the top of the stack and s2
// what lies below it; what does not exist is 0.
//
//	word       [h c]           = Wwd E[w] + bwd
//	tracking   t, tc           = LSTMt([hb hs1 hs2], t, tc)
//	choice     p(transition)   = softmax(Wtrans t + btrans)
//	shift      s1 = b, what was s1 lies below
//	reduce     [i f1 f2 o g]   = Wcomp [hs1 hs2 t] + bcomp
//	           c = σ(f2) ⊙ cs2 + σ(f1) ⊙ cs1 + σ(i) ⊙ tanh(g)    h = σ(o) ⊙ tanh(c)
//	class      logits          = Ws h + bs
//
// LSTMt is that of LSTMCell. A parser can only shift while the stack has fewer than two
// elements, and only reduce when the buffer is empty; else it takes the more probable
// transition, or in Train the given one. It ends when the buffer is empty and the stack
// has one element, whose logits are the result. The loss of Train is the sum of the
// cross-entropies of the labels and, where there is a choice, of the transitions. Row k
// of the table "transition" of a run says what transition k was.
//
// The paper classifies pairs of sentences by a network over both roots; here all
// labelled nodes are classified alike. It also trains on the model's own transitions
// now and then, which is left out.
func NewSPINN(m *graph.Module, c SPINNConfig) SPINN {
	graph.Helper()
	s := &spinn{
		module:    m,
		config:    c,
		embedding: NewEmbedding(m, "E", c.Vocab, c.Embed),
		word:      NewLinear(m, "Wwd", "bwd", c.Embed, 2*c.Hidden),
		track:     NewLSTMCell(m, "t", 3*c.Hidden, c.Track),
		choice:    NewLinear(m, "Wtrans", "btrans", c.Track, 2),
		compose:   NewLinear(m, "Wcomp", "bcomp", 2*c.Hidden+c.Track, 5*c.Hidden),
		class:     NewLinear(m, "Ws", "bs", c.Hidden, c.Classes),
	}
	return SPINN{Train: s.train(), Parse: s.parse()}
}

type spinn struct {
	module                       *graph.Module
	config                       SPINNConfig
	embedding                    Embedding
	word, choice, compose, class Linear
	track                        LSTMCell
}

func (s *spinn) train() *recursion.SubGraph[ParsedSentence, Scores] {
	ids := graph.I32(graph.Any)
	in := ParsedSentence{Word: ids, Transition: ids, Label: ids}
	model := recursion.Declare(s.module, "train", in, Scores{graph.F32(s.config.Classes)})
	return model.Define(func(in ParsedSentence) Scores {
		return s.interpret("trained", in.Word, policy{
			choose: func(k, logits, free graph.Value) graph.Value {
				given := ops.At(in.Transition, k)
				recursion.Loss(ops.Mul(ops.CrossEntropy(logits, given), ops.Cast(free, graph.Float32)))
				return given
			},
			made: func(k graph.Value, node LSTMState) {
				recursion.Loss(crossEntropyIfKnown(s.class.Apply(node.H), ops.At(in.Label, k)))
			},
		})
	})
}

func (s *spinn) parse() *recursion.SubGraph[Unparsed, Scores] {
	in := Unparsed{Word: graph.I32(graph.Any)}
	model := recursion.Declare(s.module, "parse", in, Scores{graph.F32(s.config.Classes)})
	return model.Define(func(in Unparsed) Scores {
		return s.interpret("parsed", in.Word, policy{
			choose: func(_, logits, _ graph.Value) graph.Value { return ops.ArgMax(logits, 0) },
			made:   func(graph.Value, LSTMState) {},
		})
	})
}

// policy decides what a parser does and hears of what it has done.
type policy struct {
	// choose returns transition k, given the logits of both and whether both can be.
	choose func(k, logits, free graph.Value) graph.Value
	// made is called with node k of the tree.
	made func(k graph.Value, node LSTMState)
}
