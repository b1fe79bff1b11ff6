package exec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// describe says how every variable of a program lies.
func describe(p *graph.Program) map[string]string {
	kinds := map[string]string{}
	for i, l := range findLayouts(p) {
		kind := "rows"
		switch {
		case l.packed && l.trans:
			kind = "panels of the transpose"
		case l.packed:
			kind = "panels"
		}
		kinds[p.Variables[i].Name] = kind
	}
	return kinds
}

// The weights of models lie in panels; what is looked up, added or multiplied
// otherwise does not.
func TestLayoutsOfModels(t *testing.T) {
	const rows, transposed = "rows", "panels of the transpose"
	for name, c := range map[string]struct {
		add  func(m *graph.Module)
		want map[string]string
	}{
		"treelstm": {func(m *graph.Module) {
			models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: 50, Embed: 20, Hidden: 10, Classes: 5})
		}, map[string]string{"E": rows, "W": transposed, "bW": rows, "U": transposed, "bU": rows, "Ws": transposed, "bs": rows}},
		"rntn": {func(m *graph.Module) {
			models.NewRNTN(m, models.TreeRNNConfig{Vocab: 50, Hidden: 10, Classes: 5})
		}, map[string]string{"E": rows, "V": rows, "W": transposed, "b": rows, "Ws": transposed, "bs": rows}},
		"gru": {func(m *graph.Module) {
			models.NewGRU(m, models.GRUConfig{Vocab: 50, Embed: 20, Hidden: 10})
		}, map[string]string{"E": rows, "Wz": transposed, "Uz": transposed, "bz": rows, "Wr": transposed, "Ur": transposed, "br": rows,
			"Wc": transposed, "Uc": transposed, "bc": rows}},
	} {
		t.Run(name, func(t *testing.T) {
			m := graph.NewModule(name)
			c.add(m)
			p, err := m.Build()
			require.NoError(t, err)
			assert.Equal(t, c.want, describe(p))
		})
	}
}

// matrixUses are ways to make a vector [20] of a matrix w [20 20] and a vector x [20],
// and how the matrix then lies.
var matrixUses = map[string]struct {
	want string
	use  func(m *graph.Module, w, x graph.Value) graph.Value
}{
	"product": {"panels", func(_ *graph.Module, w, x graph.Value) graph.Value {
		return ops.MatMul(x, w)
	}},
	"transposed": {"panels of the transpose", func(_ *graph.Module, w, x graph.Value) graph.Value {
		return ops.MatMulT(x, w)
	}},
	"two products": {"panels", func(_ *graph.Module, w, x graph.Value) graph.Value {
		return ops.MatMul(ops.Tanh(ops.MatMul(x, w)), w)
	}},
	"several rows": {"panels", func(_ *graph.Module, w, x graph.Value) graph.Value {
		return ops.Sum(ops.MatMul(ops.Stack(x, ops.Tanh(x)), w), 0)
	}},
	"list": {"panels of the transpose", func(_ *graph.Module, w, x graph.Value) graph.Value {
		return ops.Sum(ops.MatMulT(ops.List(x, ops.Tanh(x), x), w), 0)
	}},
	"both orientations": {"rows", func(_ *graph.Module, w, x graph.Value) graph.Value {
		return ops.MatMulT(ops.MatMul(x, w), w)
	}},
	"table and product": {"rows", func(m *graph.Module, w, x graph.Value) graph.Value {
		return ops.Add(ops.MatMul(x, w), ops.At(w, m.Int(3)))
	}},
	"matrix on the left": {"rows", func(_ *graph.Module, w, x graph.Value) graph.Value {
		return ops.Add(ops.Sum(ops.MatMul(w, w), 0), x)
	}},
	"product and penalty": {"rows", func(_ *graph.Module, w, x graph.Value) graph.Value {
		return ops.Add(ops.MatMul(x, w), ops.Sum(ops.Square(w)))
	}},
	"reshaped": {"rows", func(_ *graph.Module, w, x graph.Value) graph.Value {
		y := ops.MatMul(ops.Reshape(x, 2, 10), ops.Reshape(w, 10, 40))
		return ops.Sum(ops.Reshape(y, 4, 20), 0)
	}},
	"argument": {"rows", func(m *graph.Module, w, x graph.Value) graph.Value {
		type pair struct{ W, X graph.Value }
		f := recursion.Declare(m, "f", pair{graph.F32(20, 20), graph.F32(20)}, graph.F32(20))
		f.Define(func(p pair) graph.Value { return ops.MatMul(p.X, p.W) })
		return f.Invoke(pair{w, x})
	}},
}

