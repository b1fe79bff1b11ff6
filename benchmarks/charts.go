package main

import (
	"bytes"
	"fmt"
	"io"
	goexec "os/exec"
	"path/filepath"
	"strings"

	"github.com/frondml/frond/benchmarks/report"
)

// chartProgram is where the nested module that draws is built.
var chartProgram = filepath.Join("benchmarks", "chart", "chart")

// drawCharts lets the chart program draw into benchmarks/, or says that it is not
// there.
func drawCharts(r *report.Report, out io.Writer) error {
	argv, err := inRepository([]string{chartProgram, "./benchmarks"})
	if err != nil {
		_, err = fmt.Fprintf(out, "charts: skipped: %v\n", err)
		return err
	}
	var text bytes.Buffer
	if err := r.WriteJSON(&text); err != nil {
		return err
	}
	c := goexec.Command(argv[0], argv[1])
	c.Stdin = &text
	if message, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", chartProgram, err, strings.TrimSpace(string(message)))
	}
	return nil
}
