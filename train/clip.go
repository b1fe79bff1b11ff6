package train

import (
	"math"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/internal/kernel"
)

// Norm returns the Euclidean norm of all gradients together.
func Norm(grads *exec.Gradients) float64 {
	sum := 0.0
	grads.Each(func(g *exec.Gradient) { sum += sumSquares(g.Dense) + sumSquares(g.Values) })
	return math.Sqrt(sum)
}

// sumSquares adds in double precision what the kernel adds up over short stretches:
// the sum of millions of squares in single precision would lose the small ones.
func sumSquares(x []float32) float64 {
	const stretch = 1024
	sum := 0.0
	for len(x) > 0 {
		n := min(stretch, len(x))
		sum += float64(kernel.SumSquares(x[:n]))
		x = x[n:]
	}
	return sum
}

// Scale multiplies all gradients by a factor.
func Scale(grads *exec.Gradients, factor float64) {
	f := float32(factor)
	grads.Each(func(g *exec.Gradient) {
		kernel.Scale(g.Dense, g.Dense, f)
		kernel.Scale(g.Values, g.Values, f)
	})
}

// ClipNorm scales the gradients down so that their norm is at most limit, and returns
// the norm that they had.
func ClipNorm(grads *exec.Gradients, limit float64) float64 {
	norm := Norm(grads)
	if norm > limit {
		Scale(grads, limit/norm)
	}
	return norm
}
