package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/frondml/frond/gpu"
)

func main() {
	o, err := parseOptions(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		os.Exit(2)
	}
	if o.collect != "" {
		err = collect(o.collect, os.Stdout)
	} else {
		err = run(o, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// part is a kind of measurements.
type part struct {
	name string
	run  func(*bench) error
}

var parts = []part{
	{"launch", (*bench).launches}, {"copy", (*bench).copies}, {"load", (*bench).loads},
	{"gemm", (*bench).products}, {"trees", (*bench).trees},
}

// bench is a run of the program.
type bench struct {
	*options
	device   *gpu.Device
	report   *report
	part     string
	end      time.Time // of the part
	deadline time.Time // of what is measured at present
}

func run(o *options, out io.Writer) (err error) {
	device, err := gpu.Open(gpu.Options{Library: o.library})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	b := &bench{options: o, device: device, report: newReport(device.Info(), o)}
	var failures []error
	for i, p := range o.parts {
		b.part = p.name
		b.end = shareOf(b.report.Started.Add(o.budget), i, len(o.parts))
		b.deadline = b.end
		if err := p.run(b); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", p.name, err))
			b.note("failed: %v", err)
		}
	}
	failures = append(failures, b.save(), b.report.writeText(out))
	return errors.Join(failures...)
}

// shareOf returns until when the i-th of n things may take, if all are to be done at
// an end.
func shareOf(end time.Time, i, n int) time.Time {
	return time.Now().Add(time.Until(end) / time.Duration(n-i))
}

// share gives the i-th of n measurements of a part its share of the time.
func (b *bench) share(i, n int) { b.deadline = shareOf(b.end, i, n) }

// options are what the command line says.
type options struct {
	parts      []part
	library    string
	cublasPath string
	ptx        string
	sst        string
	torch      []string
	json       string
	collect    string
	small      bool
	rounds     int
	budget     time.Duration
	sample     time.Duration
}

func parseOptions(args []string, messages io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(messages)
	f.StringVar(&o.library, "library", os.Getenv("FROND_GPU_LIBRARY"), "the driver (default libcuda.so.1, or what FROND_GPU_LIBRARY names)")
	f.StringVar(&o.cublasPath, "cublas", "", "cuBLAS (default libcublas.so.13 or .12, where the loader finds them)")
	f.StringVar(&o.ptx, "ptx", "", "the `folder` with the PTX of the kernels, for the part load")
	f.StringVar(&o.sst, "sst", "", "the `folder` of the Stanford Sentiment Treebank; without it trees are drawn with its lengths")
	torch := f.String("torch", "", "the `command` that runs the Tree-LSTM with PyTorch: a Python and torch_levels.py")
	f.StringVar(&o.json, "json", "", "write the results as JSON to this `file`")
	f.StringVar(&o.collect, "collect", "", "join the results of steps in this `folder`, and measure nothing")
	f.BoolVar(&o.small, "small", false, "tiny sizes, to try the program on an emulated device")
	f.IntVar(&o.rounds, "rounds", 15, "samples of a figure, at most")
	f.DurationVar(&o.budget, "time", time.Minute, "time for everything, about")
	f.DurationVar(&o.sample, "sample", 5*time.Millisecond, "time per sample, at least")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.torch = strings.Fields(*torch)
	if err := o.choose(f.Args()); err != nil {
		fmt.Fprintln(messages, "bench:", err)
		return nil, err
	}
	return o, nil
}

// choose finds the parts by their names.
func (o *options) choose(names []string) error {
	if o.rounds < 1 || o.budget <= 0 || o.sample <= 0 {
		return fmt.Errorf("-rounds %d -time %v -sample %v: want more than nothing", o.rounds, o.budget, o.sample)
	}
	if o.collect != "" {
		if len(names) > 0 {
			return fmt.Errorf("-collect takes no parts, got %q", names)
		}
		return nil
	}
	if len(names) == 0 {
		return errors.New("which parts? There are launch, copy, load, gemm and trees")
	}
names:
	for _, name := range names {
		for _, p := range parts {
			if p.name == name {
				o.parts = append(o.parts, p)
				continue names
			}
		}
		return fmt.Errorf("there is no part %q", name)
	}
	return nil
}
