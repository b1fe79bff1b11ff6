package docs

import (
	"strings"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// The functions of the files provoke_*_test.go each provoke one kind of error;
// docs/errors.md shows what they do.

// shared is a value that outlives the body that it is of.
var shared graph.Value

func provokeShape() error {
	m := graph.NewModule("model")
	w := m.Var("W", graph.F32(8, 16), graph.Xavier())
	layer := recursion.Declare(m, "layer", graph.F32(8), graph.F32(8))
	layer.Define(func(x graph.Value) graph.Value {
		return ops.Tanh(ops.MatVec(w, x))
	})
	_, err := m.Build()
	return err
}

func provokeDType() error {
	m := graph.NewModule("model")
	half := recursion.Declare(m, "half", graph.I32(), graph.F32())
	half.Define(func(n graph.Value) graph.Value {
		return ops.Mul(n, m.Float(0.5))
	})
	_, err := m.Build()
	return err
}

func provokeUndefined() error {
	m := graph.NewModule("model")
	subtree := recursion.Declare(m, "subtree", graph.I32(), graph.F32(8))
	model := recursion.Declare(m, "model", graph.I32(), graph.F32(8))
	model.Define(func(root graph.Value) graph.Value {
		return subtree.Invoke(root)
	})
	_, err := m.Build()
	return err
}

func provokeRedefined() error {
	m := graph.NewModule("model")
	left := m.Var("W", graph.F32(8), graph.Zeros())
	right := m.Var("W", graph.F32(8), graph.Zeros())
	model := recursion.Declare(m, "model", graph.F32(8), graph.F32(8))
	model.Define(func(x graph.Value) graph.Value {
		return ops.Add(ops.Mul(left, x), right)
	})
	_, err := m.Build()
	return err
}

func provokeUnused() error {
	m := graph.NewModule("model")
	w := m.Var("W", graph.F32(8), graph.Zeros())
	m.Var("b", graph.F32(8), graph.Zeros())
	model := recursion.Declare(m, "model", graph.F32(8), graph.F32(8))
	model.Define(func(x graph.Value) graph.Value {
		return ops.Mul(w, x)
	})
	_, err := m.Build()
	return err
}

func provokeScope() error {
	m := graph.NewModule("model")
	first := recursion.Declare(m, "first", graph.F32(8), graph.F32(8))
	first.Define(func(x graph.Value) graph.Value {
		shared = ops.Tanh(x)
		return shared
	})
	second := recursion.Declare(m, "second", graph.F32(8), graph.F32(8))
	second.Define(func(x graph.Value) graph.Value {
		return ops.Add(x, shared)
	})
	_, err := m.Build()
	return err
}

func provokeInvalid() error {
	m := graph.NewModule("model")
	model := recursion.Declare(m, "model", graph.F32(8), graph.F32(8))
	model.Define(func(x graph.Value) graph.Value {
		return ops.Dropout(x, 1.5)
	})
	_, err := m.Build()
	return err
}

func provokeProgramSyntax() error {
	text := "module model\ngraph half(%0 f32) (f32)\n\t%1 f32 = twice %0\n\treturn %1\n"
	_, err := graph.Parse(strings.NewReader(text), recursion.Registry())
	return err
}
