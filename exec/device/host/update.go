package host

import (
	"fmt"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/internal/kernel"
)

// slots is how many arrays a rule keeps beside the weights.
var slots = [...]int{device.SGD: 0, device.Momentum: 1, device.Adagrad: 1, device.Adam: 2}

// updating is an update whose memory is known.
type updating struct {
	*device.Update
	weights, gradient []float32
	slots             [2][]float32
	rows              []int32
}

// Update implements device.Stream.
func (s *Stream) Update(u device.Update) error {
	return s.do("Update", func() (func(), error) {
		up, err := s.updating(&u)
		if err != nil {
			return nil, err
		}
		return func() { up.run(s) }, nil
	})
}

func (s *Stream) updating(u *device.Update) (*updating, error) {
	if int(u.Rule) >= len(slots) || u.Count < 0 || u.Width < 0 || u.Weights == nil {
		return nil, argument("rule %d, %d rows of %d weights, weights %v", u.Rule, u.Count, u.Width, u.Weights)
	}
	up := &updating{Update: u}
	size := u.Weights.Words()
	var err error
	if up.weights, err = s.resolve(u.Weights, 0, size, true); err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	for i := range slots[u.Rule] {
		if up.slots[i], err = s.resolve(u.Slots[i], 0, size, true); err != nil {
			return nil, fmt.Errorf("slot %d of %d weights: %w", i, size, err)
		}
	}
	changed := size
	if !u.Rows.IsZero() {
		if up.rows, err = s.list(u.Rows, u.Count); err != nil {
			return nil, err
		}
		last, err := largest(up.rows)
		if err != nil {
			return nil, err
		}
		if end, err := extent(last, u.Width, u.Width); err != nil || u.Count > 0 && end > size {
			return nil, argument("row %d of %d weights, there are %d in all", last, u.Width, size)
		}
		changed = u.Count * u.Width
	}
	if up.gradient, err = s.resolve(u.Gradient, 0, changed, false); err != nil {
		return nil, fmt.Errorf("gradient: %w", err)
	}
	return up, nil
}

func (u *updating) run(s *Stream) {
	if u.Rows.IsZero() {
		u.change(s, 0, u.gradient)
		return
	}
	for i, row := range u.rows {
		u.change(s, int(row)*u.Width, u.gradient[i*u.Width:(i+1)*u.Width])
	}
}

// change updates the weights from the given one on by their gradient.
func (u *updating) change(s *Stream, from int, g []float32) {
	end := from + len(g)
	w := u.weights[from:end]
	if u.L2 != 0 {
		total := s.temporary(len(g))
		copy(total, g)
		kernel.Axpy(total, w, u.L2)
		g = total
	}
	c := &u.Coefficients
	switch u.Rule {
	case device.SGD:
		kernel.SGD(w, g, c[0])
	case device.Momentum:
		kernel.Momentum(w, u.slots[0][from:end], g, c[0], c[1])
	case device.Adagrad:
		kernel.Adagrad(w, u.slots[0][from:end], g, c[0], c[1])
	case device.Adam:
		kernel.Adam(w, u.slots[0][from:end], u.slots[1][from:end], g,
			kernel.AdamStep{Rate: c[0], Beta1: c[1], Beta2: c[2], Eps: c[3], Correct1: c[4], Correct2: c[5]})
	}
}
