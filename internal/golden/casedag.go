package golden

import (
	"testing"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/ops"
)

// dagResult is what is known about one expression with shared parts.
type dagResult struct {
	Name           string
	Dims           map[string]int
	Params, Inputs Arrays
	Children       [][2]int32 // of the nodes after the leaves
	CallsPlain     int        `json:"calls_plain"` // when shared parts are evaluated again
	Loss           float64
	Root           []float64
	Reachable      []int       // nodes that the last one depends on
	Values         [][]float64 // of those nodes
	Gradients      []Gradient
}

// dagCases makes two cases per expression: unfolded, and each part once. The
// values of its parts are the outputs of shorter expressions.
func dagCases(t testing.TB, f *File) []*Case {
	var want struct{ Cases []dagResult }
	f.Decode(t, &want)
	var cases []*Case
	for i := range want.Cases {
		r := &want.Cases[i]
		cases = append(cases, f.dagCase(t, r, true), f.dagCase(t, r, false))
	}
	return cases
}

func (f *File) dagCase(t testing.TB, r *dagResult, unfold bool) *Case {
	c := f.newCase(t, "dag", r.Params, func(m *graph.Module) {
		models.NewDAG(m, models.DAGConfig{Leaves: r.Dims["leaves"], Hidden: r.Dims["d"], Unfold: unfold})
	})
	c.Loss, c.Gradients = r.Loss, r.Gradients
	n := r.Dims["nodes"]
	whole := Example{Loss: r.Loss, Output: r.Root, Inputs: f.dagInputs(t, r, n)}
	if unfold {
		c.Name = r.Name + "_unfolded"
		whole.Calls = r.CallsPlain + 1 // the model and one per use of a part
	} else {
		c.Name = r.Name
		whole.Calls = n + 2 // the model and a loop over the nodes
	}
	c.Examples = []Example{whole}
	for k, node := range r.Reachable {
		c.Forward = append(c.Forward, Example{Inputs: f.dagInputs(t, r, node+1), Output: r.Values[k]})
	}
	return c
}

// dagInputs describes the expression that the first n nodes make.
func (f *File) dagInputs(t testing.TB, r *dagResult, n int) []*ops.Tensor {
	var word, left, right []int32
	leaves := r.Dims["leaves"]
	for i := range n {
		w, c := int32(i), [2]int32{-1, -1}
		if i >= leaves {
			w, c = -1, r.Children[i-leaves]
		}
		word, left, right = append(word, w), append(left, c[0]), append(right, c[1])
	}
	return append(tensorsOf(word, left, right), f.tensor(r.Inputs.Find(t, "t")))
}
