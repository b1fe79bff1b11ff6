package exec

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// faulty is a device of which one operation fails.
type faulty struct {
	*host.Device
	asked atomic.Int64
	what  atomic.Value // the operation that failed
}

func newFaulty(nth int64, err error, o host.Options) *faulty {
	f := &faulty{}
	o.Poison, o.Check = true, true
	o.Failure = func(what string) error {
		if f.asked.Add(1) != nth {
			return nil
		}
		f.what.Store(what)
		return fmt.Errorf("%w, said %s", err, what)
	}
	f.Device = host.New(o)
	return f
}

// failed tells the operation that failed, nil as long as none has.
func (f *faulty) failed() any { return f.what.Load() }

// watchdog ends the tests, with all stacks, when the test takes too long.
func watchdog(t testing.TB, limit time.Duration) {
	timer := time.AfterFunc(limit, func() {
		stacks := make([]byte, 1<<20)
		panic(fmt.Sprintf("%s hangs:\n%s", t.Name(), stacks[:runtime.Stack(stacks, true)]))
	})
	t.Cleanup(func() { timer.Stop() })
}

// workload is a program with inputs.
type workload struct {
	prog   *graph.Program
	graph  *graph.Graph
	inputs [][]Array
	cts    [][]Array
	// without says which operators a device shall have no kernels of.
	without func(graph.Op) bool
}

// treeWorkload has products whose matrices are joined, look-ups, losses and tables.
func treeWorkload(t testing.TB) *workload {
	p, g := treeProgram(t, 30, 3, 2, 3)
	w := &workload{prog: p, graph: g, inputs: testTrees(5, 4)}
	for range w.inputs {
		w.cts = append(w.cts, []Array{{Shape: []int{3}, F: []float32{1, -1, 0.5}}})
	}
	return w
}

type wordList struct{ Xs, Ids graph.Value }

// listWorkload has lists of floats as inputs, constants, integers that are computed from
// floats, random choices, and operators without a kernel.
func listWorkload(t testing.TB) *workload {
	p, g := function(t, wordList{graph.F32(graph.Any, 3), graph.I32(graph.Any)}, graph.F32(3), func(m *graph.Module, _ *recursion.SubGraph[wordList, graph.Value], in wordList) graph.Value {
		emb := m.Var("E", graph.F32(4, 3), graph.Uniform(0.5))
		w, b := m.Var("W", graph.F32(3, 3), graph.Xavier()), m.Var("b", graph.F32(3), graph.Uniform(0.1))
		halves := m.Floats([]float32{0.5, 0.25, 0.125}, 3)
		hs := recursion.Map(in, func(v wordList) graph.Value {
			h := ops.Tanh(ops.Add(ops.MatMulT(ops.Dropout(v.Xs, 0.25), w), b, ops.At(emb, v.Ids)))
			return recursion.If(ops.Less(ops.ArgMax(h, 0), m.Int(1)), func() graph.Value { return ops.Mul(h, halves) }, func() graph.Value { return ops.Exp(h) })
		})
		top := ops.MaxOver(hs, 0)
		recursion.Loss(ops.CrossEntropy(top, ops.At(in.Ids, m.Int(0))))
		recursion.Collect("top", ops.Len(in.Ids), top)
		return ops.Add(top, b)
	})
	l := &workload{prog: p, graph: g, without: func(op graph.Op) bool { return op.Name() == "exp" || op.Name() == "max" }}
	for n := range int32(5) {
		ids, xs := make([]int32, n+1), make([]float32, 3*(n+1))
		for i := range ids {
			ids[i] = (n + int32(i)) % 3
		}
		for i := range xs {
			xs[i] = float32((i*7+int(n)*5)%11)/4 - 1
		}
		l.inputs = append(l.inputs, []Array{{Shape: []int{len(ids), 3}, F: xs}, {Shape: []int{len(ids)}, I: ids}})
		l.cts = append(l.cts, []Array{{Shape: []int{3}, F: []float32{0.5, 1, -2}}})
	}
	return l
}

type flagged struct{ Word, Loss graph.Value }

// quietWorkload has a loss for the last input only, and neither floats as inputs nor as
// results: hardly ever does the host wait for anything.
func quietWorkload(t testing.TB) *workload {
	p, g := function(t, flagged{graph.I32(), graph.I32()}, graph.I32(), func(m *graph.Module, _ *recursion.SubGraph[flagged, graph.Value], in flagged) graph.Value {
		w, u := m.Var("W", graph.F32(3, 3), graph.Xavier()), m.Var("U", graph.F32(3, 3), graph.Xavier())
		h := ops.Tanh(ops.MatMulT(ops.At(m.Var("E", graph.F32(4, 3), graph.Uniform(1)), in.Word), w))
		return recursion.If(ops.Less(in.Loss, m.Int(1)), func() graph.Value {
			recursion.Collect("h", in.Loss, ops.MatMulT(h, u))
			return in.Loss
		}, func() graph.Value {
			recursion.Loss(ops.Sum(ops.MatMulT(h, u)))
			return in.Loss
		})
	})
	l := &workload{prog: p, graph: g}
	for i := range int32(4) {
		l.inputs = append(l.inputs, []Array{integer(i), integer(i / 3)})
	}
	return l
}

// outcome is everything that a run has computed.
type outcome struct {
	Outputs, InputGrads [][]Array
	Losses              []float64
	Tables              []map[string]*Table
	Gradients           [][]float32
}

func outcomeOf(r *Result) *outcome {
	o := &outcome{Outputs: r.Outputs, InputGrads: r.InputGrads, Losses: r.Losses, Tables: r.Tables}
	if r.Gradients != nil {
		o.Gradients = copyGradients(r.Gradients)
	}
	return o
}

func (w *workload) infer(s *Session) (*outcome, error) {
	r, err := s.Run(context.Background(), w.graph, w.inputs)
	if err != nil {
		return nil, err
	}
	return outcomeOf(r), nil
}

func (w *workload) differentiate(s *Session) (*outcome, error) {
	r, err := s.Gradients(context.Background(), w.graph, w.inputs, GradOptions{Seed: 3, Tables: true, Cotangents: w.cts})
	if err != nil {
		return nil, err
	}
	return outcomeOf(r), nil
}

// stepped makes a step and tells the loss before it.
func (w *workload) stepped(s *Session, state *DeviceState) (*outcome, error) {
	r, err := s.Gradients(context.Background(), w.graph, w.inputs, GradOptions{Seed: 3, OnDevice: true})
	if err != nil {
		return nil, err
	}
	o := outcomeOf(r)
	return o, r.DeviceGradients.Step(state, momentum)
}

// copied returns the inputs as they are now.
func (w *workload) copied() [][]Array {
	all := make([][]Array, len(w.inputs))
	for i, in := range w.inputs {
		for _, a := range in {
			all[i] = append(all[i], Array{slices.Clone(a.Shape), slices.Clone(a.F), slices.Clone(a.I)})
		}
	}
	return all
}

// values returns all variables.
func values(t testing.TB, p *Parameters) [][]float32 {
	t.Helper()
	var all [][]float32
	for _, v := range p.prog.Variables {
		x := p.Value(v)
		require.Len(t, x, v.Type.Size())
		all = append(all, x)
	}
	return all
}

func equalOutcomes(a, b *outcome) bool { return reflect.DeepEqual(a, b) }
