package exec

import (
	"math"

	"github.com/frondml/frond/exec/device"
)

// Norm returns the Euclidean norm of all gradients of variables that are not frozen.
func (g *DeviceGradients) Norm() (norm float64, err error) {
	err = g.use(func() error {
		if err := g.await(); err != nil {
			return err
		}
		norm, err = g.norm()
		return err
	})
	return norm, err
}

// norm adds up the squares of each variable on the device, and those sums in float64.
func (g *DeviceGradients) norm() (float64, error) {
	n := len(g.s.prog.Variables)
	if g.sums == nil {
		b, err := g.d.alloc(n)
		if err != nil {
			return 0, err
		}
		g.sums = b
	}
	if err := g.d.stream.Zero(g.sums, 0, n); err != nil {
		return 0, err
	}
	err := g.each(func(v int, b device.Buffer, words int) error { return g.d.stream.AddSquares(g.sums, v, b, words) })
	if err != nil {
		return 0, err
	}
	squares := make([]float32, n)
	if err := g.d.stream.DownloadFloats(squares, g.sums, 0); err != nil {
		return 0, err
	}
	sum := 0.0
	for _, q := range squares {
		sum += float64(q)
	}
	return math.Sqrt(sum), nil
}
