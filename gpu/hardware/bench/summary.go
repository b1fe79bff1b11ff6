package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// writeText writes the summary of a run.
func (r *hardwareRun) writeText(w io.Writer) error {
	card, driver := "no card was opened", ""
	if len(r.Reports) > 0 {
		c := r.Reports[0].Card
		card = fmt.Sprintf("%s, compute capability %d.%d, %d multiprocessors, %d MiB", c.Name, c.Capability/10, c.Capability%10, c.Multiprocessors, c.Memory>>20)
		driver = "CUDA " + c.Driver
	}
	if r.Machine != "" {
		driver = strings.TrimPrefix(driver+"; nvidia-smi: "+strings.ReplaceAll(r.Machine, "\n", "; "), "; ")
	}
	fmt.Fprintf(w, "card: %s\ndriver: %s\ndate: %s\nprepared: %s\n", card, driver, r.Date, r.Prepared)
	if r.Emulated {
		fmt.Fprintln(w, "THE DEVICE WAS EMULATED: no figure below says anything about hardware")
	}
	if err := r.writeSteps(w); err != nil {
		return err
	}
	for _, one := range r.Reports {
		for _, n := range one.Notes {
			fmt.Fprintln(w, n)
		}
	}
	return r.writeFigures(w)
}

func (r *hardwareRun) writeSteps(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\nstep\tstatus\tseconds\t\n")
	for _, s := range r.Steps {
		about := s.Summary
		if tests := s.tests(); tests != "" {
			about = strings.TrimPrefix(about+"; "+tests, "; ")
		}
		fmt.Fprintf(t, "%s\t%s\t%.0f\t%s\n", s.Name, s.Status, s.Seconds, about)
	}
	fmt.Fprintln(t)
	return t.Flush()
}

// tests says what became of the tests of a step, if there are any.
func (s *step) tests() string {
	const most = 8 // names
	n := s.Passed + s.Skipped + len(s.Failed)
	if n == 0 {
		return ""
	}
	names := strings.Join(s.Failed[:min(most, len(s.Failed))], " ")
	if more := len(s.Failed) - most; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return strings.TrimSpace(fmt.Sprintf("of %d tests %d passed, %d skipped, %d failed %s", n, s.Passed, s.Skipped, len(s.Failed), names))
}

// table is figures by what was measured and in which setting.
type table struct {
	part, unit   string
	names, cases []string
	value        map[[2]string]float64
}

// writeFigures writes medians, a table per part and unit.
func (r *hardwareRun) writeFigures(w io.Writer) error {
	var tables []*table
	for _, one := range r.Reports {
		for _, m := range one.Measurements {
			i := slices.IndexFunc(tables, func(t *table) bool { return t.part == m.Part && t.unit == m.Unit })
			if i < 0 {
				i = len(tables)
				tables = append(tables, &table{part: m.Part, unit: m.Unit, value: map[[2]string]float64{}})
			}
			tables[i].add(m)
		}
	}
	for _, t := range tables {
		if err := t.writeText(w); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) add(m measurement) {
	if !slices.Contains(t.names, m.Name) {
		t.names = append(t.names, m.Name)
	}
	if !slices.Contains(t.cases, m.Case) {
		t.cases = append(t.cases, m.Case)
	}
	t.value[[2]string{m.Name, m.Case}] = m.Value.Median
}

// writeText writes the table with whatever there is less of as columns.
func (t *table) writeText(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows, columns, key := t.cases, t.names, func(row, column string) [2]string { return [2]string{column, row} }
	if len(t.names) > len(t.cases) {
		rows, columns, key = t.names, t.cases, func(row, column string) [2]string { return [2]string{row, column} }
	}
	fmt.Fprintf(w, "\n%s (%s)\t%s\t\n", t.part, t.unit, strings.Join(columns, "\t"))
	for _, row := range rows {
		fmt.Fprintf(w, "%s\t", row)
		for _, column := range columns {
			if v, ok := t.value[key(row, column)]; ok {
				fmt.Fprintf(w, "%.4g", v)
			}
			fmt.Fprint(w, "\t")
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
