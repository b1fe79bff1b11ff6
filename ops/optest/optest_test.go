package optest

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// square is x² with mistakes that can be switched on.
type square struct {
	fault fault
}

type fault int

const (
	correct fault = iota
	wrongEval
	wrongKernel
	wrongShape
	wrongGradient
	noGradient
	noLowering
	twoLowerings
	writesBeside
	forgetsRow
	writesInput
	usesBatch
	ignoresIndex
	ignoresStride
	allocates
	wrongElements
	wrongAdd
)

func (square) Name() string        { return "square-test" }
func (square) Attrs() []graph.Attr { return nil }

func (square) Infer(in []graph.Type) ([]graph.Type, error) { return in, nil }

func (op square) Eval(in []*ops.Tensor) (*ops.Tensor, error) {
	y := in[0].Clone()
	for i, x := range y.F {
		y.F[i] = x * x
	}
	switch op.fault {
	case wrongEval:
		return nil, errors.New("wrong")
	case wrongShape:
		y.Shape = append(y.Shape, 1)
	}
	return y, nil
}

func (op square) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	two := double{}
	if op.fault == wrongGradient {
		return []graph.Value{ct}
	}
	return []graph.Value{graph.Apply(two, n.In[0], ct)}
}

func (op square) Lower(_ []graph.Type, out graph.Type) ops.Lowering {
	size := rowSize(out)
	low := ops.Lowering{Rows: func(b *ops.Batch) error { return op.kernel(b, size) }}
	switch op.fault {
	case noLowering:
		return ops.Lowering{}
	case twoLowerings:
		low.Window = &ops.Window{Size: size}
	}
	if !out.IsList() {
		low.Elements = op.elements()
	}
	return low
}

func (op square) elements() *ops.Elements {
	e := &ops.Elements{
		Map: func(dst, x []float32) {
			for i, v := range x {
				dst[i] = v * v
			}
		},
		AddMap: func(dst, x []float32) {
			for i, v := range x {
				dst[i] += v * v
			}
		},
	}
	switch op.fault {
	case wrongElements:
		e.Map = func(dst, x []float32) {
			clear(dst)
			for i, v := range x {
				dst[i] += v * v
			}
		}
	case wrongAdd:
		e.AddMap = e.Map
	}
	return e
}

var sink []float32

func (op square) kernel(b *ops.Batch, size int) error {
	in := b.In[0]
	switch op.fault {
	case ignoresIndex:
		in.Index = nil
	case ignoresStride:
		in.Stride = size
	case allocates:
		sink = make([]float32, size)
	}
	for i := range b.N {
		if op.fault == forgetsRow && i == 2 {
			continue
		}
		x, y := in.Row(i, size), b.Out.Row(i, size)
		for j, v := range x {
			y[j] = v * v
		}
		switch {
		case op.fault == wrongKernel:
			y[0] += 1e-4
		case op.fault == usesBatch && b.N > 1:
			y[0] = math.Nextafter32(y[0], 2)
		case op.fault == writesInput:
			x[0] = 0
		case op.fault == writesBeside && b.Out.Stride > size:
			b.Out.F[b.Out.At(i)+size] = 0
		}
	}
	return nil
}

// double is 2xy, the building block of the gradient.
type double struct{}

func (double) Name() string                                { return "double-test" }
func (double) Attrs() []graph.Attr                         { return nil }
func (double) Infer(in []graph.Type) ([]graph.Type, error) { return in[:1], nil }
func (double) Eval(in []*ops.Tensor) (*ops.Tensor, error) {
	y := in[0].Clone()
	for i, x := range y.F {
		y.F[i] = 2 * x * in[1].F[i]
	}
	return y, nil
}

func (double) Lower(_ []graph.Type, out graph.Type) ops.Lowering {
	size := rowSize(out)
	return ops.Lowering{Rows: func(b *ops.Batch) error {
		for i := range b.N {
			x, c, y := b.In[0].Row(i, size), b.In[1].Row(i, size), b.Out.Row(i, size)
			for j := range y {
				y[j] = 2 * x[j] * c[j]
			}
		}
		return nil
	}}
}

// plain hides the gradient rule of an operator.
type plain struct{ ops.Op }

func squareCase(f fault, t graph.Type) Case {
	return Case{Name: fmt.Sprint("square ", int(f), t), In: []graph.Type{t}, Build: func(_ *graph.Module, in []graph.Value) graph.Value {
		if f == noGradient {
			return graph.Apply(plain{square{}}, in[0])
		}
		return graph.Apply(square{f}, in[0])
	}}
}

func TestSuiteAcceptsCorrectOperator(t *testing.T) {
	for _, in := range []graph.Type{graph.T(graph.Float32), graph.T(graph.Float32, 4), graph.T(graph.Float32, graph.Any, 2, 3), graph.T(graph.Float32, graph.Any)} {
		c := squareCase(correct, in)
		require.NoError(t, checkForward(c))
		require.NoError(t, CheckGradient(c, nil))
		require.NoError(t, checkBatching(c))
	}
}

