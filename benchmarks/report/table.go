package report

import (
	"fmt"
	"io"
)

// WriteTable writes a race as lines for a terminal.
func (r *Race) WriteTable(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s %s %d/%d batch %d, %d workers (%s time)\n", r.Mode, r.Trees, r.Embed, r.Hidden, r.Batch, r.Workers, r.Clock)
	for _, q := range r.Results {
		if err == nil {
			_, err = fmt.Fprintf(w, "    %-24s %8.0f sentences/s (%.0f-%.0f)   ×%.3f (%.3f-%.3f)   %.2f processors, %.3f allocations/node, %d rounds\n",
				q.Contender, q.PerSecond.Median, q.PerSecond.P10, q.PerSecond.P90, q.Ratio.Median, q.Ratio.P10, q.Ratio.P90, q.Cores, q.MallocsPerNode, q.Rounds)
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
