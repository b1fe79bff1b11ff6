package contender

import (
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

// adagrad updates the parameters of a program. Rows without a gradient cost nothing.
type adagrad struct {
	sums [][]float32 // of squares of gradients, by Variable.Index
}

func newAdagrad(p *graph.Program) *adagrad {
	a := new(adagrad)
	for _, v := range p.Variables {
		a.sums = append(a.sums, make([]float32, v.Type.Size()))
	}
	return a
}

func (a *adagrad) step(p *exec.Parameters, g *exec.Gradients) {
	p.Update(func(values [][]float32) {
		g.Each(func(d *exec.Gradient) {
			w, sums := values[d.Variable.Index], a.sums[d.Variable.Index]
			if d.Dense != nil {
				kernel.Adagrad(w, sums, d.Dense, rate, eps)
				return
			}
			n := d.Variable.Type.Elem().Size()
			for i, r := range d.Rows {
				lo, hi := int(r)*n, int(r+1)*n
				kernel.Adagrad(w[lo:hi], sums[lo:hi], d.Values[i*n:(i+1)*n], rate, eps)
			}
		})
	})
}
