package graph

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// InitialValue returns the variable's first elements for a seed. They depend on
// the seed and the variable's name alone, not on other variables.
func (v *Variable) InitialValue(seed uint64) []float32 {
	h := fnv.New64a()
	h.Write([]byte(v.Name))
	dst := make([]float32, v.Type.Size())
	v.Init(rand.New(rand.NewPCG(seed, h.Sum64())), v.Type.Shape, dst)
	return dst
}

// Init fills dst, row-major, with the initial elements of a variable of the
// given shape.
type Init func(rng *rand.Rand, shape Shape, dst []float32)

// Zeros starts with zeros.
func Zeros() Init { return Constant(0) }

// Constant starts with x everywhere.
func Constant(x float32) Init {
	return func(_ *rand.Rand, _ Shape, dst []float32) {
		for i := range dst {
			dst[i] = x
		}
	}
}

// Uniform draws from [-a, a).
func Uniform(a float32) Init {
	return func(rng *rand.Rand, _ Shape, dst []float32) {
		for i := range dst {
			dst[i] = (2*rng.Float32() - 1) * a
		}
	}
}

// Normal draws from the normal distribution with mean 0 and the given deviation.
func Normal(deviation float32) Init {
	return func(rng *rand.Rand, _ Shape, dst []float32) {
		for i := range dst {
			dst[i] = float32(rng.NormFloat64()) * deviation
		}
	}
}

// Xavier draws uniformly with the bound sqrt(6/(in+out)) of Glorot and Bengio
// 2010, eq. 16; in and out are the last two extents.
func Xavier() Init {
	return func(rng *rand.Rand, shape Shape, dst []float32) {
		in, out := 1, 1
		if n := len(shape); n > 0 {
			out = shape[n-1]
			if n > 1 {
				in = shape[n-2]
			}
		}
		Uniform(float32(math.Sqrt(6/float64(in+out))))(rng, shape, dst)
	}
}

// Orthogonal draws a matrix whose rows, or whose columns where there are fewer, are
// orthonormal: the random matrices of Saxe, McClelland and Ganguli (ICLR 2014), which
// change no length and which keep the gradients of deep recursion from vanishing.
// Every such matrix is as likely as every other. Of a variable with more than two axes
// each matrix [n m] of the last two is drawn by itself; a vector is one row. The time
// is that of a product of the matrix with itself.
func Orthogonal() Init {
	return func(rng *rand.Rand, shape Shape, dst []float32) {
		rows, columns := 1, 1
		if n := len(shape); n > 0 {
			columns = shape[n-1]
			if n > 1 {
				rows = shape[n-2]
			}
		}
		size := rows * columns
		for from := 0; from < len(dst); from += size {
			orthogonal(rng, rows, columns, dst[from:from+size])
		}
	}
}

// orthogonal fills a matrix with orthonormal rows or columns.
func orthogonal(rng *rand.Rand, rows, columns int, dst []float32) {
	n, length, next, along := rows, columns, columns, 1
	if rows > columns {
		n, length, next, along = columns, rows, 1, columns
	}
	basis := make([][]float64, 0, n)
	for i := range n {
		v := perpendicular(rng, basis, length)
		basis = append(basis, v)
		for k, x := range v {
			dst[i*next+k*along] = float32(x)
		}
	}
}

// perpendicular draws the direction of a vector of normal numbers without its part in
// the span of an orthonormal basis that is not complete.
func perpendicular(rng *rand.Rand, basis [][]float64, length int) []float64 {
	v := make([]float64, length)
	for {
		for k := range v {
			v[k] = rng.NormFloat64()
		}
		before := norm(v)
		// What rounding leaves in the span the first time is gone after the second.
		for range 2 {
			for _, b := range basis {
				projection := 0.0
				for k, x := range b {
					projection += x * v[k]
				}
				for k, x := range b {
					v[k] -= projection * x
				}
			}
		}
		// A vector that was almost in the span has nothing but rounding left.
		if after := norm(v); after > 1e-8*before {
			for k := range v {
				v[k] /= after
			}
			return v
		}
	}
}

func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}
