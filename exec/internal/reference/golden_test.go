package reference_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/internal/reference"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/golden"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// goldenModel is a model whose variables have the values of a golden file.
type goldenModel struct {
	file  *golden.File
	graph *graph.Graph
	vars  map[*graph.Variable]*ops.Tensor
	total *reference.Result // sums of losses and gradients over all runs
}

func newGoldenModel(t *testing.T, file *golden.File, params golden.Arrays, name string, add func(m *graph.Module)) *goldenModel {
	t.Helper()
	m := graph.NewModule(name)
	add(m)
	p, err := m.Build()
	require.NoError(t, err)
	return newGoldenProgram(t, file, params, p, name)
}

func newGoldenProgram(t *testing.T, file *golden.File, params golden.Arrays, p *graph.Program, name string) *goldenModel {
	t.Helper()
	g := &goldenModel{file: file, graph: p.Graph(name), vars: map[*graph.Variable]*ops.Tensor{},
		total: &reference.Result{VarGrads: map[*graph.Variable]*ops.Tensor{}}}
	require.Len(t, p.Variables, len(params))
	for _, a := range params {
		v := p.Variable(a.Name)
		require.NotNil(t, v, a.Name)
		x := ops.NewTensor(graph.Float32, v.Type.Shape...)
		values := file.Values(a)
		require.Len(t, values, len(x.F), a.Name)
		copy(x.F, values)
		g.vars[v] = x
		g.total.VarGrads[v] = ops.NewTensor(graph.Float32, v.Type.Shape...)
	}
	return g
}

// run differentiates the loss for one example and adds it to the total.
func (g *goldenModel) run(t *testing.T, o reference.Options, in ...*ops.Tensor) *reference.Result {
	t.Helper()
	r, err := reference.Run(context.Background(), o, reference.Request{Graph: g.graph, Inputs: in, Vars: g.vars, Grad: true})
	require.NoError(t, err)
	g.total.Loss += r.Loss
	for v, x := range r.VarGrads {
		for i, d := range x.F {
			g.total.VarGrads[v].F[i] += d
		}
	}
	return r
}

func (g *goldenModel) checkGradients(t *testing.T, want []golden.Gradient, tol golden.Tolerance) {
	t.Helper()
	require.Len(t, want, len(g.vars))
	for v, x := range g.total.VarGrads {
		for _, w := range want {
			if w.Name == v.Name {
				golden.CheckGradient(t, x.F, w, tol)
			}
		}
	}
}

func (g *goldenModel) input(t *testing.T, name string) *ops.Tensor {
	a := g.file.Inputs.Find(t, name)
	return floats(a.Shape, g.file.Values(a)...)
}

func TestGoldenBinaryTrees(t *testing.T) {
	for name, add := range map[string]func(m *graph.Module, dims map[string]int){
		"treelstm_binary_e12_h10": addTreeLSTM,
		"treernn": func(m *graph.Module, dims map[string]int) {
			models.NewTreeRNN(m, models.TreeRNNConfig{Vocab: dims["vocab"], Hidden: dims["d"], Classes: dims["classes"]})
		},
		"rntn": func(m *graph.Module, dims map[string]int) {
			models.NewRNTN(m, models.TreeRNNConfig{Vocab: dims["vocab"], Hidden: dims["d"], Classes: dims["classes"]})
		},
	} {
		t.Run(name, func(t *testing.T) {
			testBinaryTrees(t, name, add, reference.Options{}, golden.Float64)
		})
	}
}

// Rounding to float32 after every operator must stay within what executions in
// float32 are allowed.
func TestGoldenBinaryTreesFloat32(t *testing.T) {
	testBinaryTrees(t, "treelstm_binary_e12_h10", addTreeLSTM, reference.Options{Float32: true}, golden.Float32)
}

func TestGoldenBinaryTreesOfRealSize(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	testBinaryTrees(t, "treelstm_binary_e300_h150", addTreeLSTM, reference.Options{}, golden.Float64)
}

func addTreeLSTM(m *graph.Module, dims map[string]int) {
	models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: dims["vocab"], Embed: dims["embedding"], Hidden: dims["hidden"], Classes: dims["classes"]})
}

func testBinaryTrees(t *testing.T, name string, add func(*graph.Module, map[string]int), o reference.Options, tol golden.Tolerance) {
	file := golden.Load(t, name)
	var want golden.Trained
	file.Decode(t, &want)
	model, _, _ := strings.Cut(name, "_")
	g := newGoldenModel(t, file, file.Params, model, func(m *graph.Module) { add(m, file.Dims) })
	trees := file.Trees(t)
	require.Len(t, trees, len(want.LossPerItem))
	for i, tree := range trees {
		r := g.run(t, o, ints(tree.Word...), ints(tree.Left...), ints(tree.Right...), ints(tree.Label...))
		golden.CheckLoss(t, "tree", r.Loss, want.LossPerItem[i], tol)
		golden.CheckValues(t, "root", r.Results[0].F, want.RootLogits[i], tol)
		rows := r.Tables["logits"]
		require.Len(t, rows, len(tree.Word))
		for j, row := range rows {
			require.Equal(t, int32(j), row.Key)
		}
		assert.Equal(t, r.Results[0], rows[len(rows)-1].Value)
		assert.Equal(t, len(tree.Word)+1, r.Calls, "the model and one call per node")
		if i == 0 && want.FirstTree != nil {
			checkNodeLosses(t, rows, want.FirstTree, tol)
		}
	}
	golden.CheckLoss(t, "all trees", g.total.Loss, want.TotalLoss, tol)
	g.checkGradients(t, want.Gradients, tol)
}

