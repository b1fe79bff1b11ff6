package exec

import (
	"errors"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
)

// deviceLosses are losses that the host has not read yet.
type deviceLosses struct {
	roots []int32
	rows  deviceRoom
}

// issueLoss keeps the losses of the batch.
func (d *deviceEngine) issueLoss(in *instr) error {
	l := &d.losses
	have := len(l.roots)
	n := d.x.run.n
	if err := d.grow(&l.rows, have+n, have); err != nil {
		return err
	}
	from, err := d.rows(&in.in[0], frameSpace)
	if err != nil {
		return err
	}
	for _, f := range d.x.run.frames {
		l.roots = append(l.roots, d.x.mem[f+hRoot])
	}
	return d.copyRows(device.Rows{Buffer: l.rows.Buffer, Offset: have, Stride: 1}, from, n, 1)
}

// issueCollect keeps rows of floats for a table.
func (d *deviceEngine) issueCollect(in *instr) error {
	x := d.x
	if x.collecting == 0 {
		return nil
	}
	r := &d.tables[in.index]
	n := x.run.n
	if err := d.grow(r, r.n+n*in.size, r.n); err != nil {
		return err
	}
	from, err := d.rows(&in.in[1], frameSpace)
	if err != nil {
		return err
	}
	if err := d.copyRows(device.Rows{Buffer: r.Buffer, Offset: r.n, Stride: in.size}, from, n, in.size); err != nil {
		return err
	}
	r.n += n * in.size
	t := &x.tables[in.index]
	t.width = in.size
	key := x.rows(&in.in[0], 0)
	for j, f := range x.run.frames {
		t.root = append(t.root, x.mem[f+hRoot])
		t.key = append(t.key, key.I[key.At(j)])
	}
	return nil
}

// settle brings losses and tables to the host. What does not come ends the runs that it
// belongs to.
func (d *deviceEngine) settle() error {
	err := d.settleLosses()
	for i := range d.tables {
		err = errors.Join(err, d.settleTable(&d.tables[i], &d.x.tables[i]))
	}
	return d.s.failed(err)
}

func (d *deviceEngine) settleLosses() error {
	roots := d.losses.roots
	d.losses.roots = roots[:0]
	if len(roots) == 0 {
		return nil
	}
	d.hostFloats = sizedFloats(d.hostFloats, len(roots))
	if err := d.download(d.hostFloats, d.losses.rows.Buffer); err != nil {
		d.giveUp(roots, err)
		return err
	}
	for i, r := range roots {
		d.x.roots[r].loss.add(d.hostFloats[i])
	}
	return nil
}

// giveUp ends the runs of roots, also of those that have their results but wait for others.
func (d *deviceEngine) giveUp(roots []int32, err error) {
	for _, r := range roots {
		q := &d.x.roots[r]
		if q.err != nil {
			continue
		}
		failed := &RunError{Path: q.part.sub.g.Name, Root: q.index, Err: d.s.failed(err)}
		d.x.fail(r, failed)
		q.err = failed
	}
}

// settleTable brings the rows of a table to the host, but those of roots that want none.
func (d *deviceEngine) settleTable(r *deviceRoom, t *tableRows) error {
	if r.n == 0 {
		return nil
	}
	have, n := len(t.f), r.n
	first := have / t.width
	r.n = 0
	t.f = append(t.f, make([]float32, n)...)
	if err := d.download(t.f[have:], r.Buffer); err != nil {
		d.giveUp(t.root[first:], err)
		t.root, t.key, t.f = t.root[:first], t.key[:first], t.f[:have]
		return err
	}
	t.keep(first, func(root int32) bool { return d.x.roots[root].part.tables })
	return nil
}

// download copies words from 0 on to the host. All work of the stream is done then.
func (d *deviceEngine) download(to []float32, from device.Buffer) error {
	err := d.stream.DownloadFloats(to, from, 0)
	if err == nil {
		d.synced++
		d.reads = false
	}
	return err
}

// ended tells whoever changes parameters what to wait for.
func (d *deviceEngine) ended() error {
	if !d.reads {
		return nil
	}
	d.reads = false
	return d.s.failed(d.s.replica.wasRead(d.stream))
}

// bringResults brings to the host what a part's runs have computed.
func (d *deviceEngine) bringResults(p *part) error {
	err := d.settle()
	if err == nil {
		for _, r := range p.roots {
			if q := &d.x.roots[r]; q.err == nil {
				for k, t := range p.sub.g.Out {
					d.want(t, p.sub.results[k], q.words[k])
				}
			}
		}
		err = d.bring(false)
	}
	if d.x.train { // there is more to come
		return err
	}
	if ended := d.ended(); err == nil {
		err = ended
	}
	return err
}

