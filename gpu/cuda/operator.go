package cuda

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// operator is an operator for certain types, with the shapes of what rows hold.
type operator struct {
	device.Operator
	in  []graph.Shape
	out graph.Shape
}

// compilers make the kernels of operators, by name.
var compilers = map[string]func(operator) kernel{
	"add": arithmetic, "sub": arithmetic, "mul": arithmetic, "div": arithmetic, "pow": arithmetic,
	"minimum": arithmetic, "maximum": arithmetic,
	"less": arithmetic, "less_equal": arithmetic, "greater": arithmetic, "greater_equal": arithmetic,
	"equal": arithmetic, "not_equal": arithmetic, "where": arithmetic, "cast": cast,
	"expand": expand, "transpose": transpose, "reshape": window, "slice": slice, "pad": pad, "concat": concat,
	"sum": sum, "max": maximum, "argmax": argMax, "max_grad": maxGradient,
	"softmax": softmax, "log_softmax": softmax, "normalize": normalize, "normalize_grad": normalizeGradient,
	"cross_entropy": crossEntropy, "cross_entropy_grad": crossEntropyGradient,
	"dropout": dropout, "one_hot": oneHot,
	"matmul": matMul, "outer": outer, "at": pick, "scatter_at": scatter,
}

// compile returns the kernel of an operator. Operators on integers alone have none:
// integers stay on the host.
func (d *Device) compile(o device.Operator) (kernel, error) {
	op, ok := o.Op.(ops.Op)
	if !ok || !touchesFloats(o) || !isKnown(op) {
		return nil, noKernel(o)
	}
	rule := op.Lower(o.In, o.Out)
	if rule.Names != nil || o.Segments != (rule.Segments != nil) {
		return nil, noKernel(o)
	}
	shaped := operator{Operator: o, out: rowShape(o.Out)}
	for _, t := range o.In {
		shaped.in = append(shaped.in, rowShape(t))
	}
	if shaped.out.Size() == 0 {
		return checked{nothing{}, len(o.In)}, nil
	}
	if compiler := compilers[o.Op.Name()]; compiler != nil {
		if k := compiler(shaped); k != nil {
			return checked{k, len(o.In)}, nil
		}
		return nil, noKernel(o)
	}
	if rule.Elements == nil {
		return nil, noKernel(o)
	}
	return d.alone(shaped)
}

// noKernel says for which operator and types there is none.
func noKernel(o device.Operator) error {
	over := ""
	if o.Segments {
		over = " over segments"
	}
	return fmt.Errorf("%w: %s%v -> %v%s", device.ErrNoKernel, o.Op.Name(), o.In, o.Out, over)
}

// registry makes the operators of package ops.
var registry = sync.OnceValue(ops.Registry)

// isKnown reports whether an operator is that of its name in package ops: others have
// other meanings.
func isKnown(op graph.Op) bool {
	again, ok := registry()[op.Name()]
	if !ok {
		return false
	}
	own, err := again(op.Attrs())
	return err == nil && reflect.DeepEqual(own, op)
}

func touchesFloats(o device.Operator) bool {
	touches := o.Out.DType == graph.Float32
	for _, t := range o.In {
		touches = touches || t.DType == graph.Float32
	}
	return touches
}

// rowShape is the shape of what a row holds: the value, or one element of a list.
func rowShape(t graph.Type) graph.Shape {
	if t.IsList() {
		return t.Shape[1:]
	}
	return t.Shape
}

// attribute returns an attribute of an operator of package ops, whose types are known.
func attribute[T any](op graph.Op, key string) T {
	var value T
	for _, a := range op.Attrs() {
		if a.Key == key {
			value, _ = a.Value.(T)
		}
	}
	return value
}

// rowAxis turns an axis of a value of type t into one of its rows; it is negative for
// that of a list.
func rowAxis(t graph.Type, axis int) int {
	if t.IsList() {
		return axis - 1
	}
	return axis
}

// nothing computes results without elements.
type nothing struct{}

func (nothing) launch(*Stream, *device.Call) error { return nil }

// checked is a kernel that works on at least one row and gets as many operands as its
// operator has inputs.
type checked struct {
	kernel
	inputs int
}

func (k checked) launch(s *Stream, c *device.Call) error {
	if len(c.In) != k.inputs || c.N < 0 || c.Length < 0 {
		return fmt.Errorf("%w: a call with %d operands for %d rows and lists of %d, want %d operands",
			gpu.ErrArgument, len(c.In), c.N, c.Length, k.inputs)
	}
	if c.N == 0 {
		return nil
	}
	return k.kernel.launch(s, c)
}

// one executes an element-wise operator as a chain of one step.
type one struct{ chain kernel }

// alone returns the kernel of an operator whose batching rule has Elements.
func (d *Device) alone(o operator) (kernel, error) {
	step := device.Step{Kind: device.Apply, Op: o.Op, In: o.In, Out: o.Out, Size: o.out.Size(), To: len(o.In), From: [2]int{0, len(o.In) - 1}}
	chain, err := d.Fuse(device.Chain{Operands: len(o.In) + 1, Steps: []device.Step{step}})
	if err != nil {
		return nil, err
	}
	compiled, ok := chain.(kernel)
	if !ok {
		return nil, noKernel(o.Operator)
	}
	return checked{one{compiled}, len(o.In)}, nil
}

// launch makes the result one of the operands, as chains have it.
func (k one) launch(s *Stream, c *device.Call) error {
	call := *c
	call.In = append(append(make([]device.Rows, 0, len(c.In)+1), c.In...), c.Out)
	return k.chain.launch(s, &call)
}
