package cuda_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// The bits of a frame do not depend on the frames beside it, and are the same each time.
func TestBitsOfFrames(t *testing.T) {
	b := newBench(t)
	for _, o := range b.operatorsWithSums() {
		var frames [][]*ops.Tensor
		for n := 1; n <= 5; n++ { // elements of lists
			var frame []*ops.Tensor
			for _, x := range o.In {
				frame = append(frame, b.tensor(x, n, 2))
			}
			frames = append(frames, frame)
		}
		var alone []float32
		for f := range frames {
			alone = append(alone, b.compute(o, frames[f:f+1])...)
		}
		together := fmt.Sprint(o.Op.Name(), o.Op.Attrs(), o.In)
		require.Equal(t, alone, b.compute(o, frames), together)
		require.Equal(t, alone, b.compute(o, frames), together)
	}
}

// operatorsWithSums returns operators of which an order of summands could be seen.
func (b *bench) operatorsWithSums() []device.Operator {
	sum := func(axes ...int) func(v []graph.Value) graph.Value {
		return func(v []graph.Value) graph.Value { return ops.Sum(v[0], axes...) }
	}
	product := func(v []graph.Value) graph.Value { return ops.MatMulT(v[0], v[1]) }
	scatter := func(v []graph.Value) graph.Value { return ops.ScatterAt(v[0], v[1], v[2]) }
	softmax := func(axis int) func(v []graph.Value) graph.Value {
		return func(v []graph.Value) graph.Value { return ops.SoftmaxAxis(v[0], axis) }
	}
	loss := func(v []graph.Value) graph.Value { return ops.CrossEntropy(v[0], v[1]) }
	standard := ops.Registry()["normalize"]
	normalize, err := standard([]graph.Attr{{Key: "eps", Value: 1e-5}})
	require.NoError(b, err)
	integers := func(dims ...int) graph.Type { return graph.T(graph.Int32, dims...) }
	list := func(dims ...int) graph.Type { return f32(append([]int{graph.Any}, dims...)...) }
	return []device.Operator{
		b.operator(sum(0), f32(100)), b.operator(sum(0, 2), f32(3, 40, 5)), b.operator(sum(0), list(40)), b.operator(sum(0, 1), list(40)),
		b.operator(product, f32(3, 70), f32(5, 70)), b.operator(product, f32(70), f32(5, 70)), b.operator(product, list(3, 70), list(5, 70)),
		b.operator(scatter, f32(9, 40), integers(9), f32(4, 40)), b.operator(scatter, list(40), integers(graph.Any), f32(4, 40)),
		b.operator(softmax(0), f32(70, 3)), b.operator(softmax(1), f32(3, 70)), b.operator(softmax(0), list(5)),
		b.operator(loss, f32(3, 70), integers(3)), {Op: normalize, In: []graph.Type{f32(3, 70)}, Out: f32(3, 70)},
		operatorOf(b.listProduct()),
	}
}
