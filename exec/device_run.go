package exec

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/exec/device"
)

// run executes a sequence of instructions on the device.
func (d *deviceEngine) run(instrs []instr) *batchError {
	if len(instrs) == 0 {
		return nil
	}
	var current *instr
	code := d.s.code[&instrs[0]]
	for i := range code.phases {
		if failed := d.phase(&code.phases[i], &current); failed != nil {
			return failed
		}
		if err := d.receive(d.takeFetched()); err != nil {
			return d.x.rowFailed(current, d.wrap(err))
		}
	}
	return nil
}

// phase executes a phase up to where its integers are on their way.
func (d *deviceEngine) phase(ph *devicePhase, current **instr) (failed *batchError) {
	defer func() {
		if p := recover(); p != nil { // of an operator of the program
			d.releaseFetched(d.takeFetched())
			err := fmt.Errorf("%w: %v", ErrPanic, p)
			failed = &batchError{-1, *current, errors.Join(err, d.s.failed(d.endPhase()))}
		}
	}()
	if failed := d.onHost(ph.host, current); failed != nil {
		return failed
	}
	in, err := d.issue(ph, current)
	if err != nil {
		d.releaseFetched(d.takeFetched())
	}
	if err = errors.Join(err, d.s.failed(d.endPhase())); err != nil {
		return d.x.rowFailed(in, err)
	}
	return d.onHost(ph.after, current)
}

// onHost executes instructions that touch no floats.
func (d *deviceEngine) onHost(instrs []*instr, current **instr) *batchError {
	for _, in := range instrs {
		*current = in
		if err := d.x.instruction(in); err != nil {
			return d.x.rowFailed(in, err)
		}
	}
	return nil
}

// issue sends the lists of a phase and issues its work. On an error it says where.
func (d *deviceEngine) issue(ph *devicePhase, current **instr) (*instr, error) {
	for i := range ph.work {
		w := &ph.work[i]
		*current = w.in
		if err := d.prepare(w); err != nil {
			return w.in, err
		}
	}
	if err := d.lists.send(d); err != nil {
		return *current, d.s.failed(err)
	}
	for i := range ph.work {
		w := &ph.work[i]
		*current = w.in
		if err := d.issueWork(w); err != nil {
			return w.in, d.wrap(err)
		}
	}
	return *current, nil
}

// wrap adds to errors of the device, but not to those of rows.
func (d *deviceEngine) wrap(err error) error {
	if errors.Is(err, device.ErrMemory) || errors.Is(err, device.ErrLost) {
		return d.s.failed(err)
	}
	return err
}

// prepare places the lists that the work reads, and checks integers.
func (d *deviceEngine) prepare(w *deviceWork) error {
	space := w.in.space
	n := d.x.run.count(space)
	switch w.kind {
	case workChain:
		for i := range w.operands {
			d.note(&w.operands[i].at, space)
		}
	case workScatter:
		d.noteGroups(&w.in.out, &w.operands[0].at, space)
	case workKernel:
		return d.prepareKernel(w)
	case workHost:
		d.prepareHost(w)
	case workProduct:
		d.noteProduct(w.in, n)
	case workPlace:
		d.note(&w.in.in[0], space)
		d.notePlaces(w.in, n)
	case workLoss, workSumRows:
		d.note(&w.in.in[0], frameSpace)
	case workCollect:
		d.note(&w.in.in[1], frameSpace)
	case workSparseRows:
		d.note(&w.in.in[0], space)
	}
	return nil
}

func (d *deviceEngine) issueWork(w *deviceWork) error {
	x, in := d.x, w.in
	n := x.run.count(in.space)
	switch w.kind {
	case workChain:
		return d.issueChain(w, n)
	case workKernel:
		return d.issueKernel(w)
	case workHost:
		return d.issueHost(w)
	case workProduct:
		return d.issueProduct(in, n)
	case workScatter:
		return d.issueScatter(w, n)
	case workPlace:
		return d.issuePlace(in, n)
	case workLoss:
		return d.issueLoss(in)
	case workCollect:
		return d.issueCollect(in)
	case workSumRows:
		return d.issueSumRows(in)
	default:
		return d.issueSparseRows(in)
	}
}

func (d *deviceEngine) issueChain(w *deviceWork, n int) error {
	for _, in := range w.nodes {
		if in.kind == doRows && n > 0 {
			d.x.counts.kernel(in, n)
		}
	}
	if n == 0 {
		return nil
	}
	call := &d.call
	call.N, call.In = n, call.In[:0]
	for i := range w.operands {
		o := &w.operands[i]
		if o.at.kind == inTemp {
			if _, err := d.temp(o.at.index, n*o.size); err != nil {
				return err
			}
		}
		q, err := d.rows(&o.at, w.in.space)
		if err != nil {
			return err
		}
		call.In = append(call.In, q)
	}
	if err := d.stream.Launch(w.kernel, call); err != nil {
		return err
	}
	return d.checkFinite(w.nodes[0], w.operands[w.steps[0].To].at)
}

func (d *deviceEngine) issueScatter(w *deviceWork, n int) error {
	if n == 0 {
		return nil
	}
	to, err := d.rows(&w.in.out, w.in.space)
	from, err2 := d.rows(&w.operands[0].at, w.in.space)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	key, _, _ := d.listOf(&w.in.out, w.in.space)
	key.source = &w.operands[0].at
	for i := range d.lists.groups {
		if g := &d.lists.groups[i]; g.key == key {
			return d.addGroups(g, to, from, w.in.size)
		}
	}
	return errNoGroups
}

var errNoGroups = errors.New("exec: rows to be added were not grouped")

// notePlaces places the numbers of the rows to which rows are added at computed offsets.
func (d *deviceEngine) notePlaces(in *instr, n int) {
	unit, at := d.places(in)
	_ = unit
	l := &d.lists
	l.placed = append(l.placed, placedList{listKey{kind: listPlaces, source: &in.out}, len(l.words)})
	d.x.run.expandTo = in.space
	idx := d.x.rows(&in.in[1], 1)
	for j := range n {
		l.words = append(l.words, int32((at(j)+int(idx.I[idx.At(j)])*in.width)/unit))
	}
}

// places returns a unit of which all offsets in the target of a doScatterAt are
// multiples, and where its row j begins.
func (d *deviceEngine) places(in *instr) (unit int, at func(j int) int) {
	stride := d.strideOf(&in.out)
	_, names, _ := d.listOf(&in.out, in.space)
	return gcd(stride, in.width), func(j int) int {
		if names != nil {
			j = int(names[j])
		}
		return j * stride
	}
}

// strideOf is the distance of the rows of an operand that lies in rows of its own.
func (d *deviceEngine) strideOf(o *operand) int {
	switch o.kind {
	case inBuffer:
		return d.x.run.code.buffers[o.index].size
	case inUse:
		return d.x.plan.dys[o.index].width
	}
	return d.x.plan.stores[o.store].size
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (d *deviceEngine) issuePlace(in *instr, n int) error {
	if n == 0 {
		return nil
	}
	from, err := d.rows(&in.in[0], in.space)
	if err != nil {
		return err
	}
	to, err := d.rows(&in.out, in.space)
	if err != nil {
		return err
	}
	unit, _ := d.places(in)
	to.Stride, to.Index = unit, d.lists.index(listKey{kind: listPlaces, source: &in.out})
	k, err := d.s.rowAdd(in.size)
	if err != nil {
		return err
	}
	return d.stream.Launch(k, &device.Call{N: n, In: []device.Rows{to, from}})
}
