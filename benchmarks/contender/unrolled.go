package contender

import (
	"fmt"
	"time"

	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/recursion"
)

// nothing is the input of a program that has its tree built in.
type nothing struct{}

// Preparation is the time that was needed before the first run, without that for the
// initial parameters.
type Preparation struct{ Build, Plan time.Duration }

// NewUnrolled returns the model as a straight line of operators for each tree of the
// given mini-batches, which are the only ones that it takes. Equal trees have a graph
// each.
func NewUnrolled(name string, s Setting, batches []*Batch, o exec.Options) (Contender, Preparation, error) {
	begin := time.Now()
	m := graph.NewModule("unrolled")
	c := newCell(m, s)
	graphs := map[*Batch]*graph.Graph{}
	scores := models.Scores{Logits: graph.F32(c.classes)}
	for k, b := range batches {
		var all []models.Scores
		for range b.Trees {
			all = append(all, scores)
		}
		f := recursion.Declare(m, fmt.Sprintf("batch%d", k), nothing{}, all)
		var trees []*recursion.SubGraph[nothing, models.Scores]
		for i, t := range b.Trees {
			tree := recursion.Declare(m, fmt.Sprintf("batch%d_tree%d", k, i), nothing{}, scores)
			tree.Define(func(nothing) models.Scores { return c.unroll(t) })
			trees = append(trees, tree)
		}
		f.Define(func(nothing) []models.Scores {
			var roots []models.Scores
			for _, tree := range trees {
				roots = append(roots, tree.Invoke(nothing{}))
			}
			return roots
		})
		graphs[b] = f.Graph()
	}
	p, err := m.Build()
	spent := Preparation{Build: time.Since(begin)}
	if err != nil {
		return nil, spent, err
	}
	f, err := newFrond(name, s, p, o, func(b *Batch) (call, error) {
		if graphs[b] == nil {
			return call{}, fmt.Errorf("mini-batch of %d trees was not unrolled", len(b.Trees))
		}
		return call{graphs[b], [][]exec.Array{{}}}, nil
	})
	if err != nil {
		return nil, spent, err
	}
	spent.Plan = f.planned
	return f, spent, nil
}

// unroll writes the computation of one tree down.
func (c *cell) unroll(t *corpus.Tree) models.Scores {
	states := make([]state, t.Len())
	for i, l := range t.Left {
		if l < 0 {
			states[i] = c.leaf(c.m.Int(int(t.Word[i])))
		} else {
			states[i] = c.inner(states[l], states[t.Right[i]])
		}
		c.loss(states[i].H, c.m.Int(int(t.Label[i])))
	}
	return models.Scores{Logits: c.logits(states[t.Len()-1].H)}
}
