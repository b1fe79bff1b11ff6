package devicetest

import (
	"math"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
)

// updates compares steps of optimisers with their equations.
func (s *suite) updates() {
	for rule, coefficients := range map[device.Rule][6]float32{
		device.SGD:      {0.1},
		device.Momentum: {0.1, 0.9},
		device.Adagrad:  {0.1, 1e-6},
		device.Adam:     {0.1, 0.9, 0.99, 1e-6, 1 / (1 - 0.9*0.9), 1 / (1 - 0.99*0.99)},
	} {
		for _, l2 := range []float32{0, 0.25} {
			for _, size := range s.o.sizes([]int{1, 35}, 1000) {
				s.update(device.Update{Rule: rule, Coefficients: coefficients, L2: l2, Count: 1, Width: size}, size, nil)
			}
			for _, rows := range [][]int32{{}, {2}, {6, 0, 3}} {
				s.update(device.Update{Rule: rule, Coefficients: coefficients, L2: l2, Count: len(rows), Width: 5}, 7*5, rows)
			}
			s.freeAll()
		}
	}
}

// slots is how many arrays a rule keeps.
var slots = map[device.Rule]int{device.Momentum: 1, device.Adagrad: 1, device.Adam: 2}

// update makes a step with a variable of some elements; rows are those that change, or
// nil for all.
func (s *suite) update(u device.Update, size int, rows []int32) {
	s.t.Helper()
	weights, gradient := s.uniform(size), s.uniform(u.Count*u.Width)
	var kept [2][]float32
	images := []*image{imageOf(weights)}
	u.Weights, u.Gradient = s.floats(weights), s.floats(gradient)
	for i := range slots[u.Rule] {
		kept[i] = s.uniform(size)
		for j, x := range kept[i] {
			kept[i][j] = x*x + 0.01 // squares are not negative
		}
		u.Slots[i] = s.floats(kept[i])
		images = append(images, imageOf(kept[i]))
	}
	if rows != nil {
		u.Rows = s.index(rows)
	}
	for i, g := range gradient {
		at := i
		if rows != nil {
			at = int(rows[i/u.Width])*u.Width + i%u.Width
		}
		step(u, images, at, float64(g)+float64(u.L2)*float64(weights[at]))
	}
	require.NoError(s.t, s.stream.Update(u))
	s.holds(u.Weights, images[0], s.o.tolerance(), "weights, rule %d, L2 %v, rows %v", u.Rule, u.L2, rows)
	for i, m := range images[1:] {
		s.holds(u.Slots[i], m, s.o.tolerance(), "slot %d, rule %d, L2 %v, rows %v", i, u.Rule, u.L2, rows)
	}
	s.holds(u.Gradient, imageOf(gradient), 0, "gradient")
}

// step changes one weight by its gradient: images are those of weights and slots.
func step(u device.Update, images []*image, at int, g float64) {
	var c [6]float64
	for i, x := range u.Coefficients {
		c[i] = float64(x)
	}
	w := images[0]
	switch u.Rule {
	case device.SGD:
		w.add(at, -c[0]*g)
	case device.Momentum:
		v := images[1]
		v.set(at, c[1]*v.get(at)+g)
		w.add(at, -c[0]*v.get(at))
	case device.Adagrad:
		sum := images[1]
		sum.add(at, g*g)
		w.add(at, -c[0]*g/(math.Sqrt(sum.get(at))+c[1]))
	case device.Adam:
		mean, square := images[1], images[2]
		mean.set(at, c[1]*mean.get(at)+(1-c[1])*g)
		square.set(at, c[2]*square.get(at)+(1-c[2])*g*g)
		w.add(at, -c[0]*mean.get(at)*c[4]/(math.Sqrt(square.get(at)*c[5])+c[3]))
	}
}

// scaleAndSquares compares what clips gradients.
func (s *suite) scaleAndSquares() {
	for _, n := range s.o.sizes([]int{0, 1, 33, 3000}, 20000) {
		x, sum := s.uniform(n+2), s.uniform(3)
		b, into := s.floats(x), s.floats(sum)
		scaled, added := imageOf(x), imageOf(sum)
		for i, v := range x[:n] {
			scaled.set(i, -0.5*float64(v))
			added.add(1, float64(v)*float64(v))
		}
		require.NoError(s.t, s.stream.AddSquares(into, 1, b, n))
		s.holds(into, added, s.o.tolerance(), "squares of %d", n)
		first := s.download(into)
		require.NoError(s.t, s.stream.UploadFloats(into, 0, sum))
		require.NoError(s.t, s.stream.AddSquares(into, 1, b, n))
		require.True(s.t, sameBits(first, s.download(into)), "other bits the second time")
		require.NoError(s.t, s.stream.Scale(b, n, -0.5))
		s.holds(b, scaled, s.o.tolerance(), "scale %d", n)
		s.freeAll()
	}
}
