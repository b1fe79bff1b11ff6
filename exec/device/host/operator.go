package host

import (
	"fmt"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// operator is the kernel of an operator.
type operator struct {
	device   *Device
	label    string
	run      func(*ops.Batch) error
	segments bool
	in       []operand
	out      operand
	random   bool // keys are needed if there is a seed
}

// operand is what a kernel knows about an operand.
type operand struct {
	width int // words of a row
	float bool
	list  bool
}

func operandOf(t graph.Type) operand {
	o := operand{float: t.DType.IsFloat(), list: t.IsList()}
	if o.list {
		t = t.Elem()
	}
	o.width = t.Size()
	return o
}

// Compile implements device.Device.
func (d *Device) Compile(o device.Operator) (device.Kernel, error) {
	op, err := d.operator(o.Op, o.In, o.Out)
	if err != nil {
		return nil, err
	}
	low := op.Lower(o.In, o.Out)
	k := &operator{device: d, label: "Launch " + o.Op.Name(), run: low.Rows, segments: o.Segments, out: operandOf(o.Out)}
	if o.Segments {
		k.run = low.Segments
	}
	if k.run == nil {
		return nil, fmt.Errorf("%w: %s %v: its batching rule has other rows", device.ErrNoKernel, o.Op.Name(), o.In)
	}
	for _, t := range o.In {
		k.in = append(k.in, operandOf(t))
	}
	_, k.random = o.Op.(ops.DropoutOp)
	return k, nil
}

// operator returns an operator that may have a kernel.
func (d *Device) operator(o graph.Op, in []graph.Type, out graph.Type) (ops.Op, error) {
	if o == nil {
		return nil, argument("no operator")
	}
	op, ok := o.(ops.Op)
	if !ok {
		return nil, fmt.Errorf("%w: %s %v has no batching rule", device.ErrNoKernel, o.Name(), in)
	}
	if d.options.Without != nil && d.options.Without(o) {
		return nil, fmt.Errorf("%w: %s %v, as Options.Without says", device.ErrNoKernel, o.Name(), in)
	}
	for _, t := range append(in[:len(in):len(in)], out) {
		if t.DType == graph.Float64 {
			return nil, fmt.Errorf("%w: %s %v to %v: elements of 64 bits", device.ErrNoKernel, o.Name(), in, out)
		}
	}
	return op, nil
}

func (k *operator) owner() *Device { return k.device }

func (k *operator) name() string { return k.label }

func (k *operator) launch(s *Stream, c *device.Call) error {
	if len(c.In) != len(k.in) {
		return argument("%d operands, want %d", len(c.In), len(k.in))
	}
	b := &s.batch
	*b = ops.Batch{N: c.N, In: b.In[:0], Seed: c.Seed, Tmp: &s.scratch}
	for i, o := range k.in {
		r, err := o.rows(s, c.In[i], k.count(o, c), false)
		if err != nil {
			return fmt.Errorf("operand %d: %w", i, err)
		}
		b.In = append(b.In, r)
	}
	var err error
	if b.Out, err = k.out.rows(s, c.Out, k.count(k.out, c), true); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	if err := k.lists(s, c, b); err != nil {
		return err
	}
	if err := s.ready(k.label); err != nil {
		return err
	}
	return k.run(b)
}

// count returns how many rows an operand has.
func (k *operator) count(o operand, c *device.Call) int {
	if k.segments && o.list {
		return c.Length
	}
	return c.N
}

func (o operand) rows(s *Stream, r device.Rows, n int, write bool) (ops.Rows, error) {
	if write && (!r.Index.IsZero() || n > 1 && r.Stride < o.width) {
		return ops.Rows{}, argument("%d rows of %d words with stride %d, index %v", n, o.width, r.Stride, !r.Index.IsZero())
	}
	rows, err := s.rows(r, n, o.width, write)
	if o.float {
		rows.I = nil
	} else {
		rows.F = nil
	}
	return rows, err
}

// lists resolves segments and keys.
func (k *operator) lists(s *Stream, c *device.Call, b *ops.Batch) error {
	if k.segments {
		seg, err := s.list(c.Segments, c.N+1)
		if err != nil {
			return fmt.Errorf("segments: %w", err)
		}
		if err := offsets(seg, c.Length); err != nil {
			return fmt.Errorf("segments: %w", err)
		}
		b.Seg = seg
	}
	if c.Keys.IsZero() {
		if k.random && c.Seed != 0 && c.N > 0 {
			return argument("a seed, but no keys")
		}
		return nil
	}
	keys, err := s.resolve(c.Keys.Buffer, c.Keys.Offset, c.N, false)
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	b.Keys = naturals(keys)
	return nil
}

// offsets checks that offsets do not decrease and lie between 0 and n.
func offsets(of []int32, n int) error {
	before := int32(0)
	for i, x := range of {
		if x < before || int(x) > n {
			return argument("offset %d is %d, after %d and with %d rows", i, x, before, n)
		}
		before = x
	}
	return nil
}
