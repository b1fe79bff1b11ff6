package kernel

import "math"

// Softmax sets dst[i] = exp(x[i]) / sum of exp(x), computed from x less its
// maximum so that nothing overflows. dst may be x. A NaN or +Inf in x, or -Inf
// everywhere, makes the whole row NaN.
func Softmax(dst, x []float32) {
	sameLen(dst, x)
	sum := vecExpSum(dst, x, MaxOf(x))
	vecScale(dst, dst, 1/sum)
}

// LogSoftmax sets dst[i] = x[i] - log(sum of exp(x)) and is finite where the
// logarithm of [Softmax] is not. dst may be x. NaN arises as for Softmax.
func LogSoftmax(dst, x []float32) {
	sameLen(dst, x)
	top := MaxOf(x)
	vecSubTwo(dst, x, top, logOf(vecSumExp(x, top)))
}

// LogSumExp returns log(sum of exp(x)), computed from x less its maximum.
func LogSumExp(x []float32) float32 {
	top := MaxOf(x)
	if math.IsInf(float64(top), 0) {
		return top
	}
	return top + logOf(vecSumExp(x, top))
}

func logOf(x float32) float32 { return float32(math.Log(float64(x))) }

// LayerNorm sets dst[i] = (x[i]-mean) * rstd * gain[i] + bias[i], where mean and
// rstd = 1/sqrt(variance + eps) are those of x, and returns both for the
// backward pass. gain and bias may both be nil, for 1 and 0. dst may be x.
func LayerNorm(dst, x, gain, bias []float32, eps float32) (mean, rstd float32) {
	sameLen(dst, x)
	if len(x) == 0 {
		return 0, 0
	}
	n := float32(len(x))
	mean = vecSum(x) / n
	variance := vecSumSquaredDeviations(x, mean) / n
	rstd = float32(1 / math.Sqrt(float64(variance)+float64(eps)))
	vecNormalize(dst, x, mean, rstd)
	if gain != nil || bias != nil {
		ScaleShift(dst, dst, gain, bias)
	}
	return mean, rstd
}
