package main

import (
	"fmt"

	"github.com/frondml/frond/benchmarks/measure"
	"github.com/frondml/frond/benchmarks/report"
)

// figures compares what was measured with what is required.
func figures(r *report.Report) []report.Figure {
	j := judge{r}
	usual := func(c *report.Race) bool { return c.Embed == 300 && c.Hidden == 150 }
	sst := func(c *report.Race) bool { return usual(c) && (c.Trees == "sst" || c.Trees == "sentences") }
	large := func(c *report.Race) bool { return sst(c) && c.Batch >= 25 }
	batch := func(mode string, n int) func(*report.Race) bool {
		return func(c *report.Race) bool { return sst(c) && c.Mode == mode && c.Batch == n && c.Workers == 1 }
	}
	return []report.Figure{
		j.ratio("unshared / hand-written, batch 25 and 128, 1 and 2 workers", 0.95, frondUnshared, level, large),
		j.ratio("shared / hand-written, training on SST, batch 25", 1.10, frond, level, batch("train", 25)),
		j.ratio("shared / hand-written, training on SST, batch 128", 1.20, frond, level, batch("train", 128)),
		j.ratio("one tree, 1 worker / hand-written", 0.92, frond, level, func(c *report.Race) bool {
			return sst(c) && c.Batch == 1 && c.Workers == 1
		}),
		j.peak("operations of the products in training / peak, batch 25 and more, one core", 0.65, func(c *report.Race) bool {
			return large(c) && c.Mode == "train" && c.Workers == 1
		}),
		j.scaling("2 workers / 1 worker, batch 25 and more", 1.8, large),
		j.ratio("batched / unbatched, batch 25", 2, frond, frondUnbatched, func(c *report.Race) bool { return sst(c) && c.Batch == 25 }),
		j.kernels("own GEMM of 4 to 1024 rows / peak", 0.80),
		j.mallocs("heap allocations per node", 0, usual),
	}
}

// judge finds the worst of what a claim is about.
type judge struct{ *report.Report }

// worst keeps v if it is the least, or the most, seen so far.
func worst(f *report.Figure, v float64, where string) {
	if f.Measured == nil || f.Most && v > *f.Measured || !f.Most && v < *f.Measured {
		f.Measured, f.Where = &v, where
	}
}

func (j judge) each(of func(*report.Race) bool, do func(c *report.Race)) {
	for i := range j.Races {
		if c := &j.Races[i]; of(c) {
			do(c)
		}
	}
}

// ratio is the speed of contender a relative to b.
func (j judge) ratio(claim string, least float64, a, b string, of func(*report.Race) bool) report.Figure {
	f := report.Figure{Claim: claim, Least: least}
	j.each(of, func(c *report.Race) {
		if p, q := c.Find(a), c.Find(b); p != nil && q != nil {
			worst(&f, measure.Quantile(measure.Ratios(q.Seconds, p.Seconds), 0.5), place(c))
		}
	})
	return f
}

// scaling is the speed with two workers relative to one, of races that are equal
// otherwise.
func (j judge) scaling(claim string, least float64, of func(*report.Race) bool) report.Figure {
	f := report.Figure{Claim: claim, Least: least}
	j.each(of, func(one *report.Race) {
		j.each(of, func(two *report.Race) {
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
func (j judge) peak(claim string, least float64, of func(*report.Race) bool) report.Figure {
	f := report.Figure{Claim: claim, Least: least}
	j.each(of, func(c *report.Race) {
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
		if k.Rows >= 4 && j.Machine.PeakGFs > 0 {
			worst(&f, k.OfPeak, fmt.Sprintf("%d rows", k.Rows))
		}
	}
	return f
}

func (j judge) mallocs(claim string, most float64, of func(*report.Race) bool) report.Figure {
	f := report.Figure{Claim: claim, Least: most, Most: true}
	j.each(of, func(c *report.Race) {
		if q := c.Find(frond); q != nil {
			worst(&f, q.MallocsPerNode, place(c))
		}
	})
	return f
}

// place names a race.
func place(c *report.Race) string {
	return race{group{c.Trees, c.Embed, c.Hidden, c.Workers}, c.Mode, c.Batch}.String()
}
