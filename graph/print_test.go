package graph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// power computes x to the n, where x is a vector: x·power(n-1), or 1 when n is 0.
func power() *graph.Program {
	m := graph.NewModule("power")
	scale := m.Var("scale", graph.F32(), graph.Constant(1))
	type in struct{ X, N graph.Value }
	main := recursion.Declare(m, "main", in{graph.F32(3), graph.I32()}, graph.F32(3))
	main.Define(func(v in) graph.Value {
		pow := recursion.Declare(m, "pow", graph.I32(), graph.F32(3))
		pow.Define(func(n graph.Value) graph.Value {
			return recursion.If(ops.Equal(n, m.Int(0)),
				func() graph.Value { return m.Full(1, 3) },
				func() graph.Value { return ops.Mul(v.X, pow.Invoke(ops.Sub(n, m.Int(1)))) })
		})
		return ops.Mul(pow.Invoke(v.N), scale)
	})
	p, err := m.Build()
	if err != nil {
		panic(err)
	}
	return p
}

func ExampleProgram_WriteTo() {
	fmt.Print(power())
	// Output:
	// module power
	//
	// var @scale f32
	//
	// graph main(%0 X f32[3], %1 N i32) (f32[3]) {
	//	%2 f32[3] = invoke{&pow} %1, %0
	//	%3 f32[3] = mul %2, @scale
	//	return %3
	// }
	//
	// graph pow(%0 i32, %1 X f32[3] captured main%0) (f32[3]) in main {
	//	%2 bool = equal %0, i32(0)
	//	%3 f32[3] = select{&pow.then &pow.else} %2, %0, %1
	//	return %3
	// }
	//
	// body pow.then(%0 i32 captured pow%0, %1 X f32[3] captured main%0) (f32[3]) in pow {
	//	return f32[3](1 1 1)
	// }
	//
	// body pow.else(%0 i32 captured pow%0, %1 X f32[3] captured main%0) (f32[3]) in pow {
	//	%2 i32 = sub %0, i32(1)
	//	%3 f32[3] = invoke{&pow} %2, %1
	//	%4 f32[3] = mul %1, %3
	//	return %4
	// }
}

func ExampleProgram_GradientString() {
	fmt.Print(power().GradientString())
	// Output:
	// gradient power
	//
	// adjoint main {
	//	%4 f32[3] = cotangent %3
	//	%5 f32[3] = mul %4, @scale
	//	%6 f32[3] = mul %4, %2
	//	%7 f32 = sum{axes=[0] keep=false} %6
	//	accumulate %2, %5
	//	accumulate @scale, %7
	//	reverse{&pow} %1, %0 from %2
	// }
	//
	// adjoint pow {
	//	reverse{&pow.then &pow.else} %2, %0, %1 from %3
	// }
	//
	// adjoint pow.then {
	// }
	//
	// adjoint pow.else {
	//	%5 f32[3] = cotangent %4
	//	%6 f32[3] = mul %5, %3
	//	%7 f32[3] = mul %5, %1
	//	accumulate %1, %6
	//	accumulate %3, %7
	//	reverse{&pow} %2, %1 from %3
	// }
}

func TestPrintingIsStable(t *testing.T) {
	for name, add := range programs {
		assert.Equal(t, build(t, add).String(), build(t, add).String(), name)
		assert.Equal(t, build(t, add).GradientString(), build(t, add).GradientString(), name)
	}
}

func TestEqualNamesAreTold(t *testing.T) {
	p := build(t, func(m *graph.Module) {
		for range 2 {
			recursion.Declare(m, "f", graph.F32(), graph.F32()).Define(func(x graph.Value) graph.Value { return x })
		}
		recursion.Declare(m, "f.2", graph.F32(), graph.F32()).Define(func(x graph.Value) graph.Value { return x })
	})
	text := p.String()
	for _, heading := range []string{"graph f(", "graph f.2(", "graph f.2.2("} {
		assert.Equal(t, 1, strings.Count(text, heading), heading)
	}
}

// attributes is an operator with an attribute of every type.
type attributes struct{}

func (attributes) Name() string                                { return "attributes" }
func (attributes) Infer(in []graph.Type) ([]graph.Type, error) { return in, nil }
func (attributes) Attrs() []graph.Attr {
	return []graph.Attr{
		{Key: "int", Value: -2}, {Key: "whole", Value: 2.0}, {Key: "float", Value: 1e-5}, {Key: "big", Value: 1e30},
		{Key: "bool", Value: true}, {Key: "string", Value: "a \"b\" }"}, {Key: "ints", Value: []int{0, -1}},
		{Key: "none", Value: []int{}}, {Key: "strings", Value: []string{"x", ")"}}, {Key: "no strings", Value: []string{}},
		{Key: "dtype", Value: graph.Int32}, {Key: "type", Value: graph.T(graph.Float32, graph.Any, 2)}, {Key: "scalar", Value: graph.T(graph.Float32)},
	}
}

func TestAttributesTellTheirTypes(t *testing.T) {
	p := build(t, func(m *graph.Module) {
		define(m, graph.Bool(), graph.Bool(), func(x graph.Value) graph.Value { return graph.Apply(attributes{}, x) })
	})
	want := `attributes{int=-2 whole=2.0 float=1e-05 big=1e+30 bool=true string="a \"b\" }" ints=[0,-1] none=[] strings=("x",")") "no strings"=() dtype=i32 type=<f32[? 2]> scalar=<f32>} %0`
	assert.Contains(t, p.String(), want)

	var got []graph.Attr
	registry := graph.Registry{"attributes": func(attrs []graph.Attr, _ []*graph.Graph) (graph.Op, error) {
		got = attrs
		return attributes{}, nil
	}}
	again, err := graph.Parse(strings.NewReader(p.String()), registry)
	assert.NoError(t, err)
	assert.Equal(t, attributes{}.Attrs(), got)
	assert.Equal(t, p.String(), again.String())
}

// full is a writer without room.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWritersErrorsAreReturned(t *testing.T) {
	p := power()
	_, err := p.WriteTo(full{})
	assert.ErrorIs(t, err, errFull)
	assert.ErrorIs(t, p.WriteDOT(full{}), errFull)
}
