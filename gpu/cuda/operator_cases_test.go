package cuda_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// bench executes operators on a device.
type bench struct {
	*testing.T
	device *cuda.Device
	stream device.Stream
	rng    *rand.Rand
}

func newBench(t *testing.T) *bench {
	d := emulated(t)
	s, err := d.NewStream()
	require.NoError(t, err)
	return &bench{t, d, s, rand.New(rand.NewPCG(1, 2))}
}

// operator returns the operator that a function applies last to values of some types.
func (b *bench) operator(build func(in []graph.Value) graph.Value, in ...graph.Type) device.Operator {
	b.Helper()
	m := graph.NewModule("m")
	specs := make([]graph.Value, len(in))
	for i, t := range in {
		specs[i] = graph.Spec(t)
	}
	var out graph.Value
	m.Declare("g", specs, nil).Define(nil, func(v []graph.Value) []graph.Value {
		out = build(v)
		return nil
	})
	_, err := m.Build()
	require.NoError(b, err)
	return operatorOf(out.Node())
}

// operatorOf returns the operator of a node.
func operatorOf(n *graph.Node) device.Operator {
	rule := n.Op.(ops.Op).Lower(n.InTypes(), n.Out[0])
	return device.Operator{Op: n.Op, In: n.InTypes(), Out: n.Out[0], Segments: rule.Segments != nil}
}

// tensor draws a tensor; lists have n elements, and integers are below limit.
func (b *bench) tensor(t graph.Type, n, limit int) *ops.Tensor {
	shape := slices.Clone(t.Shape)
	if t.IsList() {
		shape[0] = n
	}
	x := ops.NewTensor(t.DType, shape...)
	for i := range x.F {
		x.F[i] = float64(float32(2*b.rng.Float64() - 1))
	}
	for i := range x.I {
		x.I[i] = b.rng.Int32N(int32(limit))
	}
	return x
}

// rows puts the elements of tensors behind one another. The first one is all rows where
// they are shared.
func (b *bench) rows(t graph.Type, tensors []*ops.Tensor, shared bool) device.Rows {
	b.Helper()
	var words []int32
	for _, x := range tensors {
		for _, f := range x.F {
			words = append(words, int32(math.Float32bits(float32(f))))
		}
		words = append(words, x.I...)
	}
	buffer, err := b.stream.Alloc(max(1, len(words)))
	require.NoError(b, err)
	require.NoError(b, b.stream.UploadInts(buffer, 0, words))
	r := device.Rows{Buffer: buffer, Stride: t.Size()}
	if shared {
		r.Stride = 0
	}
	return r
}

// compute executes an operator on frames. Inputs that are not lists, beside lists whose
// elements are rows, are not among them.
func (b *bench) compute(o device.Operator, frames [][]*ops.Tensor, shared ...int) []float32 {
	b.Helper()
	k, err := b.device.Compile(o)
	require.NoError(b, err)
	c := &device.Call{N: len(frames)}
	segments := []int32{0}
	for _, frame := range frames {
		n := 0
		for i, t := range o.In {
			if t.IsList() {
				n = frame[i].Shape[0]
			}
		}
		segments = append(segments, segments[len(segments)-1]+int32(n))
	}
	c.Length = int(segments[len(frames)])
	buffer, err := b.stream.Alloc(len(segments))
	require.NoError(b, err)
	require.NoError(b, b.stream.UploadInts(buffer, 0, segments))
	c.Segments = device.Index{Buffer: buffer}
	if !o.Segments && slices.ContainsFunc(o.In, graph.Type.IsList) {
		c.N = c.Length
	}
	for i, t := range o.In {
		var column []*ops.Tensor
		for _, frame := range frames {
			column = append(column, frame[i])
		}
		c.In = append(c.In, b.rows(t, column, slices.Contains(shared, i)))
	}
	rows := c.N
	if o.Segments && o.Out.IsList() {
		rows = c.Length
	}
	size := rows * o.Out.Size()
	out, err := b.stream.Alloc(max(1, size))
	require.NoError(b, err)
	c.Out = device.Rows{Buffer: out, Stride: o.Out.Size()}
	require.NoError(b, b.stream.Launch(k, c))
	got := make([]float32, size)
	require.NoError(b, b.stream.DownloadFloats(got, out, 0))
	return got
}

