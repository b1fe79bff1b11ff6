package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
)

// WriteMarkdown writes the report as a document.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Benchmark results\n\n")
	r.machine(&b)
	r.figures(&b)
	r.notes(&b)
	r.shapes(&b)
	r.races(&b)
	r.kernels(&b)
	r.measurements(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) machine(b *strings.Builder) {
	m := r.Machine
	fmt.Fprintf(b, "Written by `%s`.\n\n", r.Command)
	for _, row := range [][2]string{
		{"Date", r.Started.UTC().Format("2006-01-02 15:04 MST") + ", took " + r.Took.Round(time.Second).String()},
		{"Processor", fmt.Sprintf("%s, %d CPUs, %s/%s", m.CPU, m.CPUs, m.OS, m.Arch)},
		{"Go", m.Go},
		{"Commit", m.Commit},
		{"Load average before, after", m.Load},
		{"Fused multiply-adds, one core", fmt.Sprintf("%.1f GFLOP/s", m.PeakGFs)},
	} {
		if row[1] != "" {
			fmt.Fprintf(b, "- %s: %s\n", row[0], row[1])
		}
	}
	b.WriteString("\n")
}

func (r *Report) figures(b *strings.Builder) {
	if len(r.Figures) == 0 {
		return
	}
	b.WriteString("## Figures to reach\n\n| figure | required | measured | where | met |\n|---|---|---|---|---|\n")
	for i := range r.Figures {
		f := &r.Figures[i]
		sign, measured, met := "≥", "not measured", "-"
		if f.Most {
			sign = "≤"
		}
		if f.Measured != nil {
			measured, met = fmt.Sprintf("%.3g", *f.Measured), "no"
			if f.Met() {
				met = "yes"
			}
		}
		fmt.Fprintf(b, "| %s | %s %g | %s | %s | %s |\n", f.Claim, sign, f.Least, measured, f.Where, met)
	}
	b.WriteString("\n")
}

func (r *Report) races(b *strings.Builder) {
	if len(r.Races) == 0 {
		return
	}
	b.WriteString("## Races\n\nMedians with the outer tenths in brackets. Ratios are medians of the ratios of paired rounds; above 1 is faster\n" +
		"than the first contender. With one worker, time is processor time; with more, it is time by the clock.\n\n" +
		"| field | model | mode | trees | sizes | batch | workers | contender | sentences/s | ratio | processors used | allocations per node | rounds |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for i := range r.Races {
		c := &r.Races[i]
		for _, q := range c.Results {
			fmt.Fprintf(b, "| %s | %s | %s | %s | %d/%d | %d | %d | %s | %s (%s-%s) | %.3g (%.3g-%.3g) | %.2f | %s | %d |\n",
				cmp.Or(c.Field, "ways"), c.Model, c.Mode, c.Trees, c.Embed, c.Hidden, c.Batch, c.Workers, q.Contender,
				rate(q.PerSecond.Median), rate(q.PerSecond.P10), rate(q.PerSecond.P90), q.Ratio.Median, q.Ratio.P10, q.Ratio.P90, q.Cores, q.mallocs(), q.Rounds)
		}
	}
	b.WriteString("\n")
}

func (r *Report) kernels(b *strings.Builder) {
	if len(r.Kernels) == 0 {
		return
	}
	b.WriteString("## Kernels, one core\n\n| kernel | rows | depth | columns | GFLOP/s | of peak |\n|---|---|---|---|---|---|\n")
	for _, k := range r.Kernels {
		fmt.Fprintf(b, "| %s | %d | %d | %d | %.1f (%.1f-%.1f) | %.2f |\n",
			k.Name, k.Rows, k.Depth, k.Columns, k.GFLOPS.Median, k.GFLOPS.P10, k.GFLOPS.P90, k.OfPeak)
	}
	b.WriteString("\n")
}

func (r *Report) notes(b *strings.Builder) {
	if len(r.Notes) == 0 {
		return
	}
	b.WriteString("## Notes on contenders\n\n")
	for _, n := range r.Notes {
		fmt.Fprintf(b, "- %s\n", n)
	}
	b.WriteString("\n")
}

func (r *Report) measurements(b *strings.Builder) {
	if len(r.Measurements) == 0 {
		return
	}
	b.WriteString("## Other measurements, one worker\n\n| what | median (outer tenths) | remarks |\n|---|---|---|\n")
	for _, m := range r.Measurements {
		fmt.Fprintf(b, "| %s | %s | %s |\n", m.Name, m.text(), m.Note)
	}
	b.WriteString("\n")
}
