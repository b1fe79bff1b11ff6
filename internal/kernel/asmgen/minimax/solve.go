package minimax

import (
	"errors"
	"math"
)

var errSingular = errors.New("minimax: singular system")

// solve solves a linear system given as rows of coefficients with the right
// side in the last column, by elimination with row pivoting. It overwrites rows.
func solve(rows [][]float64) ([]float64, error) {
	n := len(rows)
	for c := range n {
		pivot := c
		for r := c + 1; r < n; r++ {
			if math.Abs(rows[r][c]) > math.Abs(rows[pivot][c]) {
				pivot = r
			}
		}
		if rows[pivot][c] == 0 {
			return nil, errSingular
		}
		rows[c], rows[pivot] = rows[pivot], rows[c]
		for r := c + 1; r < n; r++ {
			f := rows[r][c] / rows[c][c]
			for j := c; j <= n; j++ {
				rows[r][j] -= f * rows[c][j]
			}
		}
	}
	x := make([]float64, n)
	for r := n - 1; r >= 0; r-- {
		s := rows[r][n]
		for j := r + 1; j < n; j++ {
			s -= rows[r][j] * x[j]
		}
		x[r] = s / rows[r][r]
	}
	return x, nil
}
