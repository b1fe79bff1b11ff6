package exec

import (
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// weight is a matrix that products multiply by: a constant or variable [rows cols],
// perhaps reshaped, as it stands or transposed; or several weights side by side or one
// above the other.
type weight struct {
	global     graph.Value
	rows, cols int
	trans      bool

	parts   []int
	stacked bool          // one above the other
	biases  []graph.Value // of parts side by side; zero where there is none
}

// weight returns the number of the matrix v.
func (p *plan) weight(v graph.Value, trans bool) int {
	shape := v.Type().Shape
	return p.addWeight(weight{global: reshapedGlobal(v), rows: shape[0], cols: shape[1], trans: trans})
}

// weightOf returns the number of the matrix that a product multiplies by.
func (p *plan) weightOf(n *graph.Node) int { return p.weight(n.In[1], n.Op.(ops.MatMulOp).TransB) }

// joined returns the number of the matrix that is made of others.
func (p *plan) joined(parts []int, stacked bool, biases []graph.Value) int {
	w := weight{parts: parts, stacked: stacked, biases: biases}
	for _, i := range parts {
		if q := &p.weights[i]; stacked {
			w.rows, w.cols = w.rows+q.depth(), q.width()
		} else {
			w.rows, w.cols = q.depth(), w.cols+q.width()
		}
	}
	return p.addWeight(w)
}

func (p *plan) addWeight(w weight) int {
	for i, q := range p.weights {
		if q.global == w.global && q.rows == w.rows && q.cols == w.cols && q.trans == w.trans &&
			q.stacked == w.stacked && slices.Equal(q.parts, w.parts) && slices.Equal(q.biases, w.biases) {
			return i
		}
	}
	p.weights = append(p.weights, w)
	return len(p.weights) - 1
}

// depth and width are the extents k and n of the matrix as a product reads it.
func (w *weight) depth() int {
	if w.trans {
		return w.cols
	}
	return w.rows
}

func (w *weight) width() int {
	if w.trans {
		return w.rows
	}
	return w.cols
}

// hasBias reports whether a product with the matrix begins with a bias.
func (w *weight) hasBias() bool {
	return slices.ContainsFunc(w.biases, func(b graph.Value) bool { return !b.IsZero() })
}
