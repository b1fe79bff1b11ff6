package level

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

// oracle computes with the reference interpreter, in double precision.
type oracle struct {
	*exec.Session
	g *graph.Graph
}

func newOracle(t testing.TB, c Config) oracle {
	m := graph.NewModule("oracle")
	f := models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: c.Vocab, Embed: c.Embed, Hidden: c.Hidden, Classes: c.Classes})
	p, err := m.Build()
	require.NoError(t, err)
	s, err := exec.New(p, exec.Options{Reference: true, Float64: true, Seed: 3})
	require.NoError(t, err)
	return oracle{s, f.Graph()}
}

// fields lists the variables of p under their names in the model.
func (p *Parameters) fields() map[string]*[]float32 {
	return map[string]*[]float32{"E": &p.E, "W": &p.W, "bW": &p.BW, "U": &p.U, "bU": &p.BU, "Ws": &p.Ws, "bs": &p.Bs}
}

func (o oracle) parameters() Parameters {
	var p Parameters
	fields := p.fields()
	for _, v := range o.Program().Variables {
		*fields[v.Name] = o.Parameters().Value(v)
	}
	return p
}

func (o oracle) gradients(t testing.TB, trees []*corpus.Tree) *exec.Result {
	var in [][]exec.Array
	for _, tree := range trees {
		var arrays []exec.Array
		for _, v := range [][]int32{tree.Word, tree.Left, tree.Right, tree.Label} {
			arrays = append(arrays, exec.Array{Shape: []int{len(v)}, I: v})
		}
		in = append(in, arrays)
	}
	r, err := o.Gradients(context.Background(), o.g, in, exec.GradOptions{})
	require.NoError(t, err)
	return r
}

// mixed are trees of all shapes, single leaves among them.
func mixed(vocab int) []*corpus.Tree {
	var trees []*corpus.Tree
	for _, c := range []*corpus.Corpus{
		corpus.Generate("moderate", 5, 9, corpus.Moderate), corpus.Generate("leaf", 2, 1, corpus.Moderate),
		corpus.Generate("linear", 2, 12, corpus.Linear), corpus.Generate("balanced", 3, 8, corpus.Balanced),
	} {
		trees = append(trees, c.Trees...)
	}
	for _, t := range trees {
		for i := range t.Word {
			t.Word[i] %= int32(vocab)
		}
	}
	return trees
}

func configs() []Config {
	var cs []Config
	for _, size := range [][2]int{{12, 10}, {33, 17}, {16, 16}} {
		for _, workers := range []int{1, 2, 3} {
			for _, rows := range []int{0, 1, 3} {
				cs = append(cs, Config{Vocab: 40, Embed: size[0], Hidden: size[1], Classes: 5, Workers: workers, MaxRows: rows})
			}
		}
	}
	return cs
}

func TestGradientsAgainstReference(t *testing.T) {
	for _, c := range configs() {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			o := newOracle(t, c)
			n, err := New(c, o.parameters())
			require.NoError(t, err)
			all := mixed(c.Vocab)
			// The first is repeated: nothing may be left over from a larger mini-batch.
			for _, trees := range [][]*corpus.Tree{all[:3], all, all[5:6], all[:3]} {
				want := o.gradients(t, trees)
				scores := make([]float32, len(trees)*c.Classes)
				require.InEpsilon(t, want.Loss, n.Infer(trees, scores), 1e-5)
				for i := range trees {
					require.InDeltaSlice(t, want.Outputs[i][0].F, scores[i*c.Classes:(i+1)*c.Classes], 1e-5)
				}
				require.InEpsilon(t, want.Loss, n.Gradients(trees), 1e-5)
				got := n.Gradient()
				for _, v := range o.Program().Variables {
					require.InDeltaSlice(t, want.Gradients.Of(v).Full(), *got.fields()[v.Name], 2e-5, v.Name)
				}
			}
		})
	}
}

// TestTraining compares many steps with a plain Adagrad on the reference, and looks
// for weights that grew in the padding.
func TestTraining(t *testing.T) {
	const rate, eps = 0.05, 1e-6
	for _, c := range configs() {
		if c.MaxRows == 3 {
			continue
		}
		o := newOracle(t, c)
		n, err := New(c, o.parameters())
		require.NoError(t, err)
		trees := mixed(c.Vocab)
		sums := make([][]float64, len(o.Program().Variables))
		first, last := 0.0, 0.0
		for step := range 8 {
			batch := trees[step%3 : 6+step%4]
			want := o.gradients(t, batch)
			got := n.Train(batch, rate, eps)
			require.InEpsilon(t, want.Loss, got, 1e-4, "step %d", step)
			adagrad(o, want.Gradients, sums, rate, eps)
			last = got / float64(len(batch))
			if step == 0 {
				first = last
			}
		}
		require.Less(t, last, first)
		p := n.Parameters()
		for _, v := range o.Program().Variables {
			require.InDeltaSlice(t, o.Parameters().Value(v), *p.fields()[v.Name], 2e-3, v.Name)
		}
		requireNoPadding(t, n)
	}
}

func adagrad(o oracle, g *exec.Gradients, sums [][]float64, rate, eps float64) {
	o.Parameters().Update(func(values [][]float32) {
		for k, v := range o.Program().Variables {
			if sums[k] == nil {
				sums[k] = make([]float64, len(values[k]))
			}
			for i, d := range g.Of(v).Dense {
				sums[k][i] += float64(d) * float64(d)
				values[k][i] -= float32(rate * float64(d) / (math.Sqrt(sums[k][i]) + eps))
			}
		}
	})
}

// requireNoPadding checks that nothing but the weights is other than zero.
func requireNoPadding(t *testing.T, n *Network) {
	nonzero := func(x []float32) int {
		return len(x) - len(slices.DeleteFunc(slices.Clone(x), func(v float32) bool { return v != 0 }))
	}
	for _, l := range []*layer{n.leaf, n.inner, n.class} {
		require.Equal(t, nonzero(l.unpack(l.w)), nonzero(l.w.Data))
		require.Equal(t, nonzero(l.w.Data), nonzero(l.wt.Data))
	}
	e := &n.embedding
	require.Equal(t, nonzero(e.rows(e.value)), nonzero(e.value))
}

func TestWorkersDoNotChangeLosses(t *testing.T) {
	c := Config{Vocab: 40, Embed: 20, Hidden: 12, Classes: 5, Workers: 1}
	o := newOracle(t, c)
	trees := mixed(c.Vocab)
	var want []float32
	for _, workers := range []int{1, 2, 4, 20} {
		c.Workers = workers
		n, err := New(c, o.parameters())
		require.NoError(t, err)
		scores := make([]float32, len(trees)*c.Classes)
		n.Infer(trees, scores)
		if want == nil {
			want = scores
		}
		require.Equal(t, want, scores, "rows do not depend on their batch")
	}
	n, err := New(c, o.parameters())
	require.NoError(t, err)
	require.Zero(t, n.Infer(nil, nil))
	require.Zero(t, n.Train(nil, 0.1, 1e-6))
	require.Equal(t, o.parameters(), n.Parameters())
}

func TestNewErrors(t *testing.T) {
	c := Config{Vocab: 40, Embed: 20, Hidden: 12, Classes: 5, Workers: 1}
	p := newOracle(t, c).parameters()
	_, err := New(Config{Vocab: 40, Embed: 20, Hidden: 12, Classes: 5}, p)
	require.ErrorContains(t, err, "0 workers")
	p.U = p.U[1:]
	_, err = New(c, p)
	require.ErrorContains(t, err, "1439 elements of U, want 1440")
}
