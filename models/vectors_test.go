package models_test

import "math"

// Vectors and row-major matrices, for the equations in plain Go.

func matVec(w, x []float64) []float64 {
	y := make([]float64, len(w)/len(x))
	for i := range y {
		for j, a := range x {
			y[i] += w[i*len(x)+j] * a
		}
	}
	return y
}

// matMul returns a [n k] times b [k m].
func matMul(a, b []float64, k int) []float64 {
	n, m := len(a)/k, len(b)/k
	c := make([]float64, n*m)
	for i := range n {
		for j := range m {
			for l := range k {
				c[i*m+j] += a[i*k+l] * b[l*m+j]
			}
		}
	}
	return c
}

func add(xs ...[]float64) []float64 {
	sum := make([]float64, len(xs[0]))
	for _, x := range xs {
		for i := range sum {
			sum[i] += x[i]
		}
	}
	return sum
}

func mul(x, y []float64) []float64 {
	z := make([]float64, len(x))
	for i := range z {
		z[i] = x[i] * y[i]
	}
	return z
}

func concat(xs ...[]float64) (all []float64) {
	for _, x := range xs {
		all = append(all, x...)
	}
	return all
}

func each(f func(float64) float64, x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range y {
		y[i] = f(x[i])
	}
	return y
}

func sigmoid(x []float64) []float64 {
	return each(func(a float64) float64 { return 1 / (1 + math.Exp(-a)) }, x)
}

func tanh(x []float64) []float64 { return each(math.Tanh, x) }

// complement is 1 - x.
func complement(x []float64) []float64 {
	return each(func(a float64) float64 { return 1 - a }, x)
}

func softmax(x []float64) []float64 {
	sum := 0.0
	for _, a := range x {
		sum += math.Exp(a)
	}
	return each(func(a float64) float64 { return math.Exp(a) / sum }, x)
}

// crossEntropy of a negative label is 0: there is nothing to learn from it.
func crossEntropy(logits []float64, label int32) float64 {
	if label < 0 {
		return 0
	}
	return -math.Log(softmax(logits)[label])
}

// row is row i of a matrix with n columns.
func row(table []float64, i int32, n int) []float64 { return table[int(i)*n : (int(i)+1)*n] }

// block is part i of n equal parts.
func block(x []float64, i, n int) []float64 { return x[i*len(x)/n : (i+1)*len(x)/n] }

// linear is W x + b.
func (w weights) linear(matrix, bias string, x []float64) []float64 {
	return add(matVec(w[matrix], x), w[bias])
}

// gate is W x + U h + b of the gate of the given name.
func (w weights) gate(name string, x, h []float64) []float64 {
	return add(matVec(w["W"+name], x), matVec(w["U"+name], h), w["b"+name])
}
