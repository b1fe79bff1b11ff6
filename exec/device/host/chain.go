package host

import (
	"fmt"
	"strings"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/internal/kernel"
	"github.com/frondml/frond/ops"
)

// chainFloats is how many floats of all operands the rows hold that are worked on before
// the next ones: few enough for the first-level cache.
const chainFloats = 4096

// chain is the kernel of a chain.
type chain struct {
	device *Device
	label  string
	steps  []step
	uses   []use // of operands
	width  int   // of all operands together
}

// use says how a chain uses an operand.
type use struct {
	width int // words of a row; 0 if it is not used
	write bool
}

// step is a step whose functions are known.
type step struct {
	device.Step
	mapRow      func(dst, x []float32)
	zipRow      func(dst, x, y []float32)
	intoScratch bool // compute beside the row, then add
}

// Fuse implements device.Device.
func (d *Device) Fuse(c device.Chain) (device.Kernel, error) {
	k := &chain{device: d, uses: make([]use, max(c.Operands, 0))}
	names := make([]string, len(c.Steps))
	for i := range c.Steps {
		st, err := d.step(&c.Steps[i])
		if err != nil {
			return nil, fmt.Errorf("step %d of %d: %w", i, len(c.Steps), err)
		}
		if err := k.use(&st); err != nil {
			return nil, fmt.Errorf("step %d of %d: %w", i, len(c.Steps), err)
		}
		k.steps = append(k.steps, st)
		names[i] = st.String()
	}
	for _, u := range k.uses {
		k.width += u.width
	}
	k.label = "Launch " + strings.Join(names, "+")
	return k, nil
}

// step resolves the functions of a step.
func (d *Device) step(of *device.Step) (step, error) {
	st := step{Step: *of}
	switch of.Kind {
	case device.Zero:
		if of.Add {
			return st, argument("zero, and add")
		}
		return st, nil
	case device.Copy:
		st.mapRow = func(dst, x []float32) { copy(dst, x) }
		if of.Add {
			st.mapRow = kernel.AddTo
		}
		return st, nil
	case device.Apply:
		return st, d.apply(&st)
	}
	return st, argument("kind %d", of.Kind)
}

func (d *Device) apply(st *step) error {
	op, err := d.operator(st.Op, st.In, st.Out)
	if err != nil {
		return err
	}
	e := op.Lower(st.In, st.Out).Elements
	if e == nil {
		return fmt.Errorf("%w: %s %v does not work element by element", device.ErrNoKernel, st.Op.Name(), st.In)
	}
	st.mapRow, st.zipRow = e.Map, e.Zip
	switch {
	case !st.Add:
	case e.AddMap != nil || e.AddZip != nil:
		st.mapRow, st.zipRow = e.AddMap, e.AddZip
	default:
		st.intoScratch = true
	}
	return nil
}

// operands returns which operands the step reads.
func (st *step) operands() []int {
	switch {
	case st.Kind == device.Zero:
		return nil
	case st.zipRow == nil:
		return st.From[:1]
	}
	return st.From[:]
}

// String returns what the step does, for errors.
func (st *step) String() string {
	switch st.Kind {
	case device.Zero:
		return "zero"
	case device.Copy:
		return "copy"
	}
	return st.Op.Name()
}

// use notes which operands a step uses.
func (k *chain) use(st *step) error {
	if st.Size < 0 {
		return argument("%s: %d elements", st, st.Size)
	}
	for _, o := range append(st.operands()[:len(st.operands()):len(st.operands())], st.To) {
		if o < 0 || o >= len(k.uses) {
			return argument("%s: operand %d of %d", st, o, len(k.uses))
		}
		k.uses[o].width = max(k.uses[o].width, st.Size)
	}
	k.uses[st.To].write = true
	return nil
}

func (k *chain) owner() *Device { return k.device }

func (k *chain) name() string { return k.label }

func (k *chain) launch(s *Stream, c *device.Call) error {
	if len(c.In) != len(k.uses) {
		return argument("%d operands, want %d", len(c.In), len(k.uses))
	}
	s.operands = s.operands[:0]
	for i, u := range k.uses {
		if u.write && c.N > 1 && c.In[i].Stride == 0 {
			return argument("operand %d is written and all its rows are the same", i)
		}
		r, err := s.rows(c.In[i], c.N, u.width, u.write)
		if err != nil {
			return fmt.Errorf("operand %d: %w", i, err)
		}
		s.operands = append(s.operands, r)
	}
	if err := s.ready(k.label); err != nil {
		return err
	}
	rows := max(1, chainFloats/max(1, k.width))
	for from := 0; from < c.N; from += rows {
		for i := range k.steps {
			k.steps[i].run(s, from, min(from+rows, c.N))
		}
	}
	return nil
}

// run executes the step for some rows.
func (st *step) run(s *Stream, from, to int) {
	n := st.Size
	if n == 0 {
		return
	}
	z, x, y := &s.operands[st.To], &s.operands[st.From[0]], (*ops.Rows)(nil)
	if st.zipRow != nil {
		y = &s.operands[st.From[1]]
	}
	for i := from; i < to; i++ {
		dst, sum := z.Row(i, n), []float32(nil)
		if st.intoScratch {
			dst, sum = s.temporary(n), dst
		}
		switch {
		case y != nil:
			st.zipRow(dst, x.Row(i, n), y.Row(i, n))
		case st.mapRow != nil:
			st.mapRow(dst, x.Row(i, n))
		default:
			clear(dst)
		}
		if sum != nil {
			kernel.AddTo(sum, dst)
		}
	}
}
