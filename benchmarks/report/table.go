package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteTable writes a race as lines for a terminal.
func (r *Race) WriteTable(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s %s %s %d/%d batch %d, %d workers (%s time)\n", r.Mode, r.Trees, r.Model, r.Embed, r.Hidden, r.Batch, r.Workers, r.Clock)
	for _, q := range r.Results {
		if err == nil {
			_, err = fmt.Fprintf(w, "    %-24s %8s sentences/s (%s-%s)   ×%.3g (%.3g-%.3g)   %.2f processors, %s allocations/node, %d rounds\n",
				q.Contender, rate(q.PerSecond.Median), rate(q.PerSecond.P10), rate(q.PerSecond.P90), q.Ratio.Median, q.Ratio.P10, q.Ratio.P90, q.Cores, q.mallocs(), q.Rounds)
		}
	}
	return err
}

// WriteTable writes a figure as a line for a terminal.
func (f *Figure) WriteTable(w io.Writer) error {
	if f.Measured == nil {
		_, err := fmt.Fprintf(w, "    %-9s %s\n", "-", f.Claim)
		return err
	}
	mark, sign := "missed", ">="
	if f.Met() {
		mark = "met"
	}
	if f.Most {
		sign = "<="
	}
	_, err := fmt.Fprintf(w, "    %-9s %s: %.3g (%s %g) at %s\n", mark, f.Claim, *f.Measured, sign, f.Least, f.Where)
	return err
}

// WriteTables writes what did not race as lines for a terminal.
func (r *Report) WriteTables(w io.Writer) error {
	var b strings.Builder
	for _, k := range r.Kernels {
		fmt.Fprintf(&b, "    %-12s %4d rows   %6.1f GFLOP/s (%.1f-%.1f)   %.2f of peak\n", k.Name, k.Rows, k.GFLOPS.Median, k.GFLOPS.P10, k.GFLOPS.P90, k.OfPeak)
	}
	for _, m := range r.Measurements {
		fmt.Fprintf(&b, "    %-44s %s   %s\n", m.Name, m.text(), m.Note)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// text is the value with its unit.
func (m *Measurement) text() string {
	return fmt.Sprintf("%.4g (%.4g-%.4g) %s", m.Value.Median, m.Value.P10, m.Value.P90, m.Unit)
}

// rate is the text of a number per second, with three digits at least.
func rate(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.3g", v)
	}
	return fmt.Sprintf("%.0f", v)
}
