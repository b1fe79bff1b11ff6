package kernel

import "math"

// vectorCase is an element-wise kernel in a uniform shape: dst receives the
// result and is an operand of those that accumulate; a, b and c are the other
// operands.
type vectorCase struct {
	name     string
	run      func(dst, a, b, c []float32)
	want     func(d, a, b, c float64) float64 // the exact result for one element
	operands int
	ulps     float64 // error bound where assembly and Go may round differently
	positive bool    // operands must be positive
}

const (
	scalarS = float32(1.7)
	scalarT = float32(-0.3)
)

func vectorCases() []vectorCase {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	step := func(y float64) float64 {
		if y > 0 {
			return 1
		}
		return 0
	}
	return []vectorCase{
		{"Add", func(d, a, b, _ []float32) { Add(d, a, b) }, func(_, a, b, _ float64) float64 { return a + b }, 2, 0.5, false},
		{"Sub", func(d, a, b, _ []float32) { Sub(d, a, b) }, func(_, a, b, _ float64) float64 { return a - b }, 2, 0.5, false},
		{"Mul", func(d, a, b, _ []float32) { Mul(d, a, b) }, func(_, a, b, _ float64) float64 { return a * b }, 2, 0.5, false},
		{"Div", func(d, a, b, _ []float32) { Div(d, a, b) }, func(_, a, b, _ float64) float64 { return a / b }, 2, 0.5, false},
		{"Max", func(d, a, b, _ []float32) { Max(d, a, b) }, func(_, a, b, _ float64) float64 { return max(a, b) }, 2, 0, false},
		{"Min", func(d, a, b, _ []float32) { Min(d, a, b) }, func(_, a, b, _ float64) float64 { return min(a, b) }, 2, 0, false},
		{"Scale", func(d, a, _, _ []float32) { Scale(d, a, scalarS) }, func(_, a, _, _ float64) float64 { return a * float64(scalarS) }, 1, 0.5, false},
		{"AddScalar", func(d, a, _, _ []float32) { AddScalar(d, a, scalarS) }, func(_, a, _, _ float64) float64 { return a + float64(scalarS) }, 1, 0.5, false},
		{"Axpy", func(d, a, _, _ []float32) { Axpy(d, a, scalarS) }, func(d, a, _, _ float64) float64 { return d + a*float64(scalarS) }, 1, math.Inf(1), false},
		{"AddTo", func(d, a, _, _ []float32) { AddTo(d, a) }, func(d, a, _, _ float64) float64 { return d + a }, 1, 0.5, false},
		{"MulAdd", func(d, a, b, _ []float32) { MulAdd(d, a, b) }, func(d, a, b, _ float64) float64 { return d + a*b }, 2, math.Inf(1), false},
		{"ScaleShift", ScaleShift, func(_, a, b, c float64) float64 { return a*b + c }, 3, math.Inf(1), false},
		{"normalize", func(d, a, _, _ []float32) { vecNormalize(d, a, scalarT, scalarS) }, func(_, a, _, _ float64) float64 { return (a - float64(scalarT)) * float64(scalarS) }, 1, 1.5, false},
		{"subTwo", func(d, a, _, _ []float32) { vecSubTwo(d, a, scalarT, scalarS) }, func(_, a, _, _ float64) float64 { return a - float64(scalarT) - float64(scalarS) }, 1, math.Inf(1), false},
		{"Exp", func(d, a, _, _ []float32) { Exp(d, a) }, func(_, a, _, _ float64) float64 { return math.Exp(a) }, 1, 3, false},
		{"Log", func(d, a, _, _ []float32) { Log(d, a) }, func(_, a, _, _ float64) float64 { return math.Log(a) }, 1, 3, true},
		{"Sigmoid", func(d, a, _, _ []float32) { Sigmoid(d, a) }, func(_, a, _, _ float64) float64 { return sigmoid(a) }, 1, 3, false},
		{"Tanh", func(d, a, _, _ []float32) { Tanh(d, a) }, func(_, a, _, _ float64) float64 { return math.Tanh(a) }, 1, 3, false},
		{"Relu", func(d, a, _, _ []float32) { Relu(d, a) }, func(_, a, _, _ float64) float64 { return max(a, 0) }, 1, 0, false},
		{"DSigmoid", func(d, a, b, _ []float32) { DSigmoid(d, a, b) }, func(_, g, y, _ float64) float64 { return g * y * (1 - y) }, 2, 3, false},
		{"AddDSigmoid", func(d, a, b, _ []float32) { AddDSigmoid(d, a, b) }, func(d, g, y, _ float64) float64 { return d + g*y*(1-y) }, 2, math.Inf(1), false},
		{"DTanh", func(d, a, b, _ []float32) { DTanh(d, a, b) }, func(_, g, y, _ float64) float64 { return g * (1 - y*y) }, 2, math.Inf(1), false},
		{"AddDTanh", func(d, a, b, _ []float32) { AddDTanh(d, a, b) }, func(d, g, y, _ float64) float64 { return d + g*(1-y*y) }, 2, math.Inf(1), false},
		{"DRelu", func(d, a, b, _ []float32) { DRelu(d, a, b) }, func(_, g, y, _ float64) float64 { return g * step(y) }, 2, 0, false},
		{"AddDRelu", func(d, a, b, _ []float32) { AddDRelu(d, a, b) }, func(d, g, y, _ float64) float64 { return d + g*step(y) }, 2, 0.5, false},
	}
}

// absoluteError bounds the error of cases whose result may cancel, for operands
// of a standard normal distribution.
const absoluteError = 4e-6