// matrixProgram is a program around a use of a matrix; its loss is that of y [20].
func matrixProgram(t *testing.T, use func(m *graph.Module, w, x graph.Value) graph.Value) (*graph.Program, *graph.Graph) {
	t.Helper()
	m := graph.NewModule("matrix")
	w := m.Var("w", graph.F32(20, 20), graph.Xavier())
	f := recursion.Declare(m, "main", graph.F32(20), graph.F32(20))
	f.Define(func(x graph.Value) graph.Value {
		y := use(m, w, x)
		recursion.Loss(ops.Sum(ops.Square(ops.Tanh(y))))
		return y
	})
	p, err := m.Build()
	require.NoError(t, err)
	return p, f.Graph()
}

func randomVectors(rng *rand.Rand, n, size int) [][]Array {
	in := make([][]Array, n)
	for i := range in {
		x := Array{Shape: []int{size}}
		for range size {
			x.F = append(x.F, 2*rng.Float32()-1)
		}
		in[i] = []Array{x}
	}
	return in
}

// However a matrix lies, results and gradients are right, before and after it changes.
func TestMatricesAgainstReference(t *testing.T) {
	for name, c := range matrixUses {
		t.Run(name, func(t *testing.T) {
			p, g := matrixProgram(t, c.use)
			require.Equal(t, map[string]string{"w": c.want}, describe(p))
			in := randomVectors(rand.New(rand.NewPCG(1, 2)), 9, 20)
			oracle := session(t, p, Options{Reference: true, Float64: true})
			params, w := oracle.Parameters(), p.Variable("w")
			var all []*Session
			for _, o := range []Options{{Workers: 1}, {Workers: 2}, {Workers: 3, Deterministic: true}, {Workers: 1, Batching: BatchOff}, {Reference: true}} {
				o.Parameters = params
				all = append(all, session(t, p, o))
			}
			for range 3 {
				want, err := oracle.Gradients(t.Context(), g, in, GradOptions{})
				require.NoError(t, err)
				for _, s := range all {
					plain, err := s.Run(t.Context(), g, in)
					require.NoError(t, err)
					got, err := s.Gradients(t.Context(), g, in, GradOptions{})
					require.NoError(t, err)
					for i := range in {
						require.InDeltaSlice(t, want.Outputs[i][0].F, plain.Outputs[i][0].F, 1e-4)
						require.InDeltaSlice(t, want.Outputs[i][0].F, got.Outputs[i][0].F, 1e-4)
						require.InDeltaSlice(t, want.InputGrads[i][0].F, got.InputGrads[i][0].F, 1e-3)
					}
					require.InDeltaSlice(t, want.Gradients.Of(w).Full(), got.Gradients.Of(w).Full(), 1e-3)
				}
				descend(t, params, want.Gradients.Of(w))
			}
		})
	}
}

// descend makes a step in the layout of the variable, which is the same step.
func descend(t *testing.T, p *Parameters, g *Gradient) {
	t.Helper()
	want := p.Value(g.Variable)
	kernel.Axpy(want, g.Full(), -0.1)
	p.Update(func(values [][]float32) { kernel.Axpy(values[g.Variable.Index], g.Dense, -0.1) })
	require.Equal(t, want, p.Value(g.Variable))
}

func TestLayoutRoundTrip(t *testing.T) {
	for _, c := range []struct {
		rows, cols  int
		trans, some bool // some: there is padding
	}{{5, 3, false, true}, {5, 3, true, true}, {16, 32, false, false}, {32, 16, true, false}, {17, 33, false, true}, {1, 1, true, true}, {3, 0, false, false}, {0, 3, true, false}} {
		l := Layout{typ: graph.T(graph.Float32, c.rows, c.cols), packed: true, trans: c.trans}
		x := make([]float32, c.rows*c.cols)
		for i := range x {
			x[i] = float32(i + 1)
		}
		stored := make([]float32, l.Size())
		for i := range stored {
			stored[i] = float32(math.NaN())
		}
		l.Store(stored, x)
		assert.Equal(t, x, l.RowMajor(stored))
		zeros := 0
		for _, f := range stored {
			if f == 0 {
				zeros++
			}
		}
		assert.Equal(t, len(stored)-len(x), zeros, "padding of %+v", c)
		assert.Equal(t, c.some, zeros > 0)
	}
	rows := Layout{typ: graph.T(graph.Float32, 2, 3)}
	x, stored := []float32{1, 2, 3, 4, 5, 6}, make([]float32, rows.Size())
	rows.Store(stored, x)
	assert.Equal(t, x, rows.RowMajor(stored))
}

