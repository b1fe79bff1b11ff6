package docs

import (
	"context"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// start builds a module and makes a session.
func start(m *graph.Module, o exec.Options) (*exec.Session, error) {
	program, err := m.Build()
	if err != nil {
		return nil, err
	}
	return exec.New(program, o)
}

// runOnce runs a graph on one input.
func runOnce[In, I, O any](m *graph.Module, f *recursion.SubGraph[I, O], o exec.Options, in In) error {
	session, err := start(m, o)
	if err != nil {
		return err
	}
	defer session.Close()
	run, err := exec.Bind[In, exec.Array](session, f)
	if err != nil {
		return err
	}
	_, err = run(context.Background(), in)
	return err
}

func provokeDepth() error {
	m := graph.NewModule("model")
	f := recursion.Declare(m, "f", graph.I32(), graph.I32())
	f.Define(func(n graph.Value) graph.Value {
		return recursion.If(ops.Equal(n, m.Int(0)), func() graph.Value {
			return m.Int(1)
		}, func() graph.Value {
			return ops.Mul(n, f.Invoke(ops.Sub(n, m.Int(1))))
		})
	})
	return runOnce(m, f, exec.Options{MaxDepth: 10_000}, -1) // never meets 0
}

func provokeMemory() error {
	m := graph.NewModule("model")
	f := recursion.Declare(m, "f", graph.I32(), graph.F32(1000))
	f.Define(func(n graph.Value) graph.Value {
		row := ops.BroadcastTo(ops.Cast(n, graph.Float32), 1000)
		return recursion.If(ops.Equal(n, m.Int(0)), func() graph.Value {
			return row
		}, func() graph.Value {
			return ops.Add(row, f.Invoke(ops.Sub(n, m.Int(1))))
		})
	})
	return runOnce(m, f, exec.Options{Workers: 1, Memory: 4 << 20}, 10_000)
}

func provokeNonFinite() error {
	m := graph.NewModule("model")
	norm := recursion.Declare(m, "norm", graph.F32(3), graph.F32(3))
	norm.Define(func(x graph.Value) graph.Value {
		return ops.Div(x, ops.Sqrt(ops.Sum(ops.Square(x))))
	})
	return runOnce(m, norm, exec.Options{CheckFinite: true}, []float32{0, 0, 0})
}

func provokeInput() error {
	m := graph.NewModule("model")
	norm := recursion.Declare(m, "norm", graph.F32(3), graph.F32())
	norm.Define(func(x graph.Value) graph.Value {
		return ops.Sum(ops.Square(x))
	})
	return runOnce(m, norm, exec.Options{}, []float32{1, 2})
}

func provokeDevice() error {
	m := graph.NewModule("model")
	norm := recursion.Declare(m, "norm", graph.F32(3), graph.F32())
	norm.Define(func(x graph.Value) graph.Value {
		return ops.Sum(ops.Square(x))
	})
	_, err := start(m, exec.Options{Device: host.New(host.Options{}), Reference: true})
	return err
}

func provokeClosed() error {
	m := graph.NewModule("model")
	double := recursion.Declare(m, "double", graph.F32(), graph.F32())
	double.Define(func(x graph.Value) graph.Value { return ops.Add(x, x) })
	session, err := start(m, exec.Options{})
	if err != nil {
		return err
	}
	run, err := exec.Bind[float32, float32](session, double)
	if err != nil {
		return err
	}
	if err := session.Close(); err != nil {
		return err
	}
	_, err = run(context.Background(), 1)
	return err
}

func provokeNoGradient() error {
	m := graph.NewModule("model")
	f := recursion.Declare(m, "f", graph.F32(), graph.F32())
	f.Define(func(x graph.Value) graph.Value {
		recursion.Loss(graph.Apply(floor{}, x))
		return x
	})
	session, err := start(m, exec.Options{})
	if err != nil {
		return err
	}
	defer session.Close()
	_, err = session.Gradients(context.Background(), f.Graph(), [][]exec.Array{{{F: []float32{1.5}}}}, exec.GradOptions{})
	return err
}

func provokePanic() error {
	m := graph.NewModule("model")
	f := recursion.Declare(m, "f", graph.F32(), graph.F32())
	f.Define(func(x graph.Value) graph.Value {
		return graph.Apply(floor{broken: true}, x)
	})
	return runOnce(m, f, exec.Options{}, float32(1.5))
}

func provokeIndex() error {
	m := graph.NewModule("model")
	words := m.Var("words", graph.F32(1000, 8), graph.Uniform(0.1))
	look := recursion.Declare(m, "look", graph.I32(graph.Any), graph.F32(graph.Any, 8))
	look.Define(func(ids graph.Value) graph.Value {
		return recursion.Map(ids, func(id graph.Value) graph.Value {
			return ops.At(words, id)
		})
	})
	return runOnce(m, look, exec.Options{}, []int32{3, 1000, 5})
}

func provokeDivide() error {
	m := graph.NewModule("model")
	mean := recursion.Declare(m, "mean", graph.I32(graph.Any), graph.I32())
	mean.Define(func(xs graph.Value) graph.Value {
		return ops.Div(ops.Sum(xs), ops.Len(xs))
	})
	return runOnce(m, mean, exec.Options{}, []int32{})
}

func provokeLength() error {
	type lists struct{ X, Y graph.Value }
	m := graph.NewModule("model")
	list := graph.F32(graph.Any)
	dot := recursion.Declare(m, "dot", lists{list, list}, graph.F32())
	dot.Define(func(l lists) graph.Value {
		return ops.Sum(ops.Mul(l.X, l.Y))
	})
	return runOnce(m, dot, exec.Options{}, struct{ X, Y []float32 }{[]float32{1, 2}, []float32{1, 2, 3}})
}
