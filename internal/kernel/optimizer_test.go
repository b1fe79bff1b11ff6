package kernel

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var adamStep = AdamStep{Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Correct1: 1 / (1 - 0.81), Correct2: 1 / (1 - 0.999*0.999)}

// optimizerCase is an update of weights w with state p and q. q holds squares.
type optimizerCase struct {
	name string
	run  func(w, p, q, g []float32)
	want func(w, p, q, g float64) (w2, p2, q2 float64)
}

func optimizerCases() []optimizerCase {
	return []optimizerCase{
		{
			"SGD",
			func(w, _, _, g []float32) { SGD(w, g, 0.1) },
			func(w, p, q, g float64) (float64, float64, float64) { return w - 0.1*g, p, q },
		},
		{
			"Momentum",
			func(w, p, _, g []float32) { Momentum(w, p, g, 0.1, 0.9) },
			func(w, p, q, g float64) (float64, float64, float64) {
				p = 0.9*p + g
				return w - 0.1*p, p, q
			},
		},
		{
			"Adagrad",
			func(w, _, q, g []float32) { Adagrad(w, q, g, 0.05, 1e-6) },
			func(w, p, q, g float64) (float64, float64, float64) {
				q += g * g
				return w - 0.05*g/(math.Sqrt(q)+1e-6), p, q
			},
		},
		{
			"Adam",
			func(w, p, q, g []float32) { Adam(w, p, q, g, adamStep) },
			func(w, p, q, g float64) (float64, float64, float64) {
				// 1-β depends on how β was rounded to float32.
				b1, b2 := float64(adamStep.Beta1), float64(adamStep.Beta2)
				p = b1*p + (1-b1)*g
				q = b2*q + (1-b2)*g*g
				m, v := p*float64(adamStep.Correct1), q*float64(adamStep.Correct2)
				return w - 0.01*m/(math.Sqrt(v)+1e-8), p, q
			},
		},
	}
}

func TestOptimizers(t *testing.T) {
	for _, tc := range optimizerCases() {
		t.Run(tc.name, func(t *testing.T) {
			eachImplementation(t, func(t *testing.T) {
				for _, n := range sizes() {
					r := rng(uint64(n))
					start := [4][]float32{randomSlice(r, n), randomSlice(r, n), randomSlice(r, n), randomSlice(r, n)}
					Mul(start[2], start[2], start[2])
					var got [4]guarded
					for i, x := range start {
						got[i] = guard(n, (n+i)%8)
						copy(got[i].data, x)
					}
					tc.run(got[0].data, got[1].data, got[2].data, got[3].data)
					for i := range n {
						w, p, q := tc.want(float64(start[0][i]), float64(start[1][i]), float64(start[2][i]), float64(start[3][i]))
						for j, want := range []float64{w, p, q, float64(start[3][i])} {
							require.True(t, near(got[j].data[i], want, 1+math.Abs(want-float64(start[j][i])), 1e-6), "n=%d operand %d [%d]: got %g, want %g", n, j, i, got[j].data[i], want)
						}
					}
					for _, x := range got {
						x.intact(t)
					}
				}
			})
		})
	}
}

// TestOptimizersKeepPadding checks that zero weights with zero gradients and
// zero state stay zero, as the padding of packed matrices needs.
func TestOptimizersKeepPadding(t *testing.T) {
	for _, tc := range optimizerCases() {
		eachImplementation(t, func(t *testing.T) {
			w := make([]float32, 19)
			tc.run(w, make([]float32, 19), make([]float32, 19), make([]float32, 19))
			assert.Equal(t, make([]float32, 19), w, tc.name)
		})
	}
}

func TestOptimizersPanicOnUnequalLengths(t *testing.T) {
	for _, tc := range optimizerCases() {
		w, p, q := make([]float32, 9), make([]float32, 9), make([]float32, 9)
		assert.Panics(t, func() { tc.run(w, p, q, make([]float32, 8)) }, tc.name)
	}
}
