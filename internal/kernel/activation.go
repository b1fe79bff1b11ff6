package kernel

// The functions of this file work element by element on slices of equal
// length. A destination may be the same slice as any operand. Errors of the
// transcendental functions are below 3 units in the last place over the whole
// range of float32, denormal numbers included.

// Exp sets dst[i] = exp(x[i]): 0 at -Inf, +Inf above the range.
func Exp(dst, x []float32) {
	sameLen(dst, x)
	vecExp(dst, x)
}

// Log sets dst[i] to the natural logarithm of x[i]: -Inf at 0, NaN below.
func Log(dst, x []float32) {
	sameLen(dst, x)
	vecLog(dst, x)
}

// Sigmoid sets dst[i] = 1 / (1 + exp(-x[i])).
func Sigmoid(dst, x []float32) {
	sameLen(dst, x)
	vecSigmoid(dst, x)
}

// Tanh sets dst[i] = tanh(x[i]).
func Tanh(dst, x []float32) {
	sameLen(dst, x)
	vecTanh(dst, x)
}

// Relu sets dst[i] to x[i], or to 0 where x[i] < 0. NaN stays NaN.
func Relu(dst, x []float32) {
	sameLen(dst, x)
	vecRelu(dst, x)
}

// DSigmoid sets dst[i] = g[i] * y[i] * (1 - y[i]): the gradient of the argument
// of y = sigmoid(x) from the gradient g of y.
func DSigmoid(dst, g, y []float32) {
	sameLen(dst, g)
	sameLen(dst, y)
	vecDSigmoid(dst, g, y)
}

// AddDSigmoid adds g[i] * y[i] * (1 - y[i]) to dst[i].
func AddDSigmoid(dst, g, y []float32) {
	sameLen(dst, g)
	sameLen(dst, y)
	vecAddDSigmoid(dst, g, y)
}

// DTanh sets dst[i] = g[i] * (1 - y[i]²), for y = tanh(x).
func DTanh(dst, g, y []float32) {
	sameLen(dst, g)
	sameLen(dst, y)
	vecDTanh(dst, g, y)
}

// AddDTanh adds g[i] * (1 - y[i]²) to dst[i].
func AddDTanh(dst, g, y []float32) {
	sameLen(dst, g)
	sameLen(dst, y)
	vecAddDTanh(dst, g, y)
}

// DRelu sets dst[i] to g[i] where y[i] > 0 and to 0 elsewhere, for y = relu(x).
func DRelu(dst, g, y []float32) {
	sameLen(dst, g)
	sameLen(dst, y)
	vecDRelu(dst, g, y)
}

// AddDRelu adds g[i] to dst[i] where y[i] > 0.
func AddDRelu(dst, g, y []float32) {
	sameLen(dst, g)
	sameLen(dst, y)
	vecAddDRelu(dst, g, y)
}
