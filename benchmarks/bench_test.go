package main

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/benchmarks/contender"
	"github.com/frondml/frond/exec"
)

// BenchmarkTrees runs contenders one after the other, for profiles and for comparisons
// of two versions of this module. For comparisons with each other they should race.
func BenchmarkTrees(b *testing.B) {
	trees, err := loadTrees("sst", 256)
	require.NoError(b, err)
	for _, model := range append([]size{usual}, others...) {
		s := contender.Setting{Model: model.model, Corpus: trees, Embed: model.embed, Hidden: model.hidden, Workers: 1}
		f := &field{setting: s, batched: map[int][]*contender.Batch{}}
		if model == usual {
			ways(f)
		} else {
			modes(f)
		}
		require.NoError(b, f.err)
		for _, c := range f.contenders {
			for _, batch := range []int{1, 25} {
				for _, mode := range []string{"infer", "train"} {
					b.Run(fmt.Sprintf("%v/%s/%s/b%d", model, c.Name(), mode, batch), func(b *testing.B) {
						benchmarkTrees(b, c, mode, f.batches(batch))
					})
				}
			}
		}
		require.NoError(b, f.close())
	}
}

func benchmarkTrees(b *testing.B, c contender.Contender, mode string, batches []*contender.Batch) {
	do := c.Infer
	if mode == "train" {
		do = c.Train
	}
	for _, batch := range batches[:min(4, len(batches))] { // to a steady state
		_, err := do(batch)
		require.NoError(b, err)
	}
	counter, counts := c.(contender.Counter)
	if counts {
		counter.ResetStats()
	}
	sentences, nodes := 0, 0
	allocations := mallocs()
	for b.Loop() {
		batch := batches[sentences/len(batches[0].Trees)%len(batches)]
		if _, err := do(batch); err != nil {
			b.Fatal(err)
		}
		sentences += len(batch.Trees)
		for _, t := range batch.Trees {
			nodes += t.Len()
		}
	}
	b.ReportMetric(float64(mallocs()-allocations)/float64(nodes), "allocs/node")
	b.ReportMetric(float64(sentences)/b.Elapsed().Seconds(), "sentences/s")
	if counts {
		stats := counter.Stats()
		b.ReportMetric(stats.FloatRowsPerBatch(), "rows/batch")
	}
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// BenchmarkPrograms runs programs that do nothing but to invoke.
func BenchmarkPrograms(b *testing.B) {
	for _, c := range []struct {
		name string
		make func(int) (*program, error)
		n    int
	}{{"fib25", fib, fibArgument}, {"chain", count, chainLength}, {"gradient", decay, chainLength}} {
		b.Run(c.name, func(b *testing.B) {
			p, err := c.make(c.n)
			require.NoError(b, err)
			require.NoError(b, p.run())
			calls := float64(p.session.Stats().Calls)
			for b.Loop() {
				if err := p.run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/invocation")
			require.NoError(b, p.session.Close())
		})
	}
}

// BenchmarkUnrolled builds and plans the graphs of trees.
func BenchmarkUnrolled(b *testing.B) {
	trees, err := loadTrees("sst", 8)
	require.NoError(b, err)
	s := contender.Setting{Corpus: trees, Embed: usual.embed, Hidden: usual.hidden, Workers: 1}
	batches := contender.Batches(trees.Trees, 8)
	var spent contender.Preparation
	for b.Loop() {
		c, took, err := contender.NewUnrolled(unrolledTree, s, batches, exec.Options{})
		if err != nil {
			b.Fatal(err)
		}
		spent.Build += took.Build
		spent.Plan += took.Plan
		require.NoError(b, c.Close())
	}
	perTree := 1e3 / float64(b.N*len(trees.Trees))
	b.ReportMetric(spent.Build.Seconds()*perTree, "build-ms/tree")
	b.ReportMetric(spent.Plan.Seconds()*perTree, "plan-ms/tree")
}
