package exec

import (
	"errors"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
)

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
