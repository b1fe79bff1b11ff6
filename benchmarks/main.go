package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/frondml/frond/benchmarks/report"
)

func main() {
	o, err := parseOptions(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		os.Exit(2)
	}
	// An interrupted run is of no use, but it should not look like a crash.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	go func() {
		<-interrupted
		fmt.Fprintln(os.Stderr, "benchmarks: interrupted")
		os.Exit(1)
	}()
	if err := run(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

func run(o *options, out io.Writer) error {
	races, err := o.races()
	if err != nil {
		return err
	}
	if o.guards {
		return guard(o, out)
	}
	// Not to be found out after the races.
	for _, path := range []string{o.json, o.markdown} {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return fmt.Errorf("nowhere to write %s: %w", path, err)
		}
	}
	r := &report.Report{Started: time.Now(), Machine: machine(), Command: strings.TrimSpace("go run ./benchmarks " + strings.Join(o.args, " "))}
	load := loadAverage()
	deadline := r.Started.Add(o.budget)
	if o.selects(kernelsName) {
		if err := raceKernels(r, o.budget/20, out); err != nil {
			return err
		}
	}
	if o.selects(programsName) {
		if err := racePrograms(r, o.budget/20); err != nil {
			return err
		}
	}
	if err := r.WriteTables(out); err != nil {
		return err
	}
	if err := raceAll(r, races, o, deadline, out); err != nil {
		return err
	}
	r.Figures = figures(r)
	r.Took = time.Since(r.Started)
	if r.Machine.Load = load; load != "" {
		r.Machine.Load += ", " + loadAverage()
	}
	for i := range r.Figures {
		if err := r.Figures[i].WriteTable(out); err != nil {
			return err
		}
	}
	if o.charts {
		if err := drawCharts(r, out); err != nil {
			return err
		}
	}
	return errors.Join(writeFile(o.json, r.WriteJSON), writeFile(o.markdown, r.WriteMarkdown))
}

// writeFile writes a file unless its path is empty.
func writeFile(path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
