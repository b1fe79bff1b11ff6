package cuda

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// fused is a chain of element-wise steps. Longer chains than a launch can do are several
// launches.
type fused struct {
	operands int
	parts    []fusedPart
}

// fusedPart is the steps of one launch.
type fusedPart struct {
	fusion   *kernels.Fusion
	operands []fusedOperand
	steps    []kernels.RowStep
}

// fusedOperand is an operand of a launch: which one of the call, and how many elements
// of a row its steps use.
type fusedOperand struct{ number, width int }

// Fuse implements device.Device.
func (d *Device) Fuse(c device.Chain) (device.Kernel, error) {
	f := &fused{operands: c.Operands}
	for i, step := range c.Steps {
		compiled, err := rowStep(step)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
		for _, number := range numbersOf(&compiled) {
			if *number < 0 || *number >= c.Operands {
				return nil, fmt.Errorf("%w: step %d has operand %d of %d", gpu.ErrArgument, i, *number, c.Operands)
			}
		}
		f.add(compiled)
	}
	for i := range f.parts {
		p := &f.parts[i]
		var err error
		if p.fusion, err = kernels.NewFusion(p.steps); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// numbersOf returns the operands of a step.
func numbersOf(s *kernels.RowStep) []*int {
	if s.Y == kernels.Constant {
		return []*int{&s.To, &s.X}
	}
	return []*int{&s.To, &s.X, &s.Y}
}

// add appends a step to the last launch, or to a new one if that has no room.
func (f *fused) add(s kernels.RowStep) {
	if n := len(f.parts); n == 0 || !f.parts[n-1].add(s) {
		f.parts = append(f.parts, fusedPart{})
		f.parts[n].add(s)
	}
}

// add appends a step, unless there is no room for it.
func (p *fusedPart) add(s kernels.RowStep) bool {
	operands := slices.Clone(p.operands)
	for _, number := range numbersOf(&s) {
		i := slices.IndexFunc(operands, func(o fusedOperand) bool { return o.number == *number })
		if i < 0 {
			i = len(operands)
			operands = append(operands, fusedOperand{number: *number})
		}
		operands[i].width = max(operands[i].width, s.Size)
		*number = i
	}
	if len(operands) > kernels.MaxRowOperands || len(p.steps) == kernels.MaxRowSteps {
		return false
	}
	p.operands, p.steps = operands, append(p.steps, s)
	return true
}

// launch implements kernel.
func (f *fused) launch(s *Stream, c *device.Call) error {
	if len(c.In) != f.operands {
		return fmt.Errorf("%w: %d operands of a chain, want %d", gpu.ErrArgument, len(c.In), f.operands)
	}
	for i := range f.parts {
		if err := f.parts[i].launch(s, c); err != nil {
			return err
		}
	}
	return nil
}

func (p *fusedPart) launch(s *Stream, c *device.Call) error {
	var operands [kernels.MaxRowOperands]kernels.RowOperand
	for i, o := range p.operands {
		rows, err := s.rows(c.In[o.number], c.N, o.width)
		if err != nil {
			return fmt.Errorf("operand %d of a chain: %w", o.number, err)
		}
		operands[i] = kernels.RowOperand{Buffer: rows.matrix.Buffer, Stride: rows.matrix.Stride, Index: rows.index}
	}
	return s.device.kernels.Fused(s.stream, p.fusion, c.N, operands[:len(p.operands)]...)
}

// copyOf copies one operand of a call to another.
func copyOf(width int) (*kernels.Fusion, error) {
	return kernels.NewFusion([]kernels.RowStep{{Op: kernels.Identity, Size: width, To: 0, X: 1, Y: kernels.Constant}})
}

// copyRows copies n rows of a width.
func (s *Stream) copyRows(to, from device.Rows, n, width int) error {
	fusion, err := copyOf(width)
	if err != nil {
		return err
	}
	p := fusedPart{fusion: fusion, operands: []fusedOperand{{0, width}, {1, width}}}
	return p.launch(s, &device.Call{N: n, In: []device.Rows{to, from}})
}

// rowStep compiles a step.
func rowStep(s device.Step) (kernels.RowStep, error) {
	step := kernels.RowStep{Add: s.Add, Size: s.Size, To: s.To, X: s.From[0], Y: kernels.Constant}
	switch s.Kind {
	case device.Copy:
		step.Op = kernels.Identity
		return step, nil
	case device.Zero:
		step.Op, step.X = kernels.Nothing, s.To
		return step, nil
	}
	operator, ok := s.Op.(ops.Op)
	if !ok {
		return step, noElements(s)
	}
	elements := operator.Lower(s.In, s.Out).Elements
	known, ok := stepOps[s.Op.Name()]
	if !ok || elements == nil || (elements.Zip != nil) != known.pair || !isKnown(s.Op) {
		return step, noElements(s)
	}
	step.Op = known.op
	if known.pair {
		step.Y = s.From[1]
	}
	for i, key := range known.constants {
		if err := readConstant([]*float32{&step.Low, &step.High}[i], s.Op.Attrs(), key); err != nil {
			return step, fmt.Errorf("%w: %w", noElements(s), err)
		}
	}
	return step, nil
}

func noElements(s device.Step) error {
	name := "none"
	if s.Op != nil {
		name = s.Op.Name()
	}
	return fmt.Errorf("%w: %s of %v element by element", device.ErrNoKernel, name, s.In)
}

// readConstant reads an attribute that is a number.
func readConstant(to *float32, attributes []graph.Attr, key string) error {
	i := slices.IndexFunc(attributes, func(a graph.Attr) bool { return a.Key == key })
	if i < 0 {
		return fmt.Errorf("no attribute %s", key)
	}
	v, ok := attributes[i].Value.(float64)
	if !ok {
		return fmt.Errorf("attribute %s is %T, want float64", key, attributes[i].Value)
	}
	*to = float32(v)
	return nil
}

// elementOp is how an operator is computed element by element: of two operands, or of
// one and of attributes.
type elementOp struct {
	op        kernels.Op
	pair      bool
	constants []string
}

// stepOps is the operators of package ops that work element by element on floats.
var stepOps = map[string]elementOp{
	"add": {op: kernels.Add, pair: true}, "sub": {op: kernels.Subtract, pair: true},
	"mul": {op: kernels.Multiply, pair: true}, "div": {op: kernels.Divide, pair: true},
	"pow": {op: kernels.Power, pair: true}, "maximum": {op: kernels.Maximum, pair: true},
	"minimum": {op: kernels.Minimum, pair: true},
	"neg":     {op: kernels.Negate}, "abs": {op: kernels.Absolute}, "abs_grad": {op: kernels.AbsoluteGradient, pair: true},
	"exp": {op: kernels.Exp}, "log": {op: kernels.Log}, "sqrt": {op: kernels.SquareRoot},
	"square": {op: kernels.Square}, "reciprocal": {op: kernels.Reciprocal}, "softplus": {op: kernels.Softplus},
	"stop_gradient": {op: kernels.Identity},
	"sigmoid":       {op: kernels.Sigmoid}, "sigmoid_grad": {op: kernels.SigmoidGradient, pair: true},
	"tanh": {op: kernels.Tanh}, "tanh_grad": {op: kernels.TanhGradient, pair: true},
	"relu": {op: kernels.Relu}, "relu_grad": {op: kernels.ReluGradient, pair: true},
	"add_scalar": {op: kernels.Add, constants: []string{"c"}},
	"mul_scalar": {op: kernels.Multiply, constants: []string{"c"}},
	"clip":       {op: kernels.Clip, constants: []string{"lo", "hi"}},
}
