package models_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

const track = 2

var spinnConfig = models.SPINNConfig{Vocab: words, Embed: embed, Hidden: hidden, Track: track, Classes: classes}

// parser is a shift-reduce parser with its stack as a slice, the last element on top.
type parser struct {
	w       weights
	buffer  []memory
	pos     int
	stack   []memory
	tracker memory
	done    []int32
}

func newParser(w weights, sentence []int32) *parser {
	p := &parser{w: w, tracker: memory{make([]float64, track), make([]float64, track)}}
	for _, word := range sentence {
		hc := w.linear("Wwd", "bwd", row(w["E"], word, embed))
		p.buffer = append(p.buffer, memory{block(hc, 0, 2), block(hc, 1, 2)})
	}
	return p
}

// fromTop is element i of the stack, from the top, or zeros.
func (p *parser) fromTop(i int) memory {
	if i < len(p.stack) {
		return p.stack[len(p.stack)-1-i]
	}
	return memory{make([]float64, hidden), make([]float64, hidden)}
}

// look moves the tracking LSTM on and returns the logits of the transitions.
func (p *parser) look() []float64 {
	next := make([]float64, hidden)
	if p.pos < len(p.buffer) {
		next = p.buffer[p.pos].h
	}
	p.tracker = p.w.lstm("t", concat(next, p.fromTop(0).h, p.fromTop(1).h), p.tracker)
	return p.w.linear("Wtrans", "btrans", p.tracker.h)
}

// free reports whether both transitions can be.
func (p *parser) free() bool { return len(p.stack) >= 2 && p.pos < len(p.buffer) }

// do makes the transition, or the only one that there is.
func (p *parser) do(transition int32) {
	if len(p.stack) < 2 {
		transition = models.Shift
	} else if p.pos == len(p.buffer) {
		transition = models.Reduce
	}
	p.done = append(p.done, transition)
	if transition == models.Shift {
		p.stack = append(p.stack, p.buffer[p.pos])
		p.pos++
		return
	}
	top, below := p.fromTop(0), p.fromTop(1)
	g := p.w.linear("Wcomp", "bcomp", concat(top.h, below.h, p.tracker.h))
	gate := func(i int) []float64 { return sigmoid(block(g, i, 5)) }
	c := add(mul(gate(2), below.c), mul(gate(1), top.c), mul(gate(0), tanh(block(g, 4, 5))))
	p.stack = append(p.stack[:len(p.stack)-2], remember(block(g, 3, 5), c))
}

// parse runs the parser to its end and returns the logits of the root.
func (p *parser) parse(choose func(k int, logits []float64) int32, made func(k int, node memory)) []float64 {
	for k := range 2*len(p.buffer) - 1 {
		p.do(choose(k, p.look()))
		made(k, p.fromTop(0))
	}
	return p.w.linear("Ws", "bs", p.fromTop(0).h)
}

// own parses by the parser's own decisions.
func (p *parser) own() []float64 {
	return p.parse(func(_ int, logits []float64) int32 { return largest(logits) }, func(int, memory) {})
}

// parsed is an input of SPINN.Train.
type parsed struct{ word, transition, label []int32 }

// sentences are those of binary trees.
func sentences(seed uint64) (all []parsed, inputs [][]exec.Array) {
	trees, _ := binaries(seed)
	for _, t := range trees {
		var p parsed
		var visit func(i int32)
		visit = func(i int32) {
			if t.left[i] < 0 {
				p.word, p.transition = append(p.word, t.word[i]), append(p.transition, models.Shift)
			} else {
				visit(t.left[i])
				visit(t.right[i])
				p.transition = append(p.transition, models.Reduce)
			}
			p.label = append(p.label, t.label[i])
		}
		visit(int32(len(t.word) - 1))
		all = append(all, p)
		inputs = append(inputs, []exec.Array{ints(p.word), ints(p.transition), ints(p.label)})
	}
	return all, inputs
}

func TestSPINNTrainEquations(t *testing.T) {
	all, inputs := sentences(9)
	equations{
		build:  func(m *graph.Module) *graph.Graph { return models.NewSPINN(m, spinnConfig).Train.Graph() },
		inputs: inputs,
		run: func(w weights, i int) (logits []float64, loss float64) {
			in := all[i]
			p := newParser(w, in.word)
			logits = p.parse(func(k int, logits []float64) int32 {
				if p.free() {
					loss += crossEntropy(logits, in.transition[k])
				}
				return in.transition[k]
			}, func(k int, node memory) {
				loss += crossEntropy(w.linear("Ws", "bs", node.h), in.label[k])
			})
			return logits, loss
		},
	}.check(t)
}

func spinnSession(t *testing.T, o exec.Options) (models.SPINN, *exec.Session, weights) {
	t.Helper()
	m := graph.NewModule("spinn")
	model := models.NewSPINN(m, spinnConfig)
	p, err := m.Build()
	require.NoError(t, err)
	s, err := exec.New(p, o)
	require.NoError(t, err)
	return model, s, randomWeights(t, s)
}

