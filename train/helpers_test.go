package train_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
)

const (
	vocab   = 30
	hidden  = 6
	classes = 3
)

// tree is an example of the test model.
type tree struct{ Word, Left, Right, Label []int32 }

// treeModel is a recursive network with dropout: h = tanh(W [hl hr] + b) of words.
type treeModel struct {
	program  *graph.Program
	classify *recursion.SubGraph[models.BinaryTree, models.Scores]
}

func newTreeModel(t testing.TB) treeModel {
	t.Helper()
	m := graph.NewModule("trees")
	words := m.Var("E", graph.F32(vocab, hidden), graph.Uniform(0.5))
	w := m.Var("W", graph.F32(hidden, 2*hidden), graph.Xavier())
	b := m.Var("b", graph.F32(hidden), graph.Zeros())
	classify := models.Classify(m, "classify", hidden, classes, models.Cell[graph.Value]{
		State: graph.F32(hidden),
		Leaf:  func(word graph.Value) graph.Value { return ops.Dropout(ops.At(words, word), 0.3) },
		Join: func(l, r graph.Value) graph.Value {
			return ops.Tanh(ops.Add(ops.MatVec(w, ops.Concat(l, r)), b))
		},
		Hidden: func(h graph.Value) graph.Value { return h },
	})
	p, err := m.Build()
	require.NoError(t, err)
	return treeModel{p, classify}
}

func (m treeModel) session(t testing.TB, o exec.Options) *exec.Session {
	t.Helper()
	s, err := exec.New(m.program, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// gradients is a gradient run; its gradient of E is sparse.
func (m treeModel) gradients(t testing.TB, s *exec.Session, trees []tree) *exec.Gradients {
	t.Helper()
	encode, err := exec.Encoder[tree](m.classify)
	require.NoError(t, err)
	inputs := make([][]exec.Array, len(trees))
	for i, x := range trees {
		inputs[i], err = encode(x)
		require.NoError(t, err)
	}
	r, err := s.Gradients(t.Context(), m.classify.Graph(), inputs, exec.GradOptions{})
	require.NoError(t, err)
	return r.Gradients
}

func (m treeModel) trainer(t testing.TB, s *exec.Session, opt train.Optimizer, o train.Options) *train.Trainer[tree] {
	t.Helper()
	tr, err := train.NewTrainer[tree](s, m.classify, opt, o)
	require.NoError(t, err)
	return tr
}

func (m treeModel) variable(name string) *graph.Variable { return m.program.Variable(name) }

// randomTrees returns trees of up to 9 leaves. The class of a node is that of its
// leftmost word, so it can be learnt.
func randomTrees(seed uint64, n int) []tree {
	rng := rand.New(rand.NewPCG(seed, 0))
	trees := make([]tree, n)
	for i := range trees {
		trees[i].grow(rng, 1+rng.IntN(9))
	}
	return trees
}

func leaf(word int32) tree {
	return tree{[]int32{word}, []int32{-1}, []int32{-1}, []int32{word % classes}}
}

func (x *tree) grow(rng *rand.Rand, leaves int) (node, label int32) {
	word, left, right := int32(-1), int32(-1), int32(-1)
	if leaves == 1 {
		word = int32(rng.IntN(vocab))
		label = word % classes
	} else {
		k := 1 + rng.IntN(leaves-1)
		left, label = x.grow(rng, k)
		right, _ = x.grow(rng, leaves-k)
	}
	x.Word, x.Left, x.Right, x.Label = append(x.Word, word), append(x.Left, left), append(x.Right, right), append(x.Label, label)
	return int32(len(x.Word) - 1), label
}

// values copies all parameters.
func values(p *exec.Parameters) map[string][]float32 {
	all := map[string][]float32{}
	for _, v := range p.Program().Variables {
		all[v.Name] = p.Value(v)
	}
	return all
}

// stateOf is the state of an optimiser.
func stateOf(t testing.TB, o train.Optimizer, p *exec.Parameters) train.State {
	t.Helper()
	s, err := o.State(p)
	require.NoError(t, err)
	return s
}

// optimizers returns a new one of every kind, by name.
func optimizers() map[string]func() train.Optimizer {
	return map[string]func() train.Optimizer{
		"sgd":         func() train.Optimizer { return train.NewSGD(0.1) },
		"sgd l2":      func() train.Optimizer { return &train.SGD{LearningRate: 0.1, L2: 0.01} },
		"momentum":    func() train.Optimizer { return &train.SGD{LearningRate: 0.05, Momentum: 0.9} },
		"momentum l2": func() train.Optimizer { return &train.SGD{LearningRate: 0.05, Momentum: 0.9, L2: 0.01} },
		"adagrad":     func() train.Optimizer { return train.NewAdagrad(0.05) },
		"adagrad l2":  func() train.Optimizer { return &train.Adagrad{LearningRate: 0.05, Epsilon: 1e-8, L2: 0.01} },
		"adam":        func() train.Optimizer { return train.NewAdam(0.01) },
		"adam l2": func() train.Optimizer {
			return &train.Adam{LearningRate: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, L2: 0.01}
		},
	}
}

// lazy makes an optimiser change only the rows that have a gradient.
func lazy(o train.Optimizer) train.Optimizer {
	switch o := o.(type) {
	case *train.SGD:
		o.LazyRows = true
	case *train.Adagrad:
		o.LazyRows = true
	case *train.Adam:
		o.LazyRows = true
	}
	return o
}
