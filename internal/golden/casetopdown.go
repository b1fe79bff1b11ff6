package golden

import (
	"fmt"
	"strings"
	"testing"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/ops"
)

// topDownCases makes the case of trees whose shape depends on computed numbers.
func topDownCases(t testing.TB, f *File) []*Case {
	var want Trained
	f.Decode(t, &want)
	c := f.newCase(t, "topdown", f.Params, func(m *graph.Module) {
		models.NewTopDown(m, models.TopDownConfig{Hidden: f.Dims["d"], Out: f.Dims["out"], MaxDepth: f.Dims["max_depth"]})
	})
	c.Loss, c.Gradients = want.TotalLoss, want.Gradients
	for i, loss := range want.LossPerItem {
		seed, target := f.Inputs.Find(t, fmt.Sprintf("h0_%d", i)), f.Inputs.Find(t, fmt.Sprintf("t_%d", i))
		c.Examples = append(c.Examples, Example{
			Inputs:        []*ops.Tensor{f.tensor(seed), f.tensor(target)},
			Loss:          loss,
			Output:        want.Outputs[i],
			InputGradient: want.InputGradients[i],
			Calls:         want.Nodes[i] + 1, // the model and the nodes
			checkTables: func(t testing.TB, what string, got Outcome, _ Tolerance) {
				t.Helper()
				if shape := shapeOf(got.Tables["split"]); shape != want.Shapes[i] {
					t.Errorf("%s: the tree has the shape %s, want %s", what, shape, want.Shapes[i])
				}
			},
		})
	}
	return []*Case{c}
}

// shapeOf lists, in pre-order, which nodes have split.
func shapeOf(rows []Row) string {
	split := map[int32]bool{}
	for _, r := range rows {
		split[r.Key] = r.Value[0] != 0
	}
	var b strings.Builder
	for todo := []int32{1}; len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if split[id] {
			b.WriteByte('1')
			todo = append(todo, 2*id+1, 2*id)
		} else {
			b.WriteByte('0')
		}
	}
	if b.Len() != len(rows) {
		return fmt.Sprintf("%s, of %d nodes", b.String(), len(rows))
	}
	return b.String()
}
