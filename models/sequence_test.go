package models_test

import (
	"math/rand/v2"
	"testing"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

// sequences are random words, of an empty sequence and of longer ones.
func sequences(seed uint64) (all [][]int32) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{0, 1, 4, 9} {
		drawn := rng.Perm(2 * words)[:n] // any word twice at most
		sequence := make([]int32, n)
		for i, word := range drawn {
			sequence[i] = int32(word / 2)
		}
		all = append(all, sequence)
	}
	return all
}

func TestLSTMEquations(t *testing.T) {
	in := sequences(1)
	labels := []int32{3, 0, -1, 4}
	e := equations{
		build: func(m *graph.Module) *graph.Graph {
			return models.NewLSTM(m, models.LSTMConfig{Vocab: words, Embed: embed, Hidden: hidden, Classes: classes}).Graph()
		},
		run: func(w weights, i int) ([]float64, float64) {
			s := memory{make([]float64, hidden), make([]float64, hidden)}
			for _, word := range in[i] {
				g := w.gate("", row(w["E"], word, embed), s.h)
				s = remember(block(g, 2, 4), add(
					mul(sigmoid(block(g, 0, 4)), tanh(block(g, 3, 4))),
					mul(sigmoid(block(g, 1, 4)), s.c)))
			}
			logits := w.linear("Ws", "bs", s.h)
			return logits, crossEntropy(logits, labels[i])
		},
	}
	for i, sequence := range in {
		e.inputs = append(e.inputs, []exec.Array{ints(sequence), {I: labels[i : i+1]}})
	}
	e.check(t)
}

func TestGRUEquations(t *testing.T) {
	in := sequences(2)
	for _, everyState := range []bool{false, true} {
		target := []float64{0.5, -0.25, 1, 0}
		e := equations{
			build: func(m *graph.Module) *graph.Graph {
				return models.NewGRU(m, models.GRUConfig{Vocab: words, Embed: embed, Hidden: hidden, EveryState: everyState}).Graph()
			},
			run: func(w weights, i int) (h []float64, loss float64) {
				h = make([]float64, hidden)
				for _, word := range in[i] {
					x := row(w["E"], word, embed)
					z, r := sigmoid(w.gate("z", x, h)), sigmoid(w.gate("r", x, h))
					h = add(mul(z, h), mul(complement(z), tanh(w.gate("c", x, mul(r, h)))))
					loss += halfSquare(h, target)
				}
				if !everyState {
					loss = halfSquare(h, target)
				}
				return h, loss
			},
		}
		for _, sequence := range in {
			e.inputs = append(e.inputs, []exec.Array{ints(sequence), {Shape: []int{hidden}, F: []float32{0.5, -0.25, 1, 0}}})
		}
		e.check(t)
	}
}

func halfSquare(x, y []float64) (sum float64) {
	for i := range x {
		sum += (x[i] - y[i]) * (x[i] - y[i]) / 2
	}
	return sum
}
