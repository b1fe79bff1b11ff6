package train

import (
	"math"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/internal/kernel"
)

// Norm returns the Euclidean norm of all gradients together.
func Norm(grads *exec.Gradients) float64 {
	var work tasks
	var sums [][]float64 // per array and task: added in that order, whoever is first
	eachArray(grads, func(x []float32) {
		parts := make([]float64, len(x)/taskElements+1)
		sums = append(sums, parts)
		work.add(len(x), 1, func(from, to int) { parts[from/taskElements] = sumSquares(x[from:to]) })
	})
	work.run(grads.Workers())
	total := 0.0
	for _, parts := range sums {
		for _, s := range parts {
			total += s
		}
	}
	return math.Sqrt(total)
}

// Scale multiplies all gradients by a factor.
func Scale(grads *exec.Gradients, factor float64) {
	var work tasks
	eachArray(grads, func(x []float32) {
		work.add(len(x), 1, func(from, to int) { kernel.Scale(x[from:to], x[from:to], float32(factor)) })
	})
	work.run(grads.Workers())
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

// eachArray calls f with the elements of all gradients that are not left out as zeros.
func eachArray(grads *exec.Gradients, f func([]float32)) {
	grads.Each(func(g *exec.Gradient) {
		f(g.Dense)
		f(g.Values)
	})
}

// sumSquares adds in double precision what the kernel adds up over short stretches:
// the sum of many squares in single precision would lose the small ones.
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
