package graph

import (
	"errors"
	"fmt"
	"slices"
)

// Apply adds a node to the body that is open and returns its only result.
func Apply(op Op, in ...Value) Value {
	r := ApplyAll(op, in...)
	if len(r) != 1 {
		return ModuleOf(in...).Errorf(op.Name(), "%w: the operator has %d results, Apply returns the only one", ErrInvalid, len(r))
	}
	return r[0]
}

// ApplyAll adds a node to the body that is open and returns its results. When
// an input is poisoned, or a mistake is found, all results are. A mistake belongs
// to the module of the body, even if no operand does.
func ApplyAll(op Op, in ...Value) []Value {
	m := ModuleOf(in...)
	if m == nil {
		return poisoned(op)
	}
	return m.Apply(op, in...)
}

// Apply is ApplyAll for operators that may have no inputs.
func (m *Module) Apply(op Op, in ...Value) []Value {
	if op == nil {
		return []Value{m.Errorf("Apply", "%w: the operator is nil", ErrInvalid)}
	}
	name := op.Name()
	if !m.Check(name, in...) || !m.checkCallees(name, op) {
		return poisoned(op)
	}
	types := make([]Type, len(in))
	for i, v := range in {
		types[i] = v.Type()
	}
	out, err := infer(op, types)
	if err != nil {
		m.Errorf(name, "%w", err)
		return poisoned(op)
	}
	n := m.open.add(op, slices.Clone(in), out, CallerPos())
	results := make([]Value, len(out))
	for i := range out {
		results[i] = n.Result(i)
	}
	return results
}

// Check reports whether an operator called what can be applied to the values in
// the body that is open, and records why not.
func (m *Module) Check(what string, vs ...Value) bool {
	for _, v := range vs {
		if v.IsPoison() {
			if m != nil && len(m.errs) == 0 {
				m.Errorf(what, "%w: an operand comes from a mistake made outside of the bodies of module %q", ErrScope, m.Name)
			}
			return false
		}
	}
	if m == nil {
		return false
	}
	if m.open == nil {
		m.Errorf(what, "%w: operators are applied in the body of a subgraph", ErrScope)
		return false
	}
	for _, v := range vs {
		if !m.visible(what, v, m.open) {
			return false
		}
	}
	return true
}

// checkCallees records graphs that op cannot invoke in module m.
func (m *Module) checkCallees(name string, op Op) bool {
	c, ok := op.(Invoker)
	if !ok {
		return true
	}
	if len(c.Callees()) == 0 {
		m.Errorf(name, "%w: there is no graph to invoke", ErrInvalid)
		return false
	}
	for _, g := range c.Callees() {
		switch {
		case g == nil:
			m.Errorf(name, "%w: a graph to invoke is nil", ErrInvalid)
			return false
		case g.Module != m:
			m.Errorf(name, "%w: %s, declared at %v, belongs to module %q, not to %q", ErrScope, g.Name, g.Pos, g.Module.Name, m.Name)
			return false
		}
	}
	return true
}

// infer applies a shape rule. Operators come from anywhere, and rules may take
// for granted what the functions that apply them take care of, such as the number
// of inputs; text may hold anything. What a rule trips over is an error.
func infer(op Op, in []Type) (out []Type, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %s cannot be applied to %v: its shape rule panics: %v", ErrInvalid, op.Name(), in, r)
		}
	}()
	out, err = op.Infer(in)
	if err != nil {
		return nil, err
	}
	for i, t := range out {
		if err := t.Check(); err != nil {
			return nil, fmt.Errorf("result %d: %w", i, err)
		}
	}
	return out, nil
}

// visible reports whether v may be used in graph in, and records why not.
func (m *Module) visible(what string, v Value, in *Graph) bool {
	switch {
	case v.node == nil && v.spec == nil:
		m.Errorf(what, "%w: the zero Value", ErrScope)
		return false
	case v.node == nil:
		m.Errorf(what, "%w: %v is only a description of a value", ErrScope, v.spec)
		return false
	case v.Module() != m:
		m.Errorf(what, "%w: %v belongs to module %q, not to %q", ErrScope, v, v.Module().Name, m.Name)
		return false
	case v.IsGlobal():
		return true
	}
	for g := in; g != nil; g = g.Parent {
		if g == v.node.Graph {
			return true
		}
	}
	m.Errorf(what, "%w: %v is a value of %s, not visible in %s", ErrScope, v, v.node.Graph.name(), in.name())
	return false
}

// poisoned returns as many poisoned values as op has results.
func poisoned(op Op) []Value {
	n := 1
	if c, ok := op.(Invoker); ok && len(c.Callees()) > 0 && c.Callees()[0] != nil {
		n = len(c.Callees()[0].Out)
	}
	return slices.Repeat([]Value{poison}, n)
}

// ModuleOf returns the module to which an operator on the values belongs: that
// of the first value whose module has an open body, so that values of other
// modules are found out, or else the module of the body that the goroutine is in.
// Outside of bodies it is the module of the first value that has one, nil when
// none has.
func ModuleOf(vs ...Value) *Module {
	var first *Module
	for _, v := range vs {
		m := v.Module()
		if m != nil && m.open != nil {
			return m
		}
		if first == nil {
			first = m
		}
	}
	if m := innermost(); m != nil {
		return m
	}
	return first
}

// errors returns all recorded mistakes joined.
func (m *Module) errors() error { return errors.Join(m.errs...) }
