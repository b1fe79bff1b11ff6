package graph

import "fmt"

// Value is a symbolic result of a node, or, when made by F32, I32 or Bool, only
// a description used in signatures. The zero Value is invalid. Values are
// comparable; equal values are the same result of the same node.
type Value struct {
	node *Node
	out  int
	spec *Type
}

// poison is the result of a mistake that has been recorded already.
var poison = Value{out: -1}

// Poisoned returns the value that stands for the result of a recorded mistake.
func Poisoned() Value { return poison }

// F32 describes a float value; F32() is a scalar, F32(Any, 150) a list of vectors.
func F32(dims ...int) Value { return Spec(T(Float32, dims...)) }

// I32 describes an integer value.
func I32(dims ...int) Value { return Spec(T(Int32, dims...)) }

// Bool describes a truth value.
func Bool(dims ...int) Value { return Spec(T(Boolean, dims...)) }

// Spec describes a value of type t.
func Spec(t Type) Value { return Value{spec: &t} }

// Node returns the node that computes the value, nil for a description.
func (v Value) Node() *Node { return v.node }

// Out returns which of the node's results the value is.
func (v Value) Out() int { return v.out }

// IsSpec reports whether v only describes a value.
func (v Value) IsSpec() bool { return v.node == nil && v.spec != nil }

// IsZero reports whether v is the zero Value.
func (v Value) IsZero() bool { return v == Value{} }

// IsPoison reports whether v results from a mistake that was recorded.
func (v Value) IsPoison() bool { return v == poison }

// Type returns the value's type; that of an invalid or poisoned value is zero.
func (v Value) Type() Type {
	switch {
	case v.node != nil:
		return v.node.Out[v.out]
	case v.spec != nil:
		return *v.spec
	}
	return Type{}
}

// CheckSpec reports why v cannot describe an input or a result in a signature.
func (v Value) CheckSpec() error {
	switch {
	case v.IsZero():
		return fmt.Errorf("%w: the zero Value describes nothing", ErrDType)
	case v.IsPoison():
		return fmt.Errorf("%w: the result of a mistake describes nothing", ErrInvalid)
	}
	return v.Type().Check()
}

// Graph returns the graph in which the value is computed, nil for a description.
func (v Value) Graph() *Graph {
	if v.node == nil {
		return nil
	}
	return v.node.Graph
}

// Module returns the module of the value, nil for a description.
func (v Value) Module() *Module {
	if v.node == nil {
		return nil
	}
	return v.node.Graph.Module
}

// String names the value for messages: its type and where it was made.
func (v Value) String() string {
	switch {
	case v.node != nil:
		return fmt.Sprintf("%v of %s at %v", v.Type(), v.node.Op.Name(), v.node.Pos)
	case v.spec != nil:
		return v.spec.String()
	case v.IsPoison():
		return "poisoned value"
	}
	return "zero Value"
}

// Node applies an operator to values of its own or of enclosing graphs.
type Node struct {
	Op    Op
	In    []Value
	Out   []Type
	Graph *Graph
	Index int // position in Graph.Nodes
	Pos   Pos
}

// Result returns result i of the node.
func (n *Node) Result(i int) Value { return Value{node: n, out: i} }

// InTypes returns the types of the inputs.
func (n *Node) InTypes() []Type {
	ts := make([]Type, len(n.In))
	for i, v := range n.In {
		ts[i] = v.Type()
	}
	return ts
}
