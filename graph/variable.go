package graph

import (
	"fmt"
	"math"
)

// Variable is a parameter that is kept between runs: a weight matrix, an
// embedding table. Its values belong to whoever executes the program.
type Variable struct {
	Name   string // for people and checkpoints; unique in its module
	Type   Type
	Init   Init
	Frozen bool // receives no gradient
	Index  int  // position in Program.Variables
	Pos    Pos

	read Value
}

// Var adds a float variable and returns its value, which every body may use. The
// spec is f32 of fixed extents.
func (m *Module) Var(name string, spec Value, init Init) Value {
	t := spec.Type()
	what := fmt.Sprintf("Var %q", name)
	if m == nil {
		return m.Errorf(what, "%w: the module is nil", ErrInvalid)
	}
	if !m.mayChange(what) {
		return poison
	}
	for _, v := range m.vars {
		if v.Name == name {
			return m.Errorf(what, "%w: the name is taken by the variable at %v", ErrRedefined, v.Pos)
		}
	}
	if err := spec.CheckSpec(); err != nil {
		return m.Errorf(what, "%w", err)
	}
	if t.IsList() || t.DType != Float32 {
		return m.Errorf(what, "%w: got %v; a variable is f32 and has fixed extents", ErrDType, t)
	}
	if init == nil {
		return m.Errorf(what, "%w: the initialiser is nil", ErrInvalid)
	}
	v := &Variable{Name: name, Type: t, Init: init, Index: len(m.vars), Pos: CallerPos()}
	m.vars = append(m.vars, v)
	v.read = m.globals.add(&Read{v}, nil, []Type{t}, v.Pos).Result(0)
	return v.read
}

// Variable returns the variable that v reads, nil when v is something else.
func (v Value) Variable() *Variable {
	if v.node == nil {
		return nil
	}
	if r, ok := v.node.Op.(*Read); ok {
		return r.Var
	}
	return nil
}

// Freeze makes the variables that the values read receive no gradient.
func (m *Module) Freeze(vs ...Value) {
	for _, v := range vs {
		r := v.Variable()
		if !m.mayChange("Freeze") {
			return
		}
		if r == nil || v.Module() != m {
			m.Errorf("Freeze", "%w: %v is not a variable of module %q", ErrInvalid, v, m.Name)
			continue
		}
		r.Frozen = true
	}
}

// Int is a constant integer scalar.
func (m *Module) Int(i int) Value {
	if i < math.MinInt32 || i > math.MaxInt32 {
		return m.Errorf("Int", "%w: %d does not fit into an i32", ErrDType, i)
	}
	return m.constant(&Const{Type: T(Int32), I: []int32{int32(i)}})
}

// Float is a constant float scalar.
func (m *Module) Float(x float64) Value {
	return m.constant(&Const{Type: T(Float32), F: []float32{float32(x)}})
}

// True is the constant true, or false when yes is false.
func (m *Module) True(yes bool) Value {
	c := &Const{Type: T(Boolean), I: []int32{0}}
	if yes {
		c.I[0] = 1
	}
	return m.constant(c)
}

// Floats is a constant float tensor; data is row-major and not copied.
func (m *Module) Floats(data []float32, dims ...int) Value {
	return m.tensor(&Const{Type: T(Float32, dims...), F: data}, len(data))
}

// Ints is a constant integer tensor; data is row-major and not copied.
func (m *Module) Ints(data []int32, dims ...int) Value {
	return m.tensor(&Const{Type: T(Int32, dims...), I: data}, len(data))
}

// Full is a constant float tensor with x everywhere.
func (m *Module) Full(x float64, dims ...int) Value {
	if err := T(Float32, dims...).Check(); err != nil {
		return m.Errorf("const", "%w", err)
	}
	data := make([]float32, Shape(dims).Size())
	for i := range data {
		data[i] = float32(x)
	}
	return m.Floats(data, dims...)
}

func (m *Module) tensor(c *Const, n int) Value {
	if err := c.Type.Check(); err != nil {
		return m.Errorf("const", "%w", err)
	}
	if c.Type.IsList() || c.Type.Size() != n {
		return m.Errorf("const", "%w: %d elements for %v", ErrShape, n, c.Type)
	}
	return m.constant(c)
}

// constant adds c. Without a module, as that of a poisoned value, the result is
// poisoned.
func (m *Module) constant(c *Const) Value {
	if m == nil || !m.mayChange("const") {
		return poison
	}
	return m.globals.add(c, nil, []Type{c.Type}, CallerPos()).Result(0)
}
