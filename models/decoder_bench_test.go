package models_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

// Models that decide by what they compute, for 25 inputs at a time: all ready frames
// together, and one frame at a time, which is what deciding costs without batching.
func BenchmarkDecisions(b *testing.B) {
	const vocab, size, inputs = 1000, 150, 25
	rng := rand.New(rand.NewPCG(1, 2))
	for name, add := range map[string]func(m *graph.Module) (*graph.Graph, func() []exec.Array){
		"spinn": func(m *graph.Module) (*graph.Graph, func() []exec.Array) {
			c := models.SPINNConfig{Vocab: vocab, Embed: size, Hidden: size, Track: 50, Classes: 5}
			return models.NewSPINN(m, c).Parse.Graph(), func() []exec.Array {
				return []exec.Array{ints(randomWords(rng, 10+rng.IntN(20), vocab))}
			}
		},
		"tdtreelstm": func(m *graph.Module) (*graph.Graph, func() []exec.Array) {
			c := models.TDTreeLSTMConfig{Vocab: vocab, Embed: size, Hidden: size}
			return models.NewTDTreeLSTM(m, c).Generate.Graph(), func() []exec.Array {
				const nodes = 40
				return []exec.Array{{Shape: []int{nodes, vocab + 3}, F: models.SampleNoise(rng, nodes, vocab)}}
			}
		},
		"treetosequence": func(m *graph.Module) (*graph.Graph, func() []exec.Array) {
			c := models.TreeToSequenceConfig{Vocab: vocab, Embed: size, Hidden: size, Outputs: vocab}
			return models.NewTreeToSequence(m, c).Decode.Graph(), func() []exec.Array {
				t := randomBinary(rng, 5+rng.IntN(10))
				return []exec.Array{ints(randomWords(rng, len(t.word), vocab)), ints(t.left), ints(t.right), {I: []int32{20}}}
			}
		},
	} {
		m := graph.NewModule(name)
		g, draw := add(m)
		p, err := m.Build()
		if err != nil {
			b.Fatal(err)
		}
		all := make([][]exec.Array, inputs)
		for i := range all {
			all[i] = draw()
		}
		for how, batching := range map[string]exec.Batching{"together": exec.BatchAll, "one": exec.BatchOff} {
			b.Run(name+"/"+how, func(b *testing.B) {
				benchmarkRuns(b, p, g, all, exec.Options{Workers: 1, Batching: batching, NoSharing: true})
			})
		}
	}
}

func randomWords(rng *rand.Rand, n, vocab int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = rng.Int32N(int32(vocab))
	}
	return all
}

func benchmarkRuns(b *testing.B, p *graph.Program, g *graph.Graph, inputs [][]exec.Array, o exec.Options) {
	s, err := exec.New(p, o)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		if _, err := s.Run(context.Background(), g, inputs); err != nil {
			b.Fatal(err)
		}
	}
	stats := s.Stats()
	b.ReportMetric(float64(b.N*len(inputs))/b.Elapsed().Seconds(), "inputs/s")
	b.ReportMetric(float64(stats.FloatRows)/float64(stats.FloatBatches), "rows/batch")
}
