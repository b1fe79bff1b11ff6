package reference

import (
	"context"
	"fmt"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// DefaultMaxDepth is the limit on the depth of calls when Options has none.
const DefaultMaxDepth = 4 << 20

// Options says how programs are interpreted. The zero value evaluates in
// float64, without dropout.
type Options struct {
	Float32  bool   // round after every operator
	MaxDepth int    // of calls within calls; zero means DefaultMaxDepth
	Seed     uint64 // of dropout; zero means evaluation, without dropout
}

// Request is what to run.
type Request struct {
	Graph  *graph.Graph
	Inputs []*ops.Tensor // one per parameter of Graph
	Vars   map[*graph.Variable]*ops.Tensor
	Grad   bool // also differentiate
	// Cotangents are the derivatives, by the graph's results, of an objective to
	// which the losses of the run are added. There is one per result, nil for
	// none, or none at all.
	Cotangents []*ops.Tensor
	Key        uint32 // of the graph's frame: see package callkey
}

// Result is what a run gives.
type Result struct {
	Results []*ops.Tensor
	Loss    float64          // the sum of all losses
	Tables  map[string][]Row // what was collected, sorted
	// VarGrads are the gradients of the objective by the variables of the
	// request that are not frozen. InputGrads are those by the inputs, nil for
	// inputs that are not floats. Both are nil without Request.Grad.
	VarGrads   map[*graph.Variable]*ops.Tensor
	InputGrads []*ops.Tensor
	// Calls counts invocations, that of the request's graph included. Choosing a
	// branch is no call. Depth is the number of calls on the deepest path.
	Calls, Depth int
}

// Run evaluates a graph and, when asked, differentiates it.
func Run(ctx context.Context, o Options, r Request) (*Result, error) {
	if o.MaxDepth == 0 {
		o.MaxDepth = DefaultMaxDepth
	}
	if err := checkRequest(r); err != nil {
		return nil, fmt.Errorf("running %s: %w", r.Graph.Name, err)
	}
	it := newInterpreter(ctx, o, r)
	root := it.newFrame(r.Graph)
	root.depth, root.key = 1, r.Key
	for i, x := range r.Inputs {
		root.values[i] = it.round(x)
	}
	if err := it.forward(root); err != nil {
		return nil, err
	}
	it.result.Results = it.results(root)
	sortTables(it.result.Tables)
	if r.Grad {
		if err := it.backward(root, r); err != nil {
			return nil, err
		}
	}
	return it.result, nil
}

func checkRequest(r Request) error {
	if len(r.Inputs) != len(r.Graph.Params) {
		return fmt.Errorf("%w: got %d inputs, want %d", graph.ErrShape, len(r.Inputs), len(r.Graph.Params))
	}
	for i, p := range r.Graph.Params {
		if err := checkType(r.Inputs[i], p.Type()); err != nil {
			return fmt.Errorf("input %d: %w", i, err)
		}
	}
	for v, x := range r.Vars {
		if err := checkType(x, v.Type); err != nil {
			return fmt.Errorf("variable %s: %w", v.Name, err)
		}
	}
	if n := len(r.Cotangents); n != 0 && n != len(r.Graph.Results) {
		return fmt.Errorf("%w: got %d cotangents, want %d or none", graph.ErrShape, n, len(r.Graph.Results))
	}
	for i, x := range r.Cotangents {
		if x == nil {
			continue
		}
		if err := checkType(x, r.Graph.Out[i]); err != nil {
			return fmt.Errorf("cotangent %d: %w", i, err)
		}
	}
	return checkReachable(r)
}

// checkType reports whether x has type t, in which lists may have any length.
func checkType(x *ops.Tensor, t graph.Type) error {
	if x == nil {
		return fmt.Errorf("%w: missing, want %v", graph.ErrShape, t)
	}
	if x.DType != t.DType {
		return fmt.Errorf("%w: got %v, want %v", graph.ErrDType, x.Type(), t)
	}
	ok := len(x.Shape) == len(t.Shape)
	for i := 0; ok && i < len(t.Shape); i++ {
		ok = t.Shape[i] == graph.Any || t.Shape[i] == x.Shape[i]
	}
	if !ok {
		return fmt.Errorf("%w: got %v, want %v", graph.ErrShape, x.Type(), t)
	}
	if n := max(len(x.F), len(x.I)); n != x.Len() {
		return fmt.Errorf("%w: %d elements for %v", graph.ErrShape, n, x.Type())
	}
	return nil
}