// check compares an operator with its meaning in float64.
func (b *bench) check(o device.Operator, frames [][]*ops.Tensor, shared ...int) {
	b.Helper()
	got := b.compute(o, frames, shared...)
	var want []float64
	for _, frame := range frames {
		x, err := o.Op.(ops.Op).Eval(frame)
		require.NoError(b, err)
		want = append(want, x.F...)
		for _, i := range x.I {
			want = append(want, float64(math.Float32frombits(uint32(i))))
		}
	}
	require.Len(b, got, len(want))
	for i, w := range want {
		require.InDelta(b, w, float64(got[i]), 2e-5*(1+math.Abs(w)), "%s%v %v: element %d", o.Op.Name(), o.Op.Attrs(), o.In, i)
	}
}

// frames draws inputs for so many frames, with lists of 3, 0, 2, ... elements.
func (b *bench) frames(o device.Operator, n, limit int, shared ...int) [][]*ops.Tensor {
	frames := make([][]*ops.Tensor, n)
	for f := range frames {
		for i, t := range o.In {
			x := b.tensor(t, []int{3, 0, 2, 5}[f%4], limit)
			if f > 0 && slices.Contains(shared, i) {
				x = frames[0][i]
			}
			frames[f] = append(frames[f], x)
		}
	}
	return frames
}

func f32(dims ...int) graph.Type { return graph.T(graph.Float32, dims...) }

// More axes than a launch has are gone through one by one.
func TestOperatorsOfManyAxes(t *testing.T) {
	b := newBench(t)
	add := b.operator(func(v []graph.Value) graph.Value { return ops.Mul(v[0], v[1]) }, f32(2, 3, 2, 3, 2, 2), f32(2, 1, 2, 1, 2, 1))
	b.check(add, b.frames(add, 3, 1))
	transpose := b.operator(func(v []graph.Value) graph.Value { return ops.Transpose(v[0]) }, f32(2, 3, 2, 3, 2, 2))
	b.check(transpose, b.frames(transpose, 2, 1))
	lists := b.operator(func(v []graph.Value) graph.Value { return ops.Transpose(v[0], 0, 6, 2, 5, 1, 4, 3) }, f32(graph.Any, 2, 3, 2, 3, 2, 2))
	b.check(lists, b.frames(lists, 3, 1))
}

// Axes of all kinds are reduced, kept ones between them.
func TestReductionsOfAnyAxes(t *testing.T) {
	b := newBench(t)
	for _, axes := range [][]int{{0}, {1}, {2}, {3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}, {0, 1, 2, 3}, {0, 1}, {2, 3}} {
		for _, x := range []graph.Type{f32(2, 3, 4, 2), f32(graph.Any, 3, 4, 2), f32(2, 1, 4, 1)} {
			sum := b.operator(func(v []graph.Value) graph.Value { return ops.Sum(v[0], axes...) }, x)
			b.check(sum, b.frames(sum, 4, 1))
			largest := b.operator(func(v []graph.Value) graph.Value { return ops.MaxOver(v[0], axes...) }, x)
			var frames [][]*ops.Tensor
			for _, n := range []int{4, 1, 3} {
				frames = append(frames, []*ops.Tensor{b.tensor(x, n, 1)})
			}
			b.check(largest, frames)
			b.maxGradient(largest, frames)
		}
	}
}

