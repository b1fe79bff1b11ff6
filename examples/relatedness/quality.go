package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// quality says how near scores are to those of people.
type quality struct{ pearson, spearman, mse float64 }

func (q quality) String() string {
	return fmt.Sprintf("Pearson %.4f  Spearman %.4f  MSE %.4f", q.pearson, q.spearman, q.mse)
}

func compare(got, want []float64) quality {
	mse := 0.0
	for i, x := range got {
		mse += (x - want[i]) * (x - want[i])
	}
	return quality{
		pearson:  pearson(got, want),
		spearman: pearson(ranks(got), ranks(want)),
		mse:      mse / float64(len(got)),
	}
}

// pearson is the correlation of x and y, 0 where one of them is constant.
func pearson(x, y []float64) float64 {
	meanX, meanY := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-meanX, y[i]-meanY
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// ranks numbers the values from the smallest; equal ones share the mean of their ranks.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	rank := make([]float64, len(x))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && x[order[to]] == x[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			rank[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return rank
}
