package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/frondml/frond/benchmarks/measure"
	"github.com/frondml/frond/gpu"
)

// report is what one run of the program has found.
type report struct {
	Card         card
	Processors   int
	Go           string
	Started      time.Time
	Took         float64 // seconds
	Parts        []string
	Notes        []string
	Measurements []measurement
}

// card says which device was measured.
type card struct {
	Name            string
	Driver          string // newest CUDA version that it supports
	Capability      int
	Memory          int64 // bytes
	Multiprocessors int
}

// measurement is one figure.
type measurement struct {
	Part   string
	Name   string // what was measured
	Case   string // in which setting; may be empty
	Unit   string
	Value  measure.Spread
	Rounds int
}

func newReport(info gpu.Info, o *options) *report {
	r := &report{
		Card: card{info.Name, info.Driver.String(), info.Capability, info.Memory, info.Multiprocessors},
		Go:   runtime.Version(), Processors: runtime.GOMAXPROCS(0), Started: time.Now(),
	}
	for _, p := range o.parts {
		r.Parts = append(r.Parts, p.name)
	}
	return r
}

func (b *bench) note(format string, args ...any) {
	b.report.Notes = append(b.report.Notes, b.part+": "+fmt.Sprintf(format, args...))
}

// add adds a figure.
func (b *bench) add(name, setting, unit string, samples []float64) {
	b.report.Measurements = append(b.report.Measurements, measurement{
		Part: b.part, Name: name, Case: setting, Unit: unit, Value: measure.SpreadOf(samples), Rounds: len(samples),
	})
}

// save writes the report as it is now: whoever runs the program may end it.
func (b *bench) save() error {
	b.report.Took = time.Since(b.report.Started).Seconds()
	if b.json == "" {
		return nil
	}
	return writeJSON(b.json, b.report)
}

// writeText writes notes and a table per part and unit.
func (r *report) writeText(w io.Writer) error {
	fmt.Fprintf(w, "%s, CUDA %s, %s\n", r.Card.Name, r.Card.Driver, r.Started.Format(time.DateTime))
	for _, n := range r.Notes {
		fmt.Fprintln(w, n)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	last := ""
	for _, m := range r.Measurements {
		if m.Part != last {
			last = m.Part
			fmt.Fprintf(t, "\n%s\tcase\tmedian\touter tenths\tunit\n", m.Part)
		}
		fmt.Fprintf(t, "%s\t%s\t%.4g\t%.4g to %.4g\t%s\n", m.Name, m.Case, m.Value.Median, m.Value.P10, m.Value.P90, m.Unit)
	}
	return t.Flush()
}

func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	// Whoever ends the program ends it between two whole files.
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
