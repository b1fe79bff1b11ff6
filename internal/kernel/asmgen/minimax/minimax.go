// Package minimax finds the polynomial of a given degree with the smallest
// largest weighted error on an interval, by the Remez exchange.
//
// It serves the kernel generator only: it works in float64, which is ample for
// coefficients that end up as float32, and expects smooth functions on short
// intervals. It holds no state and is safe for concurrent use. [Fit] fails with
// an error if the exchange does not settle.
package minimax

import (
	"errors"
	"fmt"
	"math"
)

// Problem asks for a polynomial p that minimises the maximum over [Lo, Hi] of
// |Weight(x) * (p(x) - F(x))|.
type Problem struct {
	F      func(x float64) float64
	Weight func(x float64) float64
	Lo, Hi float64
	Degree int
}

// Solution is a polynomial, lowest coefficient first, and its largest error.
type Solution struct {
	Coeffs []float64
	Error  float64
}

// ErrNoConvergence reports that the exchange did not level the error.
var ErrNoConvergence = errors.New("minimax: no convergence")

const (
	maxRounds = 100
	gridSize  = 4000
	// levelled is the relative spread of the extrema that ends the exchange.
	levelled = 1e-6
)

// Fit solves the problem.
func Fit(p Problem) (Solution, error) {
	nodes := chebyshev(p.Lo, p.Hi, p.Degree+2)
	for range maxRounds {
		coeffs, err := p.interpolate(nodes)
		if err != nil {
			return Solution{}, err
		}
		extrema := p.extrema(coeffs)
		if len(extrema) < len(nodes) {
			return Solution{}, fmt.Errorf("%w: %d extrema for %d nodes", ErrNoConvergence, len(extrema), len(nodes))
		}
		nodes = p.strongest(coeffs, extrema, len(nodes))
		lo, hi := math.Inf(1), 0.0
		for _, x := range nodes {
			e := math.Abs(p.error(coeffs, x))
			lo, hi = min(lo, e), max(hi, e)
		}
		if hi-lo <= levelled*hi {
			return Solution{Coeffs: coeffs, Error: hi}, nil
		}
	}
	return Solution{}, ErrNoConvergence
}

// Eval is the value of the polynomial at x.
func Eval(coeffs []float64, x float64) float64 {
	y := 0.0
	for i := len(coeffs) - 1; i >= 0; i-- {
		y = y*x + coeffs[i]
	}
	return y
}

func (p Problem) error(coeffs []float64, x float64) float64 {
	return p.Weight(x) * (Eval(coeffs, x) - p.F(x))
}

// chebyshev returns n extrema of a Chebyshev polynomial on [lo, hi]: a first
// guess of where the error is largest.
func chebyshev(lo, hi float64, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = (lo+hi)/2 - (hi-lo)/2*math.Cos(math.Pi*float64(i)/float64(n-1))
	}
	return x
}

// interpolate finds the polynomial whose weighted error has equal size and
// alternating sign at the nodes.
func (p Problem) interpolate(nodes []float64) ([]float64, error) {
	n := len(nodes)
	rows := make([][]float64, n)
	sign := 1.0
	for i, x := range nodes {
		row := make([]float64, n+1)
		power := 1.0
		for j := range n - 1 {
			row[j] = power
			power *= x
		}
		row[n-1] = sign / max(p.Weight(x), math.SmallestNonzeroFloat32)
		row[n] = p.F(x)
		rows[i], sign = row, -sign
	}
	solution, err := solve(rows)
	if err != nil {
		return nil, err
	}
	return solution[:n-1], nil
}

// extrema lists the places of the largest error between its changes of sign.
func (p Problem) extrema(coeffs []float64) []float64 {
	var at []float64
	best, bestErr := p.Lo, p.error(coeffs, p.Lo)
	for i := 1; i <= gridSize; i++ {
		x := p.Lo + (p.Hi-p.Lo)*float64(i)/gridSize
		e := p.error(coeffs, x)
		switch {
		case e*bestErr < 0:
			at = append(at, best)
			best, bestErr = x, e
		case math.Abs(e) > math.Abs(bestErr):
			best, bestErr = x, e
		}
	}
	at = append(at, best)
	for i := range at {
		at[i] = p.refine(coeffs, at[i])
	}
	return at
}

// refine climbs from a grid point to the extremum beside it.
func (p Problem) refine(coeffs []float64, x float64) float64 {
	step := (p.Hi - p.Lo) / gridSize
	lo, hi := max(p.Lo, x-step), min(p.Hi, x+step)
	for range 60 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if math.Abs(p.error(coeffs, a)) < math.Abs(p.error(coeffs, b)) {
			lo = a
		} else {
			hi = b
		}
	}
	return (lo + hi) / 2
}

// strongest keeps n adjacent extrema by dropping the weaker end.
func (p Problem) strongest(coeffs, extrema []float64, n int) []float64 {
	for len(extrema) > n {
		last := len(extrema) - 1
		if math.Abs(p.error(coeffs, extrema[0])) < math.Abs(p.error(coeffs, extrema[last])) {
			extrema = extrema[1:]
		} else {
			extrema = extrema[:last]
		}
	}
	return extrema
}
