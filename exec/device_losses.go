package exec

import (
	"errors"

	"github.com/frondml/frond/exec/device"
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
