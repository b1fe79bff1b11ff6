package main

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/benchmarks/contender"
	"github.com/frondml/frond/benchmarks/measure"
	"github.com/frondml/frond/benchmarks/report"
)

// figures compares what was measured with what is required.
func figures(r *report.Report) []report.Figure {
	j := judge{r}
	return []report.Figure{
		j.ratio("unshared / hand-written, batch 25 and 128, 1 and 2 workers", 0.95, frondUnshared, level, sst().batches(25, 128)),
		j.ratio("shared / hand-written, training on SST, batch 25", 1.10, frond, level, sst().modes("train").batches(25).workers(1)),
		j.ratio("shared / hand-written, training on SST, batch 128", 1.20, frond, level, sst().modes("train").batches(128).workers(1)),
		j.ratio("kept rows / hand-written, inference, words seen before, batch 25 and 128", 1.45, frond, level, sst().modes("infer").batches(25, 128).workers(1)),
		j.ratio("one tree, 1 worker / hand-written", 0.92, frond, level, sst().batches(1).workers(1)),
		j.peak("operations of the products in training / peak, batch 25 and more, one core", 0.65, sst().modes("train").batches(25, 128).workers(1)),
		j.ratio("training, batch 25, one core / PyTorch, natural recursion", 45, frond, torchNatural, of("rivals").modes("train").batches(25)),
		j.ratio("training, batch 25, one core / PyTorch, by level, backward by hand", 2, frond, torchLevel, of("rivals").modes("train").batches(25)),
		j.scaling("2 workers / 1 worker, batch 25 and more", 1.8, sst().batches(25, 128)),
		j.scaling("2 workers / 1 worker, one balanced tree of 256 leaves", 1.5, of("tree")),
		j.ratio("recursive / iterative over the mini-batch, balanced trees, batch 25", 1.3, frond, iterativeBatch, of("").sized(usual).trees("balanced").batches(25).workers(1)),
		j.ratio("recursive / iterative over the mini-batch, SST, batch 25", 1.3, frond, iterativeBatch, sst().batches(25).workers(1)),
		j.ratio("recursive / iterative over the mini-batch, linear trees, batch 25", 0.95, frond, iterativeBatch, of("").sized(usual).trees("linear").batches(25).workers(1)),
		j.ratio("batched / unbatched, batch 25", 2, frond, frondUnbatched, sst().batches(25)),
		j.kernels("own GEMM of 4 to 1024 rows / peak", 0.80),
		j.mallocs("heap allocations per node", 0, of("").sized(usual)),
		j.furtherMallocs("heap allocations per node that a run has more, from batch 25 to 128", 0.005, of("").sized(usual)),
	}
}

// which selects races.
type which func(*report.Race) bool

// of selects the races of a field.
func of(field string) which { return func(c *report.Race) bool { return c.Field == field } }

// sst selects the races with sentences, in the usual sizes.
func sst() which { return of("").sized(usual).trees("sst", "sentences") }

func (w which) and(more which) which {
	return func(c *report.Race) bool { return w(c) && more(c) }
}

func (w which) sized(s size) which {
	return w.and(func(c *report.Race) bool {
		return c.Model == string(s.model) && c.Embed == s.embed && c.Hidden == s.hidden
	})
}

func (w which) modes(names ...string) which {
	return w.and(func(c *report.Race) bool { return slices.Contains(names, c.Mode) })
}

func (w which) trees(names ...string) which {
	return w.and(func(c *report.Race) bool { return slices.Contains(names, c.Trees) })
}

func (w which) batches(sizes ...int) which {
	return w.and(func(c *report.Race) bool { return slices.Contains(sizes, c.Batch) })
}

func (w which) workers(n int) which {
	return w.and(func(c *report.Race) bool { return c.Workers == n })
}

// judge finds the worst of what a claim is about.
type judge struct{ *report.Report }

// worst keeps v if it is the least, or the most, seen so far.
func worst(f *report.Figure, v float64, where string) {
	if f.Measured == nil || f.Most && v > *f.Measured || !f.Most && v < *f.Measured {
		f.Measured, f.Where = &v, where
	}
}

func (j judge) each(races which, do func(c *report.Race)) {
	for i := range j.Races {
		if c := &j.Races[i]; races(c) {
			do(c)
		}
	}
}

// ratio is the speed of contender a relative to b.
func (j judge) ratio(claim string, least float64, a, b string, races which) report.Figure {
	f := report.Figure{Claim: claim, Least: least}
	j.each(races, func(c *report.Race) {
		if p, q := c.Find(a), c.Find(b); p != nil && q != nil {
			worst(&f, measure.Quantile(measure.Ratios(q.Seconds, p.Seconds), 0.5), place(c))
		}
	})
	return f
}

// scaling is the speed with two workers relative to one, of races that are equal
// otherwise.
func (j judge) scaling(claim string, least float64, races which) report.Figure {
	f := report.Figure{Claim: claim, Least: least}
	j.each(races, func(one *report.Race) {
		j.each(races, func(two *report.Race) {
			same := *two
			same.Workers = 1
			p, q := one.Find(frond), two.Find(frond)
			if one.Workers == 1 && two.Workers == 2 && place(&same) == place(one) && p != nil && q != nil {
				worst(&f, q.WallPerSecond/p.WallPerSecond, place(two))
			}
		})
	})
	return f
}

// peak is the rate of the products' operations relative to the processor's.
func (j judge) peak(claim string, least float64, races which) report.Figure {
	f := report.Figure{Claim: claim, Least: least}
	j.each(races, func(c *report.Race) {
		// Sharing avoids operations, so they are counted where there is none.
		if q := c.Find(frondUnshared); q != nil && j.Machine.PeakGFs > 0 {
			worst(&f, q.PerSecond.Median*c.GFLOP/float64(c.Sentences)/j.Machine.PeakGFs, place(c))
		}
	})
	return f
}

func (j judge) kernels(claim string, least float64) report.Figure {
	f := report.Figure{Claim: claim, Least: least}
	for _, k := range j.Kernels {
		if k.Name == ownGemm && k.Rows >= 4 && j.Machine.PeakGFs > 0 {
			worst(&f, k.OfPeak, fmt.Sprintf("%d rows", k.Rows))
		}
	}
	return f
}

func (j judge) mallocs(claim string, most float64, races which) report.Figure {
	f := report.Figure{Claim: claim, Least: most, Most: true}
	j.each(races, func(c *report.Race) {
		if q := c.Find(frond); q != nil {
			worst(&f, q.MallocsPerNode, place(c))
		}
	})
	return f
}

// furtherMallocs tells the allocations of nodes from those that every run makes, for its
// result: races at two sizes of batches differ in the nodes alone.
func (j judge) furtherMallocs(claim string, most float64, races which) report.Figure {
	f := report.Figure{Claim: claim, Least: most, Most: true}
	j.each(races.batches(25), func(small *report.Race) {
		j.each(races.batches(128), func(large *report.Race) {
			same := *large
			same.Batch = small.Batch
			p, q := small.Find(frond), large.Find(frond)
			if place(&same) == place(small) && p != nil && q != nil {
				a, b := float64(small.Batch), float64(large.Batch)
				worst(&f, (b*q.MallocsPerNode-a*p.MallocsPerNode)/(b-a), place(large))
			}
		})
	})
	return f
}

// place names a race.
func place(c *report.Race) string {
	s := size{contender.Model(c.Model), c.Embed, c.Hidden}
	return race{group: group{c.Field, c.Trees, s, c.Workers}, mode: c.Mode, batch: c.Batch}.String()
}
