package exec

import (
	"fmt"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
)

// Note [Devices]
//
// On a device, words, integers and lists stay with the engine, and floats lie in the
// memory of the device. A sequence of instructions is cut into phases. A phase first does
// on the host what needs none of the phase's floats; then all index lists and integers
// that its kernels read go up in one copy; then the kernels are issued. Integers that they
// compute come back at the phase's end, and only a later phase reads them. Most sequences
// are one phase without any: the host runs ahead of the device.
//
// Host instructions may run before the kernels in front of them, because they read
// nothing that those write, and write nothing that those read otherwise: registers are
// written once, and integers have temporary memory of their own.

// deviceCode is a sequence of instructions as a device executes it.
type deviceCode struct {
	phases []devicePhase
	waits  bool // for integers
}

type devicePhase struct {
	host  []*instr
	work  []deviceWork
	after []*instr // what must not be done when the work fails
	ints  bool     // the work computes integers
}

// workKind says which of a device's abilities does the work.
type workKind uint8

const (
	workChain   workKind = iota // device.Stream.Launch of a chain
	workKernel                  // the kernel of an operator
	workHost                    // an operator without a kernel
	workProduct                 // Multiply
	workScatter                 // AddGroups: rows may meet
	workPlace                   // add at a computed offset
	workLoss
	workCollect
	workSumRows
	workSparseRows
)

// deviceWork is one launch, or a few.
type deviceWork struct {
	kind     workKind
	in       *instr
	kernel   device.Kernel
	operator device.Operator // of workKernel
	stays    []bool          // by input, and of the result: integers that the host never reads

	// Of a chain: its operands. Of workScatter: the rows that are added.
	operands []chainOperand
	steps    []device.Step
	nodes    []*instr // of the steps, to count
}

// deviceCompiler cuts a sequence into phases.
type deviceCompiler struct {
	p       *plan
	code    *stageCode
	dev     device.Device
	single  bool // no step is fused with others
	phases  []devicePhase
	pending map[memory]bool // integers that the present phase computes from floats
	stays   map[int]bool    // buffers of integers that never come to the host
	made    *deviceKernels
	temps   int
	err     error
}

// compileFor compiles a sequence for a device.
func (p *plan) compileFor(dev device.Device, made *deviceKernels, code *stageCode, instrs []instr, single bool) (*deviceCode, error) {
	c := &deviceCompiler{p: p, code: code, dev: dev, single: single, phases: make([]devicePhase, 1), pending: map[memory]bool{},
		made: made}
	c.findStaying(instrs)
	for i := range instrs {
		c.add(&instrs[i])
	}
	c.closeChain()
	all := &deviceCode{phases: c.phases}
	for i := range c.phases {
		all.waits = all.waits || c.phases[i].ints
	}
	return all, c.err
}

func (c *deviceCompiler) phase() *devicePhase { return &c.phases[len(c.phases)-1] }

func (c *deviceCompiler) add(in *instr) {
	if c.readsPending(in) {
		c.closeChain()
		c.phases = append(c.phases, devicePhase{})
		clear(c.pending)
	}
	switch ph := c.phase(); {
	case in.kind == doKeep || in.kind == doAdvance || in.kind == doCollect && c.onHost(in):
		ph.after = append(ph.after, in)
	case c.onHost(in):
		if in.kind == doListNames {
			c.closeChain() // what follows may read any element of the list
		}
		ph.host = append(ph.host, in)
	case in.kind == doFused:
		for i := range in.parts {
			c.work(&in.parts[i])
		}
	default:
		c.work(in)
	}
}

// onHost reports whether the instruction touches no floats.
func (c *deviceCompiler) onHost(in *instr) bool { return c.p.touchesNoFloats(c.code, in) }

