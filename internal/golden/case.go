package golden

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Case is a model with the weights of a file, examples, and what their execution
// must give.
type Case struct {
	Name     string
	Program  *graph.Program
	Graph    *graph.Graph
	Weights  [][]float64 // of every variable, by its index
	Examples []Example
	Forward  []Example // further ones, of which only the output is known

	Loss      float64    // of all Examples together
	Gradients []Gradient // of that loss
}

// Example is the input of one run and what the run must give.
type Example struct {
	Inputs        []*ops.Tensor
	Loss          float64
	Output        []float64 // the first result
	InputGradient []float64 // by the first input; nil when it is not known
	Calls         int       // invocations of subgraphs, the first one included
	Mapped        int       // invocations of the bodies of maps
	Depth         int       // as Calls, on the deepest path; 0 when it is not known

	checkTables func(t testing.TB, what string, got Outcome, tol Tolerance)
}

// Outcome is what a run gave.
type Outcome struct {
	Loss          float64
	Output        []float64
	InputGradient []float64
	Tables        map[string][]Row // ordered by key
}

// Row is a row that the run collected.
type Row struct {
	Key   int32
	Value []float64 // integers as well
}

// caseBuilders make the cases of the files whose results have gradients.
var caseBuilders = map[string]func(t testing.TB, f *File) []*Case{
	"treelstm_binary_e12_h10":   binaryTreeCases,
	"treelstm_binary_e300_h150": binaryTreeCases,
	"treernn":                   binaryTreeCases,
	"rntn":                      binaryTreeCases,
	"treelstm_childsum":         childSumCases,
	"topdown":                   topDownCases,
	"topdown_wide":              topDownCases,
	"gru_chain":                 gruCases,
	"dag":                       dagCases,
}

// EachCase runs a subtest for every case of every file whose results have
// gradients. Its name is that of the file, followed by that of the case where the
// file has several.
func EachCase(t *testing.T, test func(t *testing.T, c *Case)) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(caseBuilders)) {
		t.Run(name, func(t *testing.T) {
			cases := Load(t, name).Cases(t)
			if len(cases) == 1 {
				test(t, cases[0])
				return
			}
			for _, c := range cases {
				t.Run(c.Name, func(t *testing.T) { test(t, c) })
			}
		})
	}
}

// Cases builds the models of the file.
func (f *File) Cases(t testing.TB) []*Case {
	t.Helper()
	build := caseBuilders[f.Name]
	if build == nil {
		t.Fatalf("golden %s: not a file of models with gradients", f.Name)
	}
	return build(t, f)
}

// newCase builds the module that add fills. The model is the graph called model,
// its variables are params.
func (f *File) newCase(t testing.TB, model string, params Arrays, add func(m *graph.Module)) *Case {
	t.Helper()
	m := graph.NewModule(model)
	add(m)
	p, err := m.Build()
	if err != nil {
		t.Fatalf("golden %s: %v", f.Name, err)
	}
	c := &Case{Name: model, Program: p, Graph: p.Graph(model), Weights: make([][]float64, len(p.Variables))}
	if len(params) != len(p.Variables) {
		t.Fatalf("golden %s: the model has %d variables, the file %d", f.Name, len(p.Variables), len(params))
	}
	for _, v := range p.Variables {
		a := params.Find(t, v.Name)
		if a.Size() != v.Type.Size() {
			t.Fatalf("golden %s: variable %s is %v, in the file %v", f.Name, v.Name, v.Type, a.Shape)
		}
		c.Weights[v.Index] = f.Values(a)
	}
	return c
}

// Check reports how the outcome of a run with gradients differs from what is known.
func (e *Example) Check(t testing.TB, what string, got Outcome, tol Tolerance) {
	t.Helper()
	CheckLoss(t, what, got.Loss, e.Loss, tol)
	CheckValues(t, what+": output", got.Output, e.Output, tol)
	if e.InputGradient != nil {
		CheckValues(t, what+": gradient by the input", got.InputGradient, e.InputGradient, tol)
	}
	if e.checkTables != nil {
		e.checkTables(t, what, got, tol)
	}
}

// CheckTotal reports how the loss of all examples and its gradients, which the
// function returns per variable, differ from what is known.
func (c *Case) CheckTotal(t testing.TB, loss float64, gradient func(v *graph.Variable) []float64, tol Tolerance) {
	t.Helper()
	CheckLoss(t, "all examples", loss, c.Loss, tol)
	for _, want := range c.Gradients {
		CheckGradient(t, gradient(c.Program.Variable(want.Name)), want, tol)
	}
}

// tensorsOf makes inputs of lists of integers.
func tensorsOf(lists ...[]int32) []*ops.Tensor {
	tensors := make([]*ops.Tensor, len(lists))
	for i, l := range lists {
		tensors[i] = &ops.Tensor{DType: graph.Int32, Shape: []int{len(l)}, I: l}
	}
	return tensors
}

func float(x float64) *ops.Tensor {
	return &ops.Tensor{DType: graph.Float32, F: []float64{x}}
}

// tensor returns an input that follows the formula.
func (f *File) tensor(a Array) *ops.Tensor {
	return &ops.Tensor{DType: graph.Float32, Shape: a.Shape, F: f.Values(a)}
}

// crossEntropy is -ln of the probability of a class.
func crossEntropy(logits []float64, class int) float64 {
	sum := 0.0
	for _, x := range logits {
		sum += math.Exp(x)
	}
	return math.Log(sum) - logits[class]
}
