package main

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/frondml/frond/benchmarks/report"
)

// group draws one bar per name and series side by side; missing values are 0.
func group(p *plot.Plot, names []string, all []series) error {
	width := vg.Points(330 / float64(len(names)*(len(all)+1)))
	for i, s := range all {
		values := make(plotter.Values, len(names))
		for _, v := range s.points {
			values[int(v.x)] = v.y.Median
		}
		bars, err := plotter.NewBarChart(values, width)
		if err != nil {
			return err
		}
		bars.Color = plotutil.Color(i)
		bars.LineStyle.Width = 0
		bars.Offset = width * vg.Length(float64(i)-float64(len(all)-1)/2)
		p.Add(bars)
		p.Legend.Add(s.name, bars)
	}
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.6, float64(len(names))-0.4
	return nil
}

// shapes draws how contenders depend on the shape of trees.
func shapes(r *report.Report) (*plot.Plot, error) {
	names := []string{"balanced", "moderate", "linear"}
	var all []series
	for _, s := range r.Sensitivities(300, 150) {
		if s.Mode != "train" || s.Batch != 25 {
			continue
		}
		line := series{name: s.Contender}
		for x, name := range names {
			var v point
			v.x, v.y.Median = float64(x), s.PerSecond[name]
			line.points = append(line.points, v)
		}
		all = append(all, line)
	}
	if len(all) == 0 {
		return nil, nil
	}
	p := newPlot("Training with trees of 32 leaves, mini-batches of 25, one core", "sentences/s")
	err := group(p, names, all)
	p.Y.Max *= 1.6 // for the legend
	return p, err
}

// rivals draws the logarithm of the speed, since rivals differ by much.
func rivals(r *report.Report) (*plot.Plot, error) {
	var names []string
	at := map[string]int{}
	var all []series
	for _, mode := range []string{"infer", "train"} {
		line := series{name: mode}
		for i := range r.Races {
			c := &r.Races[i]
			if c.Field != "rivals" || c.Mode != mode {
				continue
			}
			for _, q := range c.Results {
				x, ok := at[q.Contender]
				if !ok {
					x = len(names)
					names, at[q.Contender] = append(names, q.Contender), x
				}
				var v point
				v.x, v.y.Median = float64(x), math.Log10(q.PerSecond.Median)
				line.points = append(line.points, v)
			}
		}
		all = append(all, line)
	}
	if len(names) == 0 {
		return nil, nil
	}
	p := newPlot("Mini-batches of 25 sentences, one core", "sentences/s")
	if err := group(p, names, all); err != nil {
		return nil, err
	}
	p.Y.Max++
	var ticks plot.ConstantTicks
	for i := range 6 {
		label := []string{"1", "10", "100", "1 000", "10 000", "100 000"}[i]
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: label})
	}
	p.Y.Tick.Marker = ticks
	return p, nil
}
