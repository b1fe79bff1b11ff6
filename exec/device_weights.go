package exec

import (
	"github.com/frondml/frond/exec/device"
)

// deviceWeight is a matrix that products read.
type deviceWeight struct {
	matrix  device.Matrix
	trans   bool
	bias    device.Buffer
	version uint64 // of the parameters that it was made of, when it is made of others
}

// weight returns the matrix of a product.
func (t *sessionDevice) weight(i int) (deviceWeight, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.plan.weights[i].parts) > 0 {
		return t.weights[i], nil
	}
	return t.plain(i)
}

// plain is a weight that is not made of others.
func (t *sessionDevice) plain(i int) (deviceWeight, error) {
	w := &t.plan.weights[i]
	b, err := t.known(w.global)
	return deviceWeight{matrix: device.Matrix{Buffer: b, Rows: w.rows, Columns: w.cols, Stride: w.cols}, trans: w.trans}, err
}

// joinWeights makes the weights that are made of others.
func (t *sessionDevice) joinWeights() error {
	for i := range t.plan.weights {
		if w := &t.plan.weights[i]; len(w.parts) > 0 && t.weights[i].version != t.params.version {
			if err := t.joinWeight(w, &t.weights[i]); err != nil {
				return err
			}
			t.weights[i].version = t.params.version
		}
	}
	return nil
}

func (t *sessionDevice) joinWeight(w *weight, to *deviceWeight) error {
	s := t.replica.stream
	if to.matrix.Buffer == nil {
		b, err := s.Alloc(w.rows * w.cols)
		if err != nil {
			return err
		}
		to.matrix = device.Matrix{Buffer: b, Rows: w.rows, Columns: w.cols, Stride: w.cols}
		if w.hasBias() {
			if to.bias, err = s.Alloc(w.cols); err != nil {
				return err
			}
			if err := s.Zero(to.bias, 0, w.cols); err != nil {
				return err
			}
		}
	}
	at := to.matrix
	column := 0
	for k, q := range w.parts {
		part, err := t.plain(q)
		if err != nil {
			return err
		}
		at.Rows, at.Columns = t.plan.weights[q].depth(), t.plan.weights[q].width()
		if err := s.CopyMatrix(at, part.matrix, part.trans); err != nil {
			return err
		}
		if w.stacked {
			at.Offset += at.Rows * at.Stride
			continue
		}
		if b := w.biases[k]; !b.IsZero() {
			from, err := t.known(b)
			if err != nil {
				return err
			}
			if err := s.Copy(to.bias, column, from, 0, at.Columns); err != nil {
				return err
			}
		}
		at.Offset += at.Columns
		column += at.Columns
	}
	return nil
}
