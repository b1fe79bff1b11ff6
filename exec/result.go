package exec

import (
	"context"
	"errors"

	"github.com/frondml/frond/graph"
)

// Result is what a run returns; slices are indexed by input.
type Result struct {
	Outputs [][]Array
	Loss    float64 // sum of Losses
	Losses  []float64
	Tables  []map[string]*Table
	// Gradient runs only. Gradients is valid until the next gradient run.
	Gradients *Gradients
	// DeviceGradients stay on the device, see GradOptions.OnDevice.
	DeviceGradients *DeviceGradients
	InputGrads      [][]Array // empty Arrays for integer inputs

	errs []error
	sums []lossSum
	span chain // the longest, when analysed; guarded by the session
}

func newResult(n int) *Result {
	return &Result{Outputs: make([][]Array, n), Losses: make([]float64, n), Tables: make([]map[string]*Table, n),
		errs: make([]error, n), sums: make([]lossSum, n)}
}

// finish adds the losses up and joins the errors.
func (r *Result) finish() error {
	var sum lossSum
	for _, l := range r.sums {
		sum.merge(l)
	}
	r.Loss = sum.value()
	return errors.Join(r.errs...)
}

// log tells the logger what a run did.
func (s *Session) log(ctx context.Context, g *graph.Graph, r *Result, err error) {
	l := s.opts.Logger
	if l == nil {
		return
	}
	for i, e := range r.errs {
		if e != nil {
			l.WarnContext(ctx, "input failed", "graph", g.Name, "input", i, "error", e)
		}
	}
	l.DebugContext(ctx, "run", "graph", g.Name, "inputs", len(r.Outputs), "loss", r.Loss, "error", err)
}