func (p *plan) touchesNoFloats(code *stageCode, in *instr) bool {
	switch in.kind {
	case doNames, doReserve, doIota, doListNames, doConst, doFlatten, doSameLength, doBounds:
		return true
	case doRows, doSegments, doCopy, doCollect:
		for i := range in.in {
			if !p.isInts(code, &in.in[i]) {
				return false
			}
		}
		return in.kind == doCollect || p.isInts(code, &in.out)
	}
	return false
}

// isInts reports whether an operand has integers.
func (c *deviceCompiler) isInts(o *operand) bool { return c.p.isInts(c.code, o) }

func (p *plan) isInts(code *stageCode, o *operand) bool {
	switch o.kind {
	case inReg, inFlat:
		return true
	case inBuffer:
		return code.buffers[o.index].ints
	case inOwn, inStore, inStoreFlat:
		return p.stores[o.store].ints
	case inGlobal, inTable, inTableFlat, inTableBuffer:
		return !o.global.Type().DType.IsFloat()
	}
	return false
}

// readsPending reports whether the instruction reads integers of the present phase.
func (c *deviceCompiler) readsPending(in *instr) bool {
	if len(c.pending) == 0 {
		return false
	}
	if in.keys >= 0 && c.pending[memory{inReg, in.keys}] || in.kind == doFlatten && c.pending[memory{inReg, in.index}] {
		return true
	}
	for i := range in.in {
		if c.pending[c.words(&in.in[i])] {
			return true
		}
	}
	return in.out.kind != inReg && c.pending[c.words(&in.out)]
}

// words is where the integers of an operand lie, or those that say where its rows are.
func (c *deviceCompiler) words(o *operand) memory {
	switch o.kind {
	case inReg, inStore, inTable, inStoreAdj:
		return memory{inReg, o.index}
	case inBuffer, inTableBuffer:
		return memory{inBuffer, o.index}
	case inOwn:
		return memory{inStore, o.store}
	}
	return memory{}
}

// work compiles an instruction that touches floats.
func (c *deviceCompiler) work(in *instr) {
	switch in.kind {
	case doRows:
		if in.elem != nil && !c.isInts(&in.out) {
			c.elementwise(in)
			return
		}
		c.operator(in)
	case doSegments:
		c.operator(in)
	case doCopy, doAdd, doScatter, doZero:
		c.elementwise(in)
	default:
		c.emit(deviceWork{kind: workOf[in.kind], in: in})
	}
}

var workOf = map[instrKind]workKind{
	doGemm: workProduct, doScatterAt: workPlace, doLoss: workLoss, doCollect: workCollect, doSumRows: workSumRows, doSparseRows: workSparseRows,
}

// emit adds work behind the chain that is being made.
func (c *deviceCompiler) emit(w deviceWork) {
	c.closeChain()
	ph := c.phase()
	ph.work = append(ph.work, w)
}

// operatorOf says what an instruction computes.
func operatorOf(in *instr) device.Operator {
	return device.Operator{Op: in.node.Op, In: in.node.InTypes(), Out: in.node.Out[0], Segments: in.kind == doSegments}
}

// operator adds an operator with a kernel of its own, or one without any.
func (c *deviceCompiler) operator(in *instr) {
	w := deviceWork{kind: workHost, in: in, operator: operatorOf(in), kernel: c.made.of[in]}
	if w.kernel != nil {
		w.kind = workKernel
		w.stays = make([]bool, len(in.in)+1)
		for k := range in.in {
			w.stays[k] = c.staying(&in.in[k])
		}
		w.stays[len(in.in)] = c.staying(&in.out)
	}
	if c.isInts(&in.out) && !c.staying(&in.out) {
		c.phase().ints = true
		c.pending[c.words(&in.out)] = true
	}
	c.emit(w)
}

func (c *deviceCompiler) fail(n *graph.Node, err error) {
	if c.err != nil {
		return
	}
	if n == nil {
		c.err = fmt.Errorf("%s: %w", c.dev.Name(), err)
		return
	}
	c.err = fmt.Errorf("%s: %s (%v) in %s: %w", c.dev.Name(), n.Op.Name(), n.Pos, n.Graph.Name, err)
}
