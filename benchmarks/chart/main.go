// Command chart draws the results of the benchmarks. It reads them as JSON from
// standard input and writes SVG files into a folder:
//
//	chart ../ < ../results.json
//
//	ways-infer.svg, ways-train.svg   sentences/s over the size of the mini-batch
//	shapes.svg                       training with trees of different shapes
//	rivals.svg                       other libraries, on a logarithmic scale
//	kernels.svg                      products over their number of rows
//
// Charts of races that did not take place are left out. It has a module of its own,
// so that the library does not depend on what draws.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/frondml/frond/benchmarks/report"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: chart FOLDER < results.json")
		os.Exit(2)
	}
	if err := run(os.Stdin, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
}

// A drawing makes a chart, or nil when there is nothing to be seen.
type drawing func(*report.Report) (*plot.Plot, error)

var drawings = map[string]drawing{
	"ways-infer.svg": func(r *report.Report) (*plot.Plot, error) { return ways(r, "infer", "Inference") },
	"ways-train.svg": func(r *report.Report) (*plot.Plot, error) { return ways(r, "train", "Training") },
	"shapes.svg":     shapes,
	"rivals.svg":     rivals,
	"kernels.svg":    kernels,
}

// run draws all charts into an existing folder.
func run(in io.Reader, dir string) error {
	r, err := report.ReadJSON(in)
	if err != nil {
		return err
	}
	for name, draw := range drawings {
		p, err := draw(r)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if p == nil {
			continue
		}
		if err := p.Save(7*vg.Inch, 4*vg.Inch, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