func randomSentences(n, longest int) (all [][]int32, inputs [][]exec.Array) {
	rng := rand.New(rand.NewPCG(21, 0))
	for range n {
		sentence := make([]int32, 1+rng.IntN(longest))
		for i := range sentence {
			sentence[i] = rng.Int32N(words)
		}
		all, inputs = append(all, sentence), append(inputs, []exec.Array{ints(sentence)})
	}
	return all, inputs
}

// Sentences are parsed together, each by its own decisions, which are those of a parser
// with an ordinary stack; they have the results that each has alone.
func TestSPINNParsesByItsOwnDecisions(t *testing.T) {
	model, s, w := spinnSession(t, exec.Options{Workers: 1, NoSharing: true})
	for _, v := range s.Program().Variables { // decisions that depend on the words
		x, scale := s.Parameters().Value(v), float32(3)
		if v.Name == "bt" || v.Name == "btrans" {
			scale = 0
		}
		for i := range x {
			x[i] *= scale
			w[v.Name][i] = float64(x[i])
		}
		require.NoError(t, s.Parameters().Set(v, x))
	}
	all, inputs := randomSentences(60, 12)
	s.ResetStats()
	r, err := s.Run(context.Background(), model.Parse.Graph(), inputs)
	require.NoError(t, err)
	stats := s.Stats()
	assert.Greater(t, stats.FloatRows, 8*stats.FloatBatches, "sentences are parsed together")

	parses := map[string]bool{}
	for i, sentence := range all {
		p := newParser(w, sentence)
		logits := p.own()
		table := r.Tables[i]["transition"]
		assert.Equal(t, p.done, table.Ints, "sentence %d", i)
		for k, key := range table.Keys {
			assert.EqualValues(t, k, key)
		}
		for c, x := range r.Outputs[i][0].F {
			assert.InDelta(t, logits[c], x, 1e-5)
		}
		alone, err := s.Run(context.Background(), model.Parse.Graph(), inputs[i:i+1])
		require.NoError(t, err)
		assert.Equal(t, alone.Outputs[0], r.Outputs[i])
		parses[fmt.Sprint(p.done)] = true
	}
	assert.Greater(t, len(parses), 30, "the parses differ")
}

// Training on the transitions that a parser makes itself gives the same root.
func TestSPINNTrainAndParseAgree(t *testing.T) {
	model, s, w := spinnSession(t, exec.Options{Workers: 2})
	all, inputs := randomSentences(20, 9)
	var taught [][]exec.Array
	for _, sentence := range all {
		p := newParser(w, sentence)
		p.own()
		none := make([]int32, len(p.done))
		for i := range none {
			none[i] = -1
		}
		taught = append(taught, []exec.Array{ints(sentence), ints(p.done), ints(none)})
	}
	own, err := s.Run(context.Background(), model.Parse.Graph(), inputs)
	require.NoError(t, err)
	given, err := s.Run(context.Background(), model.Train.Graph(), taught)
	require.NoError(t, err)
	assert.Equal(t, own.Outputs, given.Outputs)
	assert.Equal(t, own.Tables, given.Tables)
}

// A stack of any depth is made of frames, not of the Go stack.
func TestSPINNReadsLongSentences(t *testing.T) {
	model, s, _ := spinnSession(t, exec.Options{Workers: 1})
	// The choice is always to shift, so that the stack grows to the end.
	setVariable(t, s, "Wtrans", make([]float32, 2*track))
	setVariable(t, s, "btrans", []float32{1, 0})
	sentence := make([]int32, 5000)
	r, err := s.Run(context.Background(), model.Parse.Graph(), [][]exec.Array{{ints(sentence)}})
	require.NoError(t, err)
	assert.Len(t, r.Tables[0]["transition"].Keys, 2*len(sentence)-1)
}

func TestSPINNMistakesAreErrors(t *testing.T) {
	model, s, _ := spinnSession(t, exec.Options{})
	run := func(g *graph.Graph, in ...exec.Array) error {
		_, err := s.Run(context.Background(), g, [][]exec.Array{in})
		return err
	}
	train, parse := model.Train.Graph(), model.Parse.Graph()
	assert.Error(t, run(parse, ints([]int32{})), "there is no word")
	assert.Error(t, run(parse, ints([]int32{words})), "there is no such word")
	pair, none := ints([]int32{0, 1}), ints([]int32{-1, -1, -1})
	assert.Error(t, run(train, pair, ints([]int32{0, 0}), none), "a transition is missing")
	assert.Error(t, run(train, pair, ints([]int32{0, 0, 1}), ints([]int32{-1})), "labels are missing")
	assert.Error(t, run(train, pair, ints([]int32{0, 2, 1}), none), "there are two transitions")
	assert.NoError(t, run(train, pair, ints([]int32{0, 0, 1}), none))
}
