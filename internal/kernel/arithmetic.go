package kernel

// The functions of this file work element by element on slices of equal
// length. A destination may be the same slice as any operand.

// Add sets dst[i] = a[i] + b[i].
func Add(dst, a, b []float32) {
	sameLen(dst, a)
	sameLen(dst, b)
	vecAdd(dst, a, b)
}

// Sub sets dst[i] = a[i] - b[i].
func Sub(dst, a, b []float32) {
	sameLen(dst, a)
	sameLen(dst, b)
	vecSub(dst, a, b)
}

// Mul sets dst[i] = a[i] * b[i].
func Mul(dst, a, b []float32) {
	sameLen(dst, a)
	sameLen(dst, b)
	vecMul(dst, a, b)
}

// Div sets dst[i] = a[i] / b[i].
func Div(dst, a, b []float32) {
	sameLen(dst, a)
	sameLen(dst, b)
	vecDiv(dst, a, b)
}

// Max sets dst[i] = max(a[i], b[i]) with the rules of Go's max: NaN if either
// is NaN, and +0 above -0.
func Max(dst, a, b []float32) {
	sameLen(dst, a)
	sameLen(dst, b)
	vecMax(dst, a, b)
}

// Min sets dst[i] = min(a[i], b[i]) with the rules of Go's min.
func Min(dst, a, b []float32) {
	sameLen(dst, a)
	sameLen(dst, b)
	vecMin(dst, a, b)
}

// Scale sets dst[i] = s * x[i].
func Scale(dst, x []float32, s float32) {
	sameLen(dst, x)
	vecScale(dst, x, s)
}

// AddScalar sets dst[i] = x[i] + s.
func AddScalar(dst, x []float32, s float32) {
	sameLen(dst, x)
	vecAddScalar(dst, x, s)
}

// Axpy adds s * x[i] to dst[i].
func Axpy(dst, x []float32, s float32) {
	sameLen(dst, x)
	vecAxpy(dst, x, s)
}

// AddTo adds x[i] to dst[i].
func AddTo(dst, x []float32) {
	sameLen(dst, x)
	vecAddTo(dst, x)
}

// MulAdd adds a[i] * b[i] to dst[i].
func MulAdd(dst, a, b []float32) {
	sameLen(dst, a)
	sameLen(dst, b)
	vecMulAdd(dst, a, b)
}

// ScaleShift sets dst[i] = x[i]*scale[i] + shift[i].
func ScaleShift(dst, x, scale, shift []float32) {
	sameLen(dst, x)
	sameLen(dst, scale)
	sameLen(dst, shift)
	vecScaleShift(dst, x, scale, shift)
}
