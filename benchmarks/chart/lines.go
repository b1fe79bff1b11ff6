package main

import (
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"

	"github.com/frondml/frond/benchmarks/measure"
	"github.com/frondml/frond/benchmarks/report"
)

// series is a line with its outer tenths.
type series struct {
	name   string
	points []point
}

type point struct {
	x float64
	y measure.Spread
}

// set collects points by the name of their series, in the order of appearance.
type set []*series

func (s *set) add(name string, p point) {
	i := slices.IndexFunc(*s, func(have *series) bool { return have.name == name })
	if i < 0 {
		i = len(*s)
		*s = append(*s, &series{name: name})
	}
	(*s)[i].points = append((*s)[i].points, p)
}

// lines draws series over a logarithmic axis on which only the given places are
// marked.
func lines(title, x, y string, all set) (*plot.Plot, error) {
	if len(all) == 0 {
		return nil, nil
	}
	p := newPlot(title, y)
	p.X.Label.Text = x
	p.X.Scale = plot.LogScale{}
	var ticks plot.ConstantTicks
	for i, s := range all {
		slices.SortFunc(s.points, func(a, b point) int { return int(a.x - b.x) })
		var mid plotter.XYs
		var spread plotter.YErrors
		for _, v := range s.points {
			mid = append(mid, plotter.XY{X: v.x, Y: v.y.Median})
			spread = append(spread, struct{ Low, High float64 }{v.y.Median - v.y.P10, v.y.P90 - v.y.Median})
			ticks = append(ticks, plot.Tick{Value: v.x, Label: strconv.Itoa(int(v.x))})
		}
		line, marks, err := plotter.NewLinePoints(mid)
		if err != nil {
			return nil, err
		}
		bars, err := plotter.NewYErrorBars(struct {
			plotter.XYer
			plotter.YErrorer
		}{mid, spread})
		if err != nil {
			return nil, err
		}
		line.Color, marks.Color, bars.Color = plotutil.Color(i), plotutil.Color(i), plotutil.Color(i)
		marks.Shape = plotutil.Shape(i)
		p.Add(line, marks, bars)
		p.Legend.Add(s.name, line, marks)
	}
	p.X.Tick.Marker = ticks
	p.X.Max *= 1.1
	p.Y.Max *= 1.5 // for the legend
	return p, nil
}

func newPlot(title, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.Y.Label.Text = title, y
	p.Y.Min = 0
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	return p
}

// ways draws how contenders make use of larger mini-batches.
func ways(r *report.Report, mode, title string) (*plot.Plot, error) {
	var all set
	for i := range r.Races {
		c := &r.Races[i]
		if c.Field != "" || c.Mode != mode || c.Workers != 1 || c.Embed != 300 || c.Trees != "sst" && c.Trees != "sentences" {
			continue
		}
		for _, q := range c.Results {
			all.add(q.Contender, point{float64(c.Batch), q.PerSecond})
		}
	}
	return lines(title+" of a Tree-LSTM on one core, "+r.Machine.CPU, "trees per mini-batch", "sentences/s", all)
}

func kernels(r *report.Report) (*plot.Plot, error) {
	var all set
	for _, k := range r.Kernels {
		all.add(k.Name, point{float64(k.Rows), k.GFLOPS})
	}
	p, err := lines("Products with a matrix on one core", "rows", "GFLOP/s", all)
	if p != nil && r.Machine.PeakGFs > 0 {
		limit := plotter.NewFunction(func(float64) float64 { return r.Machine.PeakGFs })
		p.Add(limit)
		p.Legend.Add(fmt.Sprintf("peak, %.0f", r.Machine.PeakGFs), limit)
		p.Y.Max = max(p.Y.Max, r.Machine.PeakGFs*1.5)
	}
	return p, err
}