// What Set takes, and a program starts with, is what Value returns.
func TestParametersAreRowMajorOutside(t *testing.T) {
	p, _ := treeProgram(t, 30, 20, 10, 3)
	params := NewParameters(p, 4)
	for _, v := range p.Variables {
		assert.Equal(t, v.InitialValue(4), params.Value(v), v.Name)
		x := make([]float32, v.Type.Size())
		for i := range x {
			x[i] = float32(i)
		}
		require.NoError(t, params.Set(v, x))
		got := params.Value(v)
		assert.Equal(t, x, got, v.Name)
		got[0] = -1
		assert.Equal(t, x, params.Value(v), "%s: Value returns a copy", v.Name)
		require.ErrorIs(t, params.Set(v, x[1:]), ErrInput)
	}
}

// Narrow matrices may be padded as long as they are small.
func TestPaddingIsBounded(t *testing.T) {
	wide := graph.T(graph.Float32, 4000, 17)
	assert.True(t, variableReaders{plain: true}.layout(wide).packed)
	assert.True(t, variableReaders{plain: true}.layout(graph.T(graph.Float32, 1000, 1)).packed)
	assert.False(t, variableReaders{plain: true}.layout(graph.T(graph.Float32, 2000, 1)).packed)
	assert.True(t, variableReaders{transposed: true}.layout(graph.T(graph.Float32, 2000, 1)).packed)
}

// Whatever is in the padding, results and gradients have the same bits.
func TestPaddingHasNoInfluence(t *testing.T) {
	p, g := treeProgram(t, 30, 20, 10, 3)
	s := session(t, p, Options{Workers: 1})
	rng := rand.New(rand.NewPCG(3, 4))
	in := [][]Array{randomTree(rng, 9, 30, 3), randomTree(rng, 4, 30, 3)}
	execute := func() ([][]Array, [][]float32) {
		_, err := s.Run(t.Context(), g, in)
		require.NoError(t, err)
		r, err := s.Gradients(t.Context(), g, in, GradOptions{})
		require.NoError(t, err)
		var grads [][]float32
		r.Gradients.Each(func(d *Gradient) {
			grads = append(grads, append([]float32{}, d.Full()...), append([]float32{}, d.Dense...))
		})
		return r.Outputs, grads
	}
	outputs, grads := execute()
	padding := 0
	s.Parameters().Update(func(values [][]float32) {
		for _, v := range p.Variables {
			l := s.Parameters().Layout(v)
			marks := make([]float32, l.Size())
			l.Store(marks, ones(v.Type.Size()))
			for i, mark := range marks {
				if mark == 0 {
					values[v.Index][i] = float32(math.NaN())
					padding++
				}
			}
		}
	})
	require.Positive(t, padding)
	again, gradsAgain := execute()
	assert.Equal(t, outputs, again)
	assert.Equal(t, grads, gradsAgain)
}

func ones(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// Contributions that are no products reach a matrix that lies in panels too.
func TestGradientsOfAllKindsAddUp(t *testing.T) {
	p, _ := matrixProgram(t, matrixUses["transposed"].use)
	params, w := NewParameters(p, 1), p.Variable("w")
	l := params.Layout(w)
	product, whole, row := make([]float32, 400), make([]float32, 400), make([]float32, 20)
	for i := range product {
		product[i], whole[i] = float32(i), float32(1000*i)
	}
	for i := range row {
		row[i] = 0.5
	}
	for mask := range 8 {
		t.Run(fmt.Sprint(mask), func(t *testing.T) {
			g, want := newGradients(p), make([]float32, 400)
			if mask&1 != 0 {
				g.panels[0] = l.fromRowMajor(product)
				kernel.AddTo(want, product)
			}
			if mask&2 != 0 {
				g.addDenseRow(0, whole)
				kernel.AddTo(want, whole)
			}
			if mask&4 != 0 {
				g.addRow(0, 7, row)
				kernel.AddTo(want[140:160], row)
			}
			var grads Gradients
			g.result(params, &grads, false)
			require.Equal(t, mask == 0, grads.Of(w).Dense == nil)
			require.Empty(t, grads.Of(w).Rows)
			require.Equal(t, want, grads.Of(w).Full())
			g.reset()
			g.result(params, &grads, false)
			require.Nil(t, grads.Of(w).Dense, "reset forgets everything")
		})
	}
}