// maxGradient checks the gradient of a maximum, in whose argument many are equal.
func (b *bench) maxGradient(o device.Operator, frames [][]*ops.Tensor) {
	b.Helper()
	newOp := ops.Registry()["max_grad"]
	op, err := newOp(o.Op.Attrs())
	require.NoError(b, err)
	for f, frame := range frames {
		x := frame[0]
		for i, v := range x.F {
			x.F[i] = math.Round(2 * v)
		}
		y, err := o.Op.(ops.Op).Eval(frame)
		require.NoError(b, err)
		ct := y.Clone()
		for i := range ct.F {
			ct.F[i] = float64(b.rng.Float32())
		}
		frames[f] = []*ops.Tensor{x, y, ct}
	}
	in := []graph.Type{o.In[0], o.Out, o.Out}
	b.check(device.Operator{Op: op, In: in, Out: o.In[0], Segments: o.Segments}, frames)
}

// Lists without elements and frames without lists' elements leave zeros.
func TestOperatorsOfNothing(t *testing.T) {
	b := newBench(t)
	for _, o := range []device.Operator{
		b.operator(func(v []graph.Value) graph.Value { return ops.Sum(v[0], 0) }, f32(graph.Any, 4)),
		b.operator(func(v []graph.Value) graph.Value { return ops.Sum(v[0], 0, 1) }, f32(graph.Any, 4)),
		b.operator(func(v []graph.Value) graph.Value { return ops.SoftmaxAxis(v[0], 0) }, f32(graph.Any, 4)),
		b.operator(func(v []graph.Value) graph.Value { return ops.Sum(v[0], 0) }, f32(0, 4)),
		b.operator(func(v []graph.Value) graph.Value { return ops.Tanh(v[0]) }, f32(0, 4)),
		b.operator(func(v []graph.Value) graph.Value { return ops.Pad(v[0], 0, 1, 3) }, f32(0, 4)),
		b.operator(func(v []graph.Value) graph.Value { return ops.ConcatAxis(0, v...) }, f32(0, 4), f32(2, 4)),
		b.operator(func(v []graph.Value) graph.Value { return ops.MatMul(v[0], v[1]) }, f32(0), f32(0, 4)),
		operatorOf(b.listProduct()),
	} {
		for _, n := range []int{0, 2} {
			frames := make([][]*ops.Tensor, n)
			for f := range frames {
				for _, x := range o.In {
					frames[f] = append(frames[f], b.tensor(x, 0, 1))
				}
			}
			b.check(o, frames)
		}
	}
}

// listProduct is the sum of the outer products of the elements of two lists.
func (b *bench) listProduct() *graph.Node {
	m := graph.NewModule("m")
	var out graph.Value
	m.Declare("g", []graph.Value{graph.Spec(f32(graph.Any, 2)), graph.Spec(f32(graph.Any, 3))}, nil).Define(nil, func(v []graph.Value) []graph.Value {
		out = graph.Apply(ops.MatMulOp{TransA: true}, v...)
		return nil
	})
	_, err := m.Build()
	require.NoError(b, err)
	return out.Node()
}

// Windows of rows are copies where somebody asks for them.
func TestOperatorsThatKeepElements(t *testing.T) {
	b := newBench(t)
	reshape := b.operator(func(v []graph.Value) graph.Value { return ops.Reshape(v[0], 3, 2) }, f32(2, 3))
	b.check(reshape, b.frames(reshape, 3, 1))
	slice := b.operator(func(v []graph.Value) graph.Value { return ops.Slice(v[0], 0, 1, 3) }, f32(4, 3))
	b.check(slice, b.frames(slice, 3, 1))
}

