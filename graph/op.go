package graph

import "fmt"

// Op is an operator with its attributes fixed. Ops are immutable.
type Op interface {
	// Name is the operator's name in printed programs, lower case.
	Name() string
	// Attrs lists the attributes in the order in which they are printed.
	Attrs() []Attr
	// Infer returns the types of the results for inputs of the given types, or
	// what is wrong with them, wrapping ErrShape or ErrDType.
	Infer(in []Type) ([]Type, error)
}

// Attr is a named attribute of an operator. Value is an int, float64, bool,
// string, []int, []string, DType or Type.
type Attr struct {
	Key   string
	Value any
}

// Differentiable is an operator with a gradient rule. It has at most one result.
type Differentiable interface {
	Op
	// Gradient builds, in the adjoint graph that is open, what node n adds to
	// the cotangents of its inputs when ct is the cotangent of its result. The
	// zero Value stands for no contribution. Values of the forward graph,
	// n.In and n.Result(0) among them, may be used.
	Gradient(n *Node, ct Value) []Value
}

// Sink is an operator that is executed for its effect, not for its results.
type Sink interface {
	Op
	Sink()
}

// Tabular is a sink that adds rows to a named table, all of one type.
type Tabular interface {
	Sink
	// Row returns the table and the type of the row that inputs of the given
	// types add.
	Row(in []Type) (table string, row Type)
}

// Invoker is an operator whose node invokes graphs: one, or one of several that
// the first input selects, or one once per element of lists.
type Invoker interface {
	Op
	// Callees are the graphs that the node may invoke.
	Callees() []*Graph
	// Leading is the number of inputs that come before the arguments.
	Leading() int
}

// Param is the operator of a graph's parameters. Captured parameters stand for
// values of enclosing graphs.
type Param struct {
	Label    string
	Captured bool
}

// Name implements Op.
func (Param) Name() string { return "param" }

// Attrs implements Op.
func (Param) Attrs() []Attr { return nil }

// Infer implements Op; parameters get their type from the signature.
func (Param) Infer([]Type) ([]Type, error) {
	return nil, fmt.Errorf("%w: param is not applied", ErrInvalid)
}

// Const is the operator of constants. F holds float elements, I integers and
// truth values (0 or 1); row-major.
type Const struct {
	Type Type
	F    []float32
	I    []int32
}

// Name implements Op.
func (*Const) Name() string { return "const" }

// Attrs implements Op.
func (c *Const) Attrs() []Attr { return nil }

// Infer implements Op.
func (c *Const) Infer([]Type) ([]Type, error) { return []Type{c.Type}, nil }

// Read is the operator of a variable's use.
type Read struct{ Var *Variable }

// Name implements Op.
func (*Read) Name() string { return "var" }

// Attrs implements Op.
func (r *Read) Attrs() []Attr { return []Attr{{"name", r.Var.Name}} }

// Infer implements Op.
func (r *Read) Infer([]Type) ([]Type, error) { return []Type{r.Var.Type}, nil }

// Cotangent stands, in an adjoint graph, for the accumulated cotangent of its
// input, a value of the forward graph.
type Cotangent struct{}

// Name implements Op.
func (Cotangent) Name() string { return "cotangent" }

// Attrs implements Op.
func (Cotangent) Attrs() []Attr { return nil }

// Infer implements Op.
func (Cotangent) Infer(in []Type) ([]Type, error) { return in[:1], nil }

var (
	_ Op = Param{}
	_ Op = (*Const)(nil)
	_ Op = (*Read)(nil)
	_ Op = Cotangent{}
)
