package kernel

// The reductions of this file add in an order that depends on the length only.

// Sum returns the sum of x, 0 if it is empty.
func Sum(x []float32) float32 { return vecSum(x) }

// Dot returns the sum of a[i] * b[i].
func Dot(a, b []float32) float32 {
	sameLen(a, b)
	return vecDot(a, b)
}

// SumSquares returns the sum of x[i]².
func SumSquares(x []float32) float32 { return vecSumSquares(x) }

// MaxOf returns the largest element of x, NaN if one is NaN, -Inf if x is
// empty.
func MaxOf(x []float32) float32 { return vecMaxOf(x) }
