package main

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/frondml/frond/benchmarks/peer"
)

// matrices are those of the products of one size.
type matrices struct{ a, b, c blas32.General }

var products = map[[3]int]matrices{}

// product multiplies matrices and returns an element of the result.
func product(r peer.Request) (float64, error) {
	if r.Do != peer.Product || r.Rows < 1 || r.Depth < 1 || r.Columns < 1 {
		return 0, fmt.Errorf("cannot %s %d×%d×%d", r.Do, r.Rows, r.Depth, r.Columns)
	}
	size := [3]int{r.Rows, r.Depth, r.Columns}
	m, ok := products[size]
	if !ok {
		m = matrices{filled(r.Rows, r.Depth), filled(r.Depth, r.Columns), filled(r.Rows, r.Columns)}
		products[size] = m
	}
	for range r.Repeat {
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, m.a, m.b, 0, m.c)
	}
	return float64(m.c.Data[0]), nil
}

func filled(rows, columns int) blas32.General {
	g := blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float32, rows*columns)}
	for i := range g.Data {
		g.Data[i] = float32(i%17-8) / 16
	}
	return g
}
