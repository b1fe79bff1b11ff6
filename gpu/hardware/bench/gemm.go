package main

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cublas"
	"github.com/frondml/frond/gpu/kernels"
)

// product is a product of the Tree-LSTM's cell for m nodes of h units: X [m 2h] are the
// states of the children, W [5h 2h] the weights of the gates, and dZ [m 5h] the adjoint
// of the gates.
type product struct {
	name                   string
	m, n, k                int
	transposeA, transposeB bool
}

func productsOf(m, h int) []product {
	in, gates := 2*h, 5*h
	return []product{
		{"X W'", m, gates, in, false, true},  // forward
		{"dZ W", m, in, gates, false, false}, // the adjoint of X
		{"dZ' X", gates, in, m, true, false}, // the gradient of W
	}
}

func (p product) String() string { return fmt.Sprintf("%s m=%d n=%d k=%d", p.name, p.m, p.n, p.k) }

// gemms has what multiplies matrices.
type gemms struct {
	*bench
	set    *kernels.Set
	stream *gpu.Stream
	blas   *cublas.Handle // nil where there is none
}

// products compares the products of package kernels with those of cuBLAS.
func (b *bench) products() (err error) {
	g := &gemms{bench: b}
	if g.set, err = kernels.Load(b.device); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.set.Close()) }()
	if g.stream, err = b.device.NewStream(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.stream.Close()) }()
	if err := g.openCuBLAS(); err != nil {
		return err
	}
	if g.blas != nil {
		defer func() { err = errors.Join(err, g.blas.Close()) }()
	}
	rows, units := []int{16, 64, 256, 1024}, []int{150, 300, 1024}
	if b.small {
		rows, units = []int{16}, []int{8}
	}
	var all []product
	for _, h := range units {
		for _, m := range rows {
			all = append(all, productsOf(m, h)...)
		}
	}
	var failures []error
	for i, p := range all {
		b.share(i, len(all))
		if err := g.compare(p); err != nil {
			failures = append(failures, fmt.Errorf("%v: %w", p, err))
		}
	}
	return errors.Join(failures...)
}

// openCuBLAS opens cuBLAS, or notes that it is missing.
func (g *gemms) openCuBLAS() error {
	library, err := cublas.Open(g.cublasPath)
	if errors.Is(err, cublas.ErrNoLibrary) {
		g.note("without cuBLAS: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	g.note("cuBLAS %s", library.Version())
	g.blas, err = library.NewHandle(g.stream)
	return err
}
