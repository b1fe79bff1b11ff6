package exec

import (
	"errors"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
)

// operandSpace is the space of the rows of an input.
func operandSpace(in *instr, k int) int {
	if in.kind == doSegments && !in.node.In[k].Type().IsList() {
		return frameSpace
	}
	return in.space
}

// resultRows is the number of rows that an instruction writes.
func (d *deviceEngine) resultRows(in *instr) int {
	if in.kind == doSegments && !in.node.Out[0].IsList() {
		return d.x.run.n
	}
	return d.x.run.count(in.space)
}

func inputSize(in *instr, k int) int { return rowType(in.node.In[k].Type()).Size() }

func isFloat(v graph.Value) bool { return v.Type().DType.IsFloat() }

// prepareKernel places the lists of an operator.
func (d *deviceEngine) prepareKernel(w *deviceWork) error {
	in := w.in
	for k, v := range in.node.In {
		sp := operandSpace(in, k)
		if isFloat(v) || w.stays[k] {
			d.note(&in.in[k], sp)
		} else {
			d.noteInts(&in.in[k], sp, d.x.run.count(sp), inputSize(in, k))
		}
	}
	if in.kind == doSegments {
		d.lists.add(listKey{kind: listOffsets, index: in.space}, d.x.run.spaces[in.space].seg[:d.x.run.n+1])
	}
	if in.keys >= 0 {
		keys := d.x.keys(in)
		at := len(d.lists.words)
		for _, k := range keys {
			d.lists.words = append(d.lists.words, int32(k))
		}
		d.lists.placed = append(d.lists.placed, placedList{listKey{kind: listKeys, index: in.keys, space: in.space}, at})
	}
	return d.checkBounds(w)
}

// issueKernel executes an operator.
func (d *deviceEngine) issueKernel(w *deviceWork) error {
	x, in := d.x, w.in
	c := &d.call
	*c = device.Call{N: x.run.count(in.space), In: c.In[:0], Seed: x.seed}
	if in.kind == doSegments {
		c.N, c.Length = x.run.n, x.run.count(in.space)
		c.Segments = d.lists.index(listKey{kind: listOffsets, index: in.space})
	}
	if c.N == 0 {
		return nil
	}
	if in.keys >= 0 {
		c.Keys = d.lists.index(listKey{kind: listKeys, index: in.keys, space: in.space})
	}
	for k, v := range in.node.In {
		q, err := d.input(in, k, isFloat(v) || w.stays[k])
		if err != nil {
			return err
		}
		c.In = append(c.In, q)
	}
	x.counts.kernel(in, c.N)
	if !in.node.Out[0].DType.IsFloat() && !w.stays[len(in.in)] {
		return d.issueIntegers(w, c)
	}
	var err error
	if c.Out, err = d.rows(&in.out, in.space); err != nil {
		return err
	}
	if err := d.stream.Launch(w.kernel, c); err != nil {
		return err
	}
	return d.checkFinite(in, in.out)
}

func (d *deviceEngine) input(in *instr, k int, onDevice bool) (device.Rows, error) {
	if onDevice {
		return d.rows(&in.in[k], operandSpace(in, k))
	}
	return d.ints(&in.in[k], inputSize(in, k)), nil
}

// fetched are integers on their way to the host.
type fetched struct {
	in    *instr
	n     int
	words device.Fetch
}

// issueIntegers executes an operator whose result the host reads.
func (d *deviceEngine) issueIntegers(w *deviceWork, c *device.Call) error {
	size := rowType(w.in.node.Out[0]).Size()
	n := d.resultRows(w.in)
	b, err := d.alloc(n * size)
	if err != nil {
		return err
	}
	c.Out = device.Rows{Buffer: b, Stride: size}
	err = d.stream.Launch(w.kernel, c)
	if err == nil {
		var f device.Fetch
		if f, err = d.stream.Fetch(b, 0, n*size); err == nil {
			d.fetches = append(d.fetches, fetched{w.in, n, f})
		}
	}
	return errors.Join(err, d.free(b))
}

// take returns the integers that are on their way.
func (d *deviceEngine) takeFetched() []fetched {
	all := d.fetches
	d.fetches = nil
	return all
}

// releaseFetched forgets integers.
func (d *deviceEngine) releaseFetched(all []fetched) {
	for _, f := range all {
		f.words.Release()
	}
}

// receive waits for integers and puts them where the host reads them.
func (d *deviceEngine) receive(all []fetched) error {
	var err error
	for _, f := range all {
		if err != nil {
			f.words.Release()
			continue
		}
		size := rowType(f.in.node.Out[0]).Size()
		d.received = sized(d.received, f.n*size)
		if err = f.words.Ints(d.received); err != nil {
			continue
		}
		d.putIntegers(f.in, f.n, size, d.received)
	}
	return err
}

func (d *deviceEngine) putIntegers(in *instr, n, size int, words []int32) {
	d.x.run.expandTo = in.space
	q := d.x.rows(&in.out, 0)
	for j := range n {
		copy(q.Ints(j, size), words[j*size:])
	}
}

// checkFinite looks for the first row of a result that is not finite.
func (d *deviceEngine) checkFinite(in *instr, at operand) error {
	if !d.x.opts.CheckFinite || in.node == nil || in.kind != doRows && in.kind != doSegments && in.kind != doGemm {
		return nil
	}
	if !in.node.Out[0].DType.IsFloat() {
		return nil
	}
	n, size := d.resultRows(in), in.size
	q, err := d.rows(&at, in.space)
	if err != nil || n == 0 {
		return err
	}
	rows, err := d.downloadRows(q, n, size)
	if err != nil {
		return err
	}
	return firstNotFinite(rows, size)
}

// downloadRows copies n rows to the host.
func (d *deviceEngine) downloadRows(from device.Rows, n, size int) ([]float32, error) {
	d.hostFloats = sizedFloats(d.hostFloats, n*size)
	b, err := d.alloc(n * size)
	if err != nil {
		return nil, err
	}
	err = d.copyRows(device.Rows{Buffer: b, Stride: size}, from, n, size)
	if err == nil {
		err = d.stream.DownloadFloats(d.hostFloats, b, 0)
	}
	return d.hostFloats, errors.Join(err, d.free(b))
}

func sizedFloats(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n, n+n/2)
	}
	return s[:n]
}