func TestSuiteFindsFaults(t *testing.T) {
	for f, want := range map[fault]string{
		wrongEval:     "wrong",
		wrongShape:    "Eval returns",
		wrongGradient: "the rule gives",
		noGradient:    "no gradient rule",
		noLowering:    "exactly one of",
		twoLowerings:  "exactly one of",
		wrongKernel:   "the kernel gives",
		writesBeside:  "beside its rows",
		forgetsRow:    "the kernel gives NaN",
		writesInput:   "writes to its inputs",
		usesBatch:     "depends on the batch",
		ignoresIndex:  "the kernel gives",
		ignoresStride: "the kernel gives",
		allocates:     "allocations per call",
	} {
		for _, in := range []graph.Type{graph.T(graph.Float32, 4), graph.T(graph.Float32, graph.Any, 4)} {
			assert.ErrorContains(t, Check(squareCase(f, in)), want, "%v", in)
		}
	}
	for f, want := range map[fault]string{wrongElements: "written over operand 0", wrongAdd: "adding"} {
		assert.ErrorContains(t, Check(squareCase(f, graph.T(graph.Float32, 4))), want)
	}
}

func TestCheckReportsUnregisteredOperator(t *testing.T) {
	err := Check(squareCase(correct, graph.T(graph.Float32, 4)))
	assert.ErrorContains(t, err, "registry: square-test is not registered")
	assert.NotContains(t, err.Error(), "gradient:")
}

func TestCaseRegistersItsOwnOperators(t *testing.T) {
	makes := func(op graph.Op) func([]graph.Attr) (graph.Op, error) {
		return func([]graph.Attr) (graph.Op, error) { return op, nil }
	}
	c := squareCase(correct, graph.T(graph.Float32, 4))
	c.Registry = map[string]func([]graph.Attr) (graph.Op, error){"square-test": makes(square{}), "double-test": makes(double{})}
	require.NoError(t, Check(c))
	c.Registry["square-test"] = makes(double{})
	assert.ErrorContains(t, Check(c), "want optest.square")
}

func TestCheckGradientWrapsBeforeDifferentiation(t *testing.T) {
	c := squareCase(correct, graph.T(graph.Float32, 3))
	err := CheckGradient(c, func(op graph.Op) graph.Op {
		if _, ok := op.(square); ok {
			return square{wrongGradient}
		}
		return op
	})
	assert.ErrorContains(t, err, "the rule gives")
	assert.ErrorIs(t, err, ErrGradient)
}

func TestCheckGradientNeedsSomethingToCheck(t *testing.T) {
	c := Case{Name: "integers", In: []graph.Type{graph.T(graph.Int32)}, Build: func(_ *graph.Module, in []graph.Value) graph.Value { return in[0] }}
	assert.ErrorContains(t, CheckGradient(c, nil), "NoGrad")
	c.NoGrad = true
	assert.NoError(t, CheckGradient(c, nil))
}

func TestCheckReportsBuildErrors(t *testing.T) {
	c := squareCase(correct, graph.T(graph.Float32))
	c.Build = func(m *graph.Module, _ []graph.Value) graph.Value {
		return m.Errorf("here", "%w: on purpose", graph.ErrShape)
	}
	require.ErrorIs(t, Check(c), graph.ErrShape)
}

func TestLengthsMustFitLists(t *testing.T) {
	c := squareCase(correct, graph.T(graph.Float32, graph.Any))
	c.Lengths = [][]int{{1, 2}}
	assert.ErrorContains(t, checkForward(c), "2 lengths [1 2] for 1 lists")
}

func TestKernelRunsFrames(t *testing.T) {
	in := []graph.Type{graph.T(graph.Float32, graph.Any, 2)}
	got, err := Kernel(square{}, in,
		[]*ops.Tensor{F(Dims(1, 2), 3, -2)},
		[]*ops.Tensor{F(Dims(0, 2))},
		[]*ops.Tensor{F(Dims(2, 2), 1, 2, 3, 4)})
	require.NoError(t, err)
	assert.Equal(t, []*ops.Tensor{F(Dims(1, 2), 9, 4), {DType: graph.Float32, Shape: Dims(0, 2), F: []float64{}}, F(Dims(2, 2), 1, 4, 9, 16)}, got)

	_, err = Kernel(square{}, in, []*ops.Tensor{F(Dims(2), 1, 2)})
	assert.ErrorContains(t, err, "want f32[? 2]")
}

func TestEvalRefusesWrongInputs(t *testing.T) {
	g, err := squareCase(correct, graph.T(graph.Float32, 2)).build(nil)
	require.NoError(t, err)
	_, err = Eval(g, nil)
	assert.ErrorContains(t, err, "0 inputs for 1 parameters")
	_, err = Eval(g, []*ops.Tensor{F(Dims(3), 1, 2, 3)})
	assert.ErrorContains(t, err, "f32[3], want f32[2]")
	out, err := Eval(g, []*ops.Tensor{F(Dims(2), 3, -1)})
	require.NoError(t, err)
	assert.Equal(t, []float64{9, 1}, out[0].F)
	grads, err := Grad(g, []*ops.Tensor{F(Dims(2), 3, -1)}, []*ops.Tensor{F(Dims(2), 1, 10)})
	require.NoError(t, err)
	assert.Equal(t, []float64{6, -20}, grads[0].F)
}
