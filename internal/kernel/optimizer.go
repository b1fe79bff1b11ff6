package kernel

// The functions of this file update weights w from their gradient g, and the
// state of the optimiser, all of equal length: any layout will do as long as
// it is the same for all. Padding lanes, zero in g, stay zero.

// SGD subtracts rate*g[i] from w[i].
func SGD(w, g []float32, rate float32) { Axpy(w, g, -rate) }

// Momentum sets v[i] = decay*v[i] + g[i], then subtracts rate*v[i] from w[i].
func Momentum(w, v, g []float32, rate, decay float32) {
	sameLen(w, v)
	sameLen(w, g)
	vecMomentum(w, v, g, rate, decay)
}

// Adagrad adds g[i]² to sum[i], then subtracts rate*g[i] / (sqrt(sum[i])+eps)
// from w[i]. eps must be positive: it is what a zero gradient is divided by.
func Adagrad(w, sum, g []float32, rate, eps float32) {
	sameLen(w, sum)
	sameLen(w, g)
	vecAdagrad(w, sum, g, rate, eps)
}

// AdamStep holds the coefficients of one step of [Adam].
type AdamStep struct {
	Rate, Beta1, Beta2, Eps float32
	// Correct1 and Correct2 undo the bias of the zero start:
	// 1/(1-Beta1^t) and 1/(1-Beta2^t) at step t = 1, 2, ….
	Correct1, Correct2 float32
}

// Adam moves the mean m[i] towards g[i] and the mean square v[i] towards g[i]²,
// then subtracts Rate*m̂ / (sqrt(v̂)+Eps) from w[i], where m̂ and v̂ are corrected.
// Eps must be positive.
func Adam(w, m, v, g []float32, s AdamStep) {
	sameLen(w, m)
	sameLen(w, v)
	sameLen(w, g)
	vecAdam(w, m, v, g, s.Rate*s.Correct1, s.Beta1, 1-s.Beta1, s.Beta2, 1-s.Beta2, s.Correct2, s.Eps)
}
