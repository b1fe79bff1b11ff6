package cuda

import (
	"fmt"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// slotsOf is how many lists each rule keeps.
var slotsOf = map[device.Rule]int{device.SGD: 0, device.Momentum: 1, device.Adagrad: 1, device.Adam: 2}

// Update implements device.Stream.
func (s *Stream) Update(u device.Update) error {
	return s.finish(s.update(u))
}

func (s *Stream) update(u device.Update) error {
	count, known := slotsOf[u.Rule]
	if !known {
		return fmt.Errorf("%w: rule %d of optimisation", gpu.ErrArgument, u.Rule)
	}
	weights, err := s.weights(u)
	if err != nil {
		return err
	}
	var slots [2]gpu.Buffer
	for i := range count {
		slot, err := bufferOf(u.Slots[i])
		if err != nil {
			return err
		}
		slots[i] = slot.buffer
	}
	set, c := s.device.kernels, u.Coefficients
	switch u.Rule {
	case device.SGD:
		return set.SGD(s.stream, weights, c[0])
	case device.Momentum:
		return set.Momentum(s.stream, weights, slots[0], c[0], c[1])
	case device.Adagrad:
		return set.Adagrad(s.stream, weights, slots[0], c[0], c[1])
	}
	return set.Adam(s.stream, weights, slots[0], slots[1], kernels.AdamStep{
		Rate: c[0], Beta1: c[1], Beta2: c[2], Epsilon: c[3], Correct1: c[4], Correct2: c[5],
	})
}

func (s *Stream) weights(u device.Update) (w kernels.Weights, err error) {
	values, err := bufferOf(u.Weights)
	if err != nil {
		return w, err
	}
	gradient, err := bufferOf(u.Gradient)
	if err != nil {
		return w, err
	}
	w = kernels.Weights{Values: values.buffer, Gradient: gradient.buffer, L2: u.L2}
	if !u.Rows.IsZero() {
		w.RowCount, w.Width = u.Count, u.Width
		w.Rows, err = s.index(u.Rows, u.Count)
	}
	return w, err
}

// Scale implements device.Stream.
func (s *Stream) Scale(b device.Buffer, words int, factor float32) error {
	part, err := wordsOf(b, 0, words)
	if err != nil {
		return err
	}
	return translated(s.device.kernels.Scale(s.stream, part, factor))
}

// AddSquares implements device.Stream.
func (s *Stream) AddSquares(sum device.Buffer, at int, b device.Buffer, words int) error {
	total, err := wordsOf(sum, at, 1)
	if err != nil {
		return err
	}
	part, err := wordsOf(b, 0, words)
	if err != nil {
		return err
	}
	return translated(s.device.kernels.AddSquares(s.stream, total, part))
}