// bringInputGradients brings the cotangents of a part's inputs to the host.
func (d *deviceEngine) bringInputGradients(p *part) error {
	for _, r := range p.roots {
		for k, t := range p.sub.g.In {
			if t.DType.IsFloat() {
				d.want(t, p.sub.params[k], d.x.roots[r].args[k])
			}
		}
	}
	return d.bring(true)
}

// wantedRows are rows of a store that results need, and then the rows themselves.
type wantedRows struct {
	names []int32
	rows  []float32
	taken int
}

// want notes that the rows of a value will be fetched.
func (d *deviceEngine) want(t graph.Type, s *storeInfo, word int32) {
	if s == nil || s.ints {
		return
	}
	w := &d.wanted[s.id]
	d.x.eachRow(t, word, func(_ int, name int32) { w.names = append(w.names, name) })
}

// bring copies the wanted rows, or their cotangents, to the host: all of them or none.
func (d *deviceEngine) bring(adjoints bool) error {
	var err error
	for id := range d.wanted {
		w := &d.wanted[id]
		if len(w.names) > 0 && err == nil {
			err = d.bringRows(id, adjoints)
		}
		w.names = w.names[:0]
	}
	return d.s.failed(err)
}

// bringRows is bring for one store.
func (d *deviceEngine) bringRows(id int, adjoints bool) error {
	w, size := &d.wanted[id], d.x.plan.stores[id].size
	from := device.Rows{Buffer: d.stores[id].rows.Buffer, Stride: size}
	if adjoints {
		from.Buffer = d.stores[id].adjoints.Buffer
	}
	w.taken, w.rows = 0, sizedFloats(w.rows, len(w.names)*size)
	b, err := d.gather(from, w.names, size)
	if err != nil {
		return err
	}
	return errors.Join(d.download(w.rows, b), d.free(b))
}

// take returns the next wanted row of a store.
func (d *deviceEngine) take(s *storeInfo) []float32 {
	w := &d.wanted[s.id]
	w.taken += s.size
	return w.rows[w.taken-s.size : w.taken]
}

// fedRows are rows of inputs, from number first of a store on, that go to the device
// together.
type fedRows struct {
	first int
	rows  []float32
}

// feed notes rows of an input.
func (d *deviceEngine) feed(s *storeInfo, first int, rows []float32) error {
	f := &d.fed[s.id]
	if f.first*s.size+len(f.rows) != first*s.size {
		if err := d.sendRows(s.id); err != nil {
			return err
		}
		f.first = first
	}
	f.rows = append(f.rows, rows...)
	return nil
}

// sendInputs copies all rows of inputs to the device.
func (d *deviceEngine) sendInputs() error {
	for id := range d.fed {
		if err := d.sendRows(id); err != nil {
			return err
		}
	}
	return nil
}

func (d *deviceEngine) sendRows(id int) error {
	f := &d.fed[id]
	if len(f.rows) == 0 {
		return nil
	}
	err := d.stream.UploadFloats(d.stores[id].rows.Buffer, f.first*d.x.plan.stores[id].size, f.rows)
	f.rows = f.rows[:0]
	return d.s.failed(err)
}

// clearAdjoints makes room for the cotangents of all named rows and zeroes it.
func (d *deviceEngine) clearAdjoints() error {
	for id, s := range d.x.plan.stores {
		if !s.named || s.ints {
			continue
		}
		need := d.x.stores[id].rows * s.size
		if err := d.grow(&d.stores[id].adjoints, need, 0); err != nil {
			return d.s.failed(err)
		}
		if err := d.stream.Zero(d.stores[id].adjoints.Buffer, 0, need); err != nil {
			return d.s.failed(err)
		}
	}
	return nil
}

// addAdjoint adds to the cotangent of a row.
func (d *deviceEngine) addAdjoint(s *storeInfo, name int32, ct []float32) error {
	b, err := d.alloc(len(ct))
	if err != nil {
		return d.s.failed(err)
	}
	err = d.stream.UploadFloats(b, 0, ct)
	if err == nil {
		err = d.stream.AddColumns(device.ColumnSum{Into: d.stores[s.id].adjoints.Buffer, Offset: int(name) * s.size,
			X: device.Rows{Buffer: b, Stride: s.size}, N: 1, Width: s.size})
	}
	return d.s.failed(errors.Join(err, d.free(b)))
}

// pinnedGradients adds the cotangents of variables' pinned rows to their gradients.
func (d *deviceEngine) pinnedGradients() error {
	for id, s := range d.x.plan.stores {
		if s.ints {
			continue
		}
		for i, v := range s.pins {
			w := v.Variable()
			if w == nil || w.Frozen {
				continue
			}
			into, err := d.grads.of(w.Index)
			if err == nil {
				err = d.stream.AddColumns(device.ColumnSum{Into: into, X: device.Rows{Buffer: d.stores[id].adjoints.Buffer, Offset: i * s.size, Stride: s.size}, N: 1, Width: s.size})
			}
			if err != nil {
				return d.s.failed(err)
			}
		}
	}
	return nil
}