// checkNodeLosses computes every node's cross-entropy from the collected logits.
func checkNodeLosses(t *testing.T, rows []reference.Row, want []golden.Node, tol golden.Tolerance) {
	t.Helper()
	require.Len(t, rows, len(want))
	for i, node := range want {
		sum := 0.0
		for _, x := range rows[i].Value.F {
			sum += math.Exp(x)
		}
		golden.CheckLoss(t, "node", math.Log(sum)-rows[i].Value.F[node.Label], node.Loss, tol)
	}
}

func TestGoldenChildSum(t *testing.T) {
	file := golden.Load(t, "treelstm_childsum")
	var want golden.Trained
	file.Decode(t, &want)
	g := newGoldenModel(t, file, file.Params, "similarity", func(m *graph.Module) {
		models.NewChildSum(m, models.ChildSumConfig{Vocab: file.Dims["vocab"], Embed: file.Dims["embedding"],
			Hidden: file.Dims["hidden"], Similarity: file.Dims["similarity_hidden"], Classes: file.Dims["classes"]})
	})
	for i, p := range file.Pairs(t) {
		r := g.run(t, reference.Options{}, ints(p.A.Word...), ints(p.A.Start...), ints(p.A.Child...),
			ints(p.B.Word...), ints(p.B.Start...), ints(p.B.Child...), scalar(p.Score))
		golden.CheckLoss(t, "pair", r.Loss, want.LossPerItem[i], golden.Float64)
		golden.CheckValues(t, "probabilities", r.Results[0].F, want.Probabilities[i], golden.Float64)
	}
	golden.CheckLoss(t, "all pairs", g.total.Loss, want.TotalLoss, golden.Float64)
	g.checkGradients(t, want.Gradients, golden.Float64)
}

func TestGoldenTopDown(t *testing.T) {
	for _, name := range []string{"topdown", "topdown_wide"} {
		t.Run(name, func(t *testing.T) {
			file := golden.Load(t, name)
			var want golden.Trained
			file.Decode(t, &want)
			g := newGoldenModel(t, file, file.Params, "topdown", func(m *graph.Module) {
				models.NewTopDown(m, models.TopDownConfig{Hidden: file.Dims["d"], Out: file.Dims["out"], MaxDepth: file.Dims["max_depth"]})
			})
			for i, loss := range want.LossPerItem {
				item := string(rune('0' + i))
				r := g.run(t, reference.Options{}, g.input(t, "h0_"+item), g.input(t, "t_"+item))
				golden.CheckLoss(t, "item "+item, r.Loss, loss, golden.Float64)
				golden.CheckValues(t, "output", r.Results[0].F, want.Outputs[i], golden.Float64)
				golden.CheckValues(t, "gradient of h0", r.InputGrads[0].F, want.InputGradients[i], golden.Float64)
				assert.Equal(t, want.Shapes[i], shapeOf(r.Tables["split"]))
				assert.Equal(t, want.Nodes[i]+1, r.Calls, "the model and the calls of grow")
			}
			golden.CheckLoss(t, "all items", g.total.Loss, want.TotalLoss, golden.Float64)
			g.checkGradients(t, want.Gradients, golden.Float64)
		})
	}
}