// A product has the same bits when rows share the matrix and when each has its own, and
// whatever rows are beside it.
func TestProductsOfSharedAndOwnMatrices(t *testing.T) {
	b := newBench(t)
	for _, in := range [][2]graph.Type{{f32(40), f32(40, 7)}, {f32(3, 40), f32(40, 7)}, {f32(1), f32(1, 5)}} {
		o := b.operator(func(v []graph.Value) graph.Value { return ops.MatMul(v[0], v[1]) }, in[0], in[1])
		frames := b.frames(o, 5, 1, 1)
		b.check(o, frames, 1)
		own := b.compute(o, frames)
		require.Equal(t, own, b.compute(o, frames, 1))
		require.Equal(t, own[:o.Out.Size()], b.compute(o, frames[:1]))
	}
	vector := b.operator(func(v []graph.Value) graph.Value { return ops.MatMulT(v[0], v[1]) }, f32(40), f32(7, 40))
	frames := b.frames(vector, 4, 1, 0)
	b.check(vector, frames, 0)
}

// Large matrices are multiplied one by one.
func TestProductsOfLargeMatrices(t *testing.T) {
	b := newBench(t)
	const n, d, h = 64, 130, 126 // 2^20 multiplications and some
	o := b.operator(func(v []graph.Value) graph.Value { return ops.MatMulT(v[0], v[1]) }, f32(2, n, d), f32(2, h, d))
	b.check(o, b.frames(o, 1, 1))
	one := b.operator(func(v []graph.Value) graph.Value { return ops.MatMulT(v[0], v[1]) }, f32(n, d), f32(h, d))
	b.check(one, b.frames(one, 2, 1, 0), 0)
}

func TestOperatorsWithoutKernel(t *testing.T) {
	b := newBench(t)
	list := f32(graph.Any, 4)
	sum := b.operator(func(v []graph.Value) graph.Value { return ops.Sum(v[0], 0) }, list)
	sum.Segments = false // which it is not
	for message, o := range map[string]device.Operator{
		"sum[f32[? 4]] -> f32[4]": sum,
		"add[i32[3] i32[3]] -> i32[3]": b.operator(func(v []graph.Value) graph.Value { return ops.Add(v[0], v[1]) },
			graph.T(graph.Int32, 3), graph.T(graph.Int32, 3)),
		"at[f32[? 4] i32] -> f32[4]": b.operator(func(v []graph.Value) graph.Value { return ops.At(v[0], v[1]) },
			list, graph.T(graph.Int32)),
		"tanh[f32[2]] -> f32[2]": {Op: impostor{b.operator(func(v []graph.Value) graph.Value { return ops.Exp(v[0]) }, f32(2)).Op.(ops.Op)},
			In: []graph.Type{f32(2)}, Out: f32(2)},
	} {
		_, err := b.device.Compile(o)
		require.ErrorIs(t, err, device.ErrNoKernel)
		require.ErrorContains(t, err, message)
	}
}

// impostor has the name of another operator.
type impostor struct{ ops.Op }

func (impostor) Name() string { return "tanh" }

func TestCallsThatCannotBe(t *testing.T) {
	b := newBench(t)
	o := b.operator(func(v []graph.Value) graph.Value { return ops.Mul(v[0], v[1]) }, f32(4), f32())
	k, err := b.device.Compile(o)
	require.NoError(t, err)
	row := b.rows(f32(4), []*ops.Tensor{b.tensor(f32(4), 0, 1)}, false)
	for _, c := range []*device.Call{
		{N: 1, In: []device.Rows{row}, Out: row},                                             // an operand is missing
		{N: -1, In: []device.Rows{row, row}, Out: row},                                       // no number of rows
		{N: 2, In: []device.Rows{row, row}, Out: row},                                        // more rows than there are
		{N: 1, In: []device.Rows{row, {}}, Out: row},                                         // no buffer
		{N: 1, In: []device.Rows{row, row}, Out: device.Rows{Offset: 1, Buffer: row.Buffer}}, // beyond the end
	} {
		require.ErrorIs(t, b.stream.Launch(k, c), gpu.ErrArgument)
	}
	require.NoError(t, b.stream.Launch(k, &device.Call{N: 1, In: []device.Rows{row, row}, Out: row}))
}
