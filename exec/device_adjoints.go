package exec

import (
	"errors"

	"github.com/frondml/frond/exec/device"
)

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
