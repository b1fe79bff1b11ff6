package main

import (
	"context"
	"fmt"
	"time"

	"github.com/frondml/frond/benchmarks/contender"
	"github.com/frondml/frond/benchmarks/measure"
	"github.com/frondml/frond/benchmarks/report"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// program is a graph with an input whose execution costs little but the executor's
// own work.
type program struct {
	session *exec.Session
	graph   *graph.Graph
	input   []exec.Array
	train   bool
}

// newProgram makes a program that calls a subgraph of one integer.
func newProgram(name string, out graph.Value, input int, body func(m *graph.Module, self *recursion.SubGraph[graph.Value, graph.Value], n graph.Value) graph.Value) (*program, error) {
	m := graph.NewModule(name)
	f := recursion.Declare(m, name, graph.I32(), out)
	f.Define(func(n graph.Value) graph.Value { return body(m, f, n) })
	p, err := m.Build()
	if err != nil {
		return nil, err
	}
	s, err := exec.New(p, exec.Options{Workers: 1})
	return &program{session: s, graph: f.Graph(), input: []exec.Array{{I: []int32{int32(input)}}}}, err
}

func (p *program) run() error {
	inputs, err := [][]exec.Array{p.input}, error(nil)
	if p.train {
		_, err = p.session.Gradients(context.Background(), p.graph, inputs, exec.GradOptions{})
	} else {
		_, err = p.session.RunWith(context.Background(), p.graph, inputs, exec.RunOptions{})
	}
	return err
}

// fib is the doubly recursive function of Fibonacci.
func fib(n int) (*program, error) {
	return newProgram("fib", graph.I32(), n, func(m *graph.Module, self *recursion.SubGraph[graph.Value, graph.Value], n graph.Value) graph.Value {
		return recursion.If(ops.Less(n, m.Int(2)), func() graph.Value { return n }, func() graph.Value {
			return ops.Add(self.Invoke(ops.Sub(n, m.Int(1))), self.Invoke(ops.Sub(n, m.Int(2))))
		})
	})
}

// count recurs n times, not in tail position, and returns n.
func count(n int) (*program, error) {
	return newProgram("count", graph.I32(), n, func(m *graph.Module, self *recursion.SubGraph[graph.Value, graph.Value], n graph.Value) graph.Value {
		return recursion.If(ops.Equal(n, m.Int(0)), func() graph.Value { return n }, func() graph.Value {
			return ops.Add(self.Invoke(ops.Sub(n, m.Int(1))), m.Int(1))
		})
	})
}

// decay computes x·x·…·1 by n invocations and its gradient for x.
func decay(n int) (*program, error) {
	p, err := newProgram("decay", graph.F32(), n, func(m *graph.Module, self *recursion.SubGraph[graph.Value, graph.Value], n graph.Value) graph.Value {
		x := m.Var("x", graph.F32(), graph.Constant(1))
		y := recursion.If(ops.Equal(n, m.Int(0)), func() graph.Value { return m.Float(1) }, func() graph.Value {
			return ops.Mul(self.Invoke(ops.Sub(n, m.Int(1))), x)
		})
		recursion.Loss(y)
		return y
	})
	if err == nil {
		p.train = true
	}
	return p, err
}

const (
	fibArgument = 25
	chainLength = 1_000_000
)

// racePrograms measures what invocations cost in time and memory.
func racePrograms(r *report.Report, budget time.Duration) error {
	for _, c := range []struct {
		name string
		make func(int) (*program, error)
		n    int
	}{
		{fmt.Sprintf("fib(%d)", fibArgument), fib, fibArgument},
		{fmt.Sprintf("chain of %d invocations", chainLength), count, chainLength},
		{fmt.Sprintf("chain of %d invocations, with gradient", chainLength), decay, chainLength},
	} {
		p, err := c.make(c.n)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if err := measureProgram(r, c.name, p, budget/4); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return measureMemory(r)
}

func measureProgram(r *report.Report, name string, p *program, budget time.Duration) error {
	defer func() { _ = p.session.Close() }()
	if err := p.run(); err != nil {
		return err
	}
	once := p.session.Stats()
	samples, err := measure.Race([]measure.Case{{Name: name, Run: p.run}}, measure.Options{Rounds: 41, Budget: budget})
	if err != nil {
		return err
	}
	calls := float64(once.Calls)
	r.Measurements = append(r.Measurements,
		report.Measurement{
			Name: name + ", time", Unit: "ns per invocation", Value: measure.SpreadOf(perUnit(samples[0].Undisturbed(), calls)),
			Note: fmt.Sprintf("%d invocations in %d batches; %.3f heap allocations each", once.Calls, once.Batches, measure.Quantile(samples[0].Mallocs, 0.5)/calls),
		},
		constant(name+", memory", "bytes per invocation", float64(once.PeakBytes)/calls, "largest memory of the engine"))
	return nil
}

// constant is a measurement that does not vary.
func constant(name, unit string, v float64, note string) report.Measurement {
	return report.Measurement{Name: name, Unit: unit, Value: measure.Spread{P10: v, Median: v, P90: v}, Note: note}
}

// measureMemory finds what a node of a tree needs in a mini-batch of 25 trees.
func measureMemory(r *report.Report) error {
	trees, err := loadTrees("sst", 256)
	if err != nil {
		return err
	}
	s := contender.Setting{Model: usual.model, Corpus: trees, Embed: usual.embed, Hidden: usual.hidden, Workers: 1}
	batch := contender.Batches(trees.Trees, 25)[0]
	nodes := 0
	for _, t := range batch.Trees {
		nodes += t.Len()
	}
	for _, mode := range []string{"infer", "train"} {
		c, err := contender.NewRecursive(frondUnshared, s, exec.Options{NoSharing: true})
		if err != nil {
			return err
		}
		do := c.Infer
		if mode == "train" {
			do = c.Train
		}
		_, err = do(batch)
		peak := c.(contender.Counter).Stats().PeakBytes
		if err != nil {
			return err
		}
		if err := c.Close(); err != nil {
			return err
		}
		r.Measurements = append(r.Measurements, constant("Tree-LSTM, "+mode+", batch 25, memory", "bytes per node", float64(peak)/float64(nodes),
			"largest memory of the engine, without parameters"))
	}
	return nil
}
