package exec

import (
	"errors"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/ops"
)

// Note [Operators without a kernel]
//
// An operator that the device does not know, one of a user for example, is computed on
// the host: its inputs come down, the result goes up, and the host waits in between.

// hostBatch is a call of a kernel on the host.
type hostBatch struct {
	ops.Batch
	floats [][]float32 // per input
	result []float32
}

// prepareHost places the lists of an operator without a kernel.
func (d *deviceEngine) prepareHost(w *deviceWork) {
	for k, v := range w.in.node.In {
		if isFloat(v) {
			d.note(&w.in.in[k], operandSpace(w.in, k))
		}
	}
	d.note(w.target(), w.in.space)
}

// target is where the work writes.
func (w *deviceWork) target() *operand {
	if w.steps != nil { // a chain of one step
		return &w.operands[w.steps[0].To].at
	}
	return &w.in.out
}

// issueHost executes an operator on the host.
func (d *deviceEngine) issueHost(w *deviceWork) error {
	x, in := d.x, w.in
	h := &d.batch
	h.N, h.Seg, h.Keys, h.Seed, h.Tmp, h.In = x.run.count(in.space), nil, nil, x.seed, &x.scratch, h.In[:0]
	if in.kind == doSegments {
		h.N, h.Seg = x.run.n, x.run.spaces[in.space].seg
	}
	if h.N == 0 {
		return nil
	}
	for len(h.floats) < len(in.in) {
		h.floats = append(h.floats, nil)
	}
	for k := range in.in {
		q, err := d.hostInput(in, k)
		if err != nil {
			return err
		}
		h.In = append(h.In, q)
	}
	if in.keys >= 0 {
		h.Keys = x.keys(in)
	}
	x.counts.kernel(in, h.N)
	n, size := d.resultRows(in), rowType(in.node.Out[0]).Size()
	if in.elem != nil {
		size = in.size // of neighbouring parts that one step computes
	}
	if !in.node.Out[0].DType.IsFloat() {
		x.run.expandTo = in.space
		h.Out = x.rows(&in.out, 0)
		return in.run(&h.Batch)
	}
	h.result = sizedFloats(h.result, n*size)
	h.Out = ops.Rows{F: h.result, Stride: size}
	if err := h.compute(in); err != nil {
		return err
	}
	if err := d.putFloats(w, h.result, n, size); err != nil {
		return err
	}
	return d.checkFinite(in, *w.target())
}

// compute executes the operator. An element-wise step of a chain may be a part of a row.
func (h *hostBatch) compute(in *instr) error {
	if in.elem == nil {
		return in.run(&h.Batch)
	}
	for j := range h.N {
		z, x := h.Out.Row(j, in.size), h.In[0].Row(j, in.size)
		if in.elem.Map != nil {
			in.elem.Map(z, x)
			continue
		}
		in.elem.Zip(z, x, h.In[1].Row(j, in.size))
	}
	return nil
}

// hostInput brings an input to the host.
func (d *deviceEngine) hostInput(in *instr, k int) (ops.Rows, error) {
	sp := operandSpace(in, k)
	if !isFloat(in.node.In[k]) {
		d.x.run.expandTo = sp
		return d.x.rows(&in.in[k], k), nil
	}
	size := inputSize(in, k)
	if in.elem != nil {
		size = in.size
	}
	q, err := d.rows(&in.in[k], sp)
	if err != nil {
		return ops.Rows{}, err
	}
	rows, err := d.downloadRows(q, d.x.run.count(sp), size)
	if err != nil {
		return ops.Rows{}, err
	}
	h := &d.batch
	h.floats[k] = append(h.floats[k][:0], rows...)
	return ops.Rows{F: h.floats[k], Stride: size}, nil
}

// putFloats copies a result to the device.
func (d *deviceEngine) putFloats(w *deviceWork, rows []float32, n, size int) error {
	t := w.target()
	if t.kind == inTemp {
		if _, err := d.temp(t.index, n*size); err != nil {
			return err
		}
	}
	to, err := d.rows(t, w.in.space)
	if err != nil {
		return err
	}
	b, err := d.alloc(n * size)
	if err != nil {
		return err
	}
	err = d.stream.UploadFloats(b, 0, rows)
	if err == nil {
		from := device.Rows{Buffer: b, Stride: size}
		if w.steps != nil && w.steps[0].Add {
			err = d.addRows(to, from, n, size)
		} else {
			err = d.copyRows(to, from, n, size)
		}
	}
	return errors.Join(err, d.free(b))
}

// addRows adds n rows to others, no two of which are the same.
func (d *deviceEngine) addRows(to, from device.Rows, n, size int) error {
	k, err := d.s.rowAdd(size)
	if err != nil || n == 0 {
		return err
	}
	return d.stream.Launch(k, &device.Call{N: n, In: []device.Rows{to, from}})
}