// shapeOf lists the splits in the order of the calls, left before right.
func shapeOf(rows []reference.Row) string {
	split := map[int32]bool{}
	for _, r := range rows {
		split[r.Key] = r.Value.I[0] != 0
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
	return b.String()
}

func TestGoldenGRUChain(t *testing.T) {
	type result struct {
		Loss      float64
		Gradients []golden.Gradient
	}
	file := golden.Load(t, "gru_chain")
	var want struct {
		Last, All result
		States    []struct {
			N int
			H []float64
		}
	}
	file.Decode(t, &want)
	d, n, step, vocab := file.Dims["d"], file.Dims["N"], file.Dims["m"], file.Dims["K"]
	words := make([]int32, n)
	for i := range words {
		words[i] = int32(((i+1)*(i+1) + step*(i+1)) % vocab)
	}
	for name, w := range map[string]result{"last": want.Last, "all": want.All} {
		g := newGoldenModel(t, file, file.Params, "gru", func(m *graph.Module) {
			models.NewGRU(m, models.GRUConfig{Vocab: vocab, Embed: d, Hidden: d, EveryState: name == "all"})
		})
		for _, s := range want.States[:len(want.States)-1] {
			r, err := reference.Run(context.Background(), reference.Options{},
				reference.Request{Graph: g.graph, Vars: g.vars, Inputs: []*ops.Tensor{ints(words[:s.N]...), g.input(t, "t")}})
			require.NoError(t, err)
			golden.CheckValues(t, "state", r.Results[0].F, s.H, golden.Float64)
		}
		r := g.run(t, reference.Options{}, ints(words...), g.input(t, "t"))
		golden.CheckLoss(t, name, r.Loss, w.Loss, golden.Float64)
		golden.CheckValues(t, "last state", r.Results[0].F, want.States[len(want.States)-1].H, golden.Float64)
		assert.Equal(t, n+2, r.Depth)
		g.checkGradients(t, w.Gradients, golden.Float64)
	}
}

func TestGoldenDAG(t *testing.T) {
	file := golden.Load(t, "dag")
	var want struct {
		Cases []struct {
			Name           string
			Dims           map[string]int
			Params, Inputs golden.Arrays
			Children       [][2]int32
			CallsPlain     int `json:"calls_plain"`
			Loss           float64
			Root           []float64
			Gradients      []golden.Gradient
		}
	}
	file.Decode(t, &want)
	for _, c := range want.Cases {
		for _, unfold := range []bool{true, false} {
			file.Inputs = c.Inputs
			g := newGoldenModel(t, file, c.Params, "dag", func(m *graph.Module) {
				models.NewDAG(m, models.DAGConfig{Leaves: c.Dims["leaves"], Hidden: c.Dims["d"], Unfold: unfold})
			})
			var word, left, right []int32
			for i := range int32(c.Dims["nodes"]) {
				if i < int32(c.Dims["leaves"]) {
					word, left, right = append(word, i), append(left, -1), append(right, -1)
				} else {
					children := c.Children[i-int32(c.Dims["leaves"])]
					word, left, right = append(word, -1), append(left, children[0]), append(right, children[1])
				}
			}
			r := g.run(t, reference.Options{}, ints(word...), ints(left...), ints(right...), g.input(t, "t"))
			golden.CheckLoss(t, c.Name, r.Loss, c.Loss, golden.Float64)
			golden.CheckValues(t, c.Name, r.Results[0].F, c.Root, golden.Float64)
			g.checkGradients(t, c.Gradients, golden.Float64)
			if unfold {
				assert.Equal(t, c.CallsPlain+1, r.Calls)
			} else {
				assert.Equal(t, c.Dims["nodes"]+2, r.Calls, "the model and a loop over the nodes")
			}
		}
	}
}

// A program that was printed and parsed computes what the original does.
func TestGoldenParsedPrograms(t *testing.T) {
	file := golden.Load(t, "treelstm_binary_e12_h10")
	var want golden.Trained
	file.Decode(t, &want)
	m := graph.NewModule("treelstm")
	addTreeLSTM(m, file.Dims)
	p, err := m.Build()
	require.NoError(t, err)
	parsed, err := graph.Parse(strings.NewReader(p.String()), recursion.Registry())
	require.NoError(t, err)
	g := newGoldenProgram(t, file, file.Params, parsed, "treelstm")
	for _, tree := range file.Trees(t) {
		g.run(t, reference.Options{}, ints(tree.Word...), ints(tree.Left...), ints(tree.Right...), ints(tree.Label...))
	}
	golden.CheckLoss(t, "all trees", g.total.Loss, want.TotalLoss, golden.Float64)
	g.checkGradients(t, want.Gradients, golden.Float64)
}

func TestGoldenIntegers(t *testing.T) {
	file := golden.Load(t, "integers")
	for _, c := range file.Integers(t) {
		for i, args := range c.Args {
			in := make([]*ops.Tensor, len(args))
			for k, a := range args {
				in[k] = integer(a)
			}
			r := run(t, c.Graph, in...)
			assert.Equal(t, c.Value[i], r.Results[0].I[0], "%s%v", c.Name, args)
			assert.Equal(t, c.Calls[i], r.Calls, "calls of %s%v", c.Name, args)
			assert.Equal(t, c.Depth[i], r.Depth, "depth of %s%v", c.Name, args)
		}
	}
}

func TestGoldenTreeStats(t *testing.T) {
	file := golden.Load(t, "integers")
	want, g := file.TreeStats(t)
	for i, tree := range file.Trees(t) {
		r := run(t, g, ints(tree.Left...), ints(tree.Right...), ints(tree.Label...))
		for k, w := range []int32{want.Depth[i], want.LabelSum[i], want.Leaves[i], want.Nodes[i]} {
			assert.Equal(t, w, r.Results[k].I[0], "tree %d, result %d", i, k)
		}
		assert.Equal(t, int(want.Depth[i])+2, r.Depth)
	}
}
