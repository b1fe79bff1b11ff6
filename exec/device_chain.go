package exec

import (
	"errors"

	"github.com/frondml/frond/exec/device"
)

// chainOperand is an operand of several steps.
type chainOperand struct {
	at   operand
	size int
}

// elementwise adds a step to the chain. What is added to rows that others may add to at
// the same time is first computed.
func (c *deviceCompiler) elementwise(in *instr) {
	if k := in.out.kind; k != inStoreAdj && k != inStoreFlatAdj {
		c.step(in, in.out)
		return
	}
	w := deviceWork{kind: workScatter, in: in}
	if in.kind == doRows {
		t := operand{kind: inTemp, index: c.temps, space: in.space}
		c.temps++
		c.step(in, t)
		w.operands = []chainOperand{{t, in.size}}
	} else {
		w.operands = []chainOperand{{in.in[0], in.size}}
	}
	c.emit(w)
}

// maxChain bounds the steps of a chain.
const maxChain = 64

// chain returns the chain that is being made, or a new one.
func (c *deviceCompiler) chain(in *instr) *deviceWork {
	ph := c.phase()
	if n := len(ph.work); n > 0 && !c.single {
		w := &ph.work[n-1]
		if w.kind == workChain && w.kernel == nil && w.in.space == in.space && len(w.steps) < maxChain && c.fits(w, in) {
			return w
		}
	}
	c.closeChain()
	ph.work = append(ph.work, deviceWork{kind: workChain, in: in})
	return &ph.work[len(ph.work)-1]
}

// fits reports whether the instruction may be a step of a chain: rows are executed in any
// order, so temporary memory must not be used for rows of two sizes.
func (c *deviceCompiler) fits(w *deviceWork, in *instr) bool {
	for _, o := range append(in.in[:len(in.in):len(in.in)], in.out) {
		if o.kind != inBuffer {
			continue
		}
		b := &c.code.buffers[o.index]
		for i := range w.operands {
			p := &w.operands[i].at
			if p.kind != inBuffer {
				continue
			}
			if q := &c.code.buffers[p.index]; q.slot == b.slot && q.size != b.size {
				return false
			}
		}
	}
	return true
}

// step adds one step that writes to a place.
func (c *deviceCompiler) step(in *instr, to operand) {
	w := c.chain(in)
	s := device.Step{Kind: device.Copy, Size: in.size, Add: in.add}
	from := in.in
	switch in.kind {
	case doRows:
		s.Kind, s.Op, s.In, s.Out = device.Apply, in.node.Op, in.node.InTypes(), in.node.Out[0]
		if to != in.out {
			s.Add = false
		}
	case doAdd, doScatter:
		s.Add = true
	case doZero:
		s.Kind, from = device.Zero, nil
	}
	for k := range from {
		s.From[k] = w.operand(from[k], in.size)
	}
	s.To = w.operand(to, in.size)
	w.steps = append(w.steps, s)
	w.nodes = append(w.nodes, in)
}

// operand returns the number of an operand of a chain.
func (w *deviceWork) operand(o operand, size int) int {
	for i := range w.operands {
		if w.operands[i].at == o {
			w.operands[i].size = max(w.operands[i].size, size)
			return i
		}
	}
	w.operands = append(w.operands, chainOperand{o, size})
	return len(w.operands) - 1
}

// closeChain compiles the chain that is being made.
func (c *deviceCompiler) closeChain() {
	ph := c.phase()
	if len(ph.work) == 0 {
		return
	}
	w := &ph.work[len(ph.work)-1]
	if w.kind != workChain || w.kernel != nil {
		return
	}
	k, err := c.dev.Fuse(device.Chain{Operands: len(w.operands), Steps: w.steps})
	switch {
	case err == nil:
		w.kernel = k
	case !errors.Is(err, device.ErrNoKernel):
		c.fail(w.in.node, err)
	case len(w.steps) == 1:
		w.kind = workHost
	default:
		c.unfuse(*w)
	}
}

// unfuse replaces the last work, a chain in which there is a step that the device cannot
// fuse, by a chain for every step.
func (c *deviceCompiler) unfuse(w deviceWork) {
	ph := c.phase()
	ph.work = ph.work[:len(ph.work)-1]
	single := c.single
	c.single = true
	for i, in := range w.nodes {
		c.step(in, w.operands[w.steps[i].To].at)
	}
	c.closeChain()
	c.single = single
}
