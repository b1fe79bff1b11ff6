package devicetest

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// parts are operators that move, repeat and cut elements.
func (all *cases) parts() {
	slice := func(axis, from, to int) build {
		return one(func(x graph.Value) graph.Value { return ops.Slice(x, axis, from, to) })
	}
	all.add("slice", slice(0, 1, 3), 4, signature{f32(5)}, signature{f32(4, 3)}, signature{i32(4)})
	all.add("slice", slice(-1, 1, 3), 4, signature{f32(2, 5)}, signature{f32(2, 2, 4)}, signature{f32(anyLength, 4)}, signature{f32(anyLength, 2, 3)})
	pad := func(axis, from, extent int) build {
		return one(func(x graph.Value) graph.Value { return ops.Pad(x, axis, from, extent) })
	}
	all.add("pad", pad(0, 1, 6), 4, signature{f32(3)}, signature{f32(3, 2)}, signature{i32(3, 2)})
	all.add("pad", pad(-1, 2, 7), 4, signature{f32(3, 5)}, signature{f32(anyLength, 3)}, signature{f32(anyLength, 2, 4)})
	concat := func(in []graph.Value) graph.Value { return ops.Concat(in...) }
	all.add("concat", concat, 4, signature{f32(3), f32(1), f32(2)}, signature{f32(2, 3), f32(2, 1)}, signature{f32(anyLength, 3), f32(anyLength, 2)},
		signature{f32(3), f32(anyLength, 2), f32(1)}, signature{i32(2, 3), i32(2, 1)})
	first := func(in []graph.Value) graph.Value { return ops.ConcatAxis(0, in...) }
	all.add("concat", first, 4, signature{f32(2, 3), f32(1, 3)})
	all.add("stack", func(in []graph.Value) graph.Value { return ops.Stack(in...) }, 4, signature{f32(3), f32(3)}, signature{f32(), f32(), f32()}, signature{f32(2, 3), f32(2, 3)})
	reshape := one(func(x graph.Value) graph.Value { return ops.Reshape(x, 6) })
	all.add("reshape", reshape, 4, signature{f32(2, 3)}, signature{i32(2, 3)})
	all.add("reshape", one(func(x graph.Value) graph.Value { return ops.Reshape(x, anyLength, 2, 3) }), 4, signature{f32(anyLength, 6)})
	all.add("transpose", one(func(x graph.Value) graph.Value { return ops.Transpose(x) }), 4, signature{f32(3, 5)}, signature{f32(2, 3, 4)}, signature{i32(2, 3)})
	all.add("transpose", one(func(x graph.Value) graph.Value { return ops.Transpose(x, 1, 0, 2) }), 4, signature{f32(2, 3, 4)})
	all.add("transpose", one(func(x graph.Value) graph.Value { return ops.Transpose(x, 0, 2, 1) }), 4, signature{f32(anyLength, 3, 4)})
	all.add("broadcast", one(func(x graph.Value) graph.Value { return ops.BroadcastTo(x, 3, 5) }), 4, signature{f32(5)}, signature{f32(3, 1)}, signature{f32()})
	all.add("like", one(func(x graph.Value) graph.Value { return ops.Add(x, ops.OnesLike(x), ops.ZerosLike(x)) }), 4, signature{f32(5)}, signature{f32(anyLength, 3)})
}

// indices are operators with integers that say where.
func (all *cases) indices() {
	all.add("at", two(ops.At), 3, signature{f32(5, 3), i32()}, signature{f32(5), i32()}, signature{f32(3, 2, 2), i32()}, signature{f32(4, 3), i32(6)},
		signature{f32(4, 3), i32(2, 3)}, signature{f32(4, 3), i32(anyLength)}, signature{f32(4), i32(anyLength)}, signature{f32(4, 3), i32(anyLength, 2)},
		signature{i32(4), i32()}, signature{i32(4, 2), i32(anyLength)}, signature{boolean(4), i32(3)})
	all.add("at", two(ops.At), 1, signature{f32(anyLength, 3), i32()}, signature{f32(anyLength), i32(3)}, signature{i32(anyLength), i32()}, signature{i32(anyLength, 2), i32(2)}).nonempty()
	all.add("at", two(ops.At), 1, signature{f32(anyLength, 3), i32(anyLength)})
	all.add("scatter_at", three(ops.ScatterAt), 4, signature{f32(2), i32(), f32(4, 2)}, signature{f32(6, 2), i32(6), f32(4, 2)}, signature{f32(2, 3, 2), i32(2, 3), f32(4, 2)},
		signature{f32(anyLength, 2), i32(anyLength), f32(4, 2)}, signature{f32(anyLength, 3, 2), i32(anyLength, 3), f32(4, 2)})
	all.add("scatter_at", three(ops.ScatterAt), 1, signature{f32(3), i32(), f32(anyLength, 3)}, signature{f32(5, 3), i32(5), f32(anyLength, 3)}).nonempty()
	all.add("one_hot", one(func(x graph.Value) graph.Value { return ops.OneHot(x, 4) }), 4, signature{i32()}, signature{i32(3)}, signature{i32(anyLength)})
}

// names are operators that only rename elements of lists, and their gradients.
func (all *cases) names() {
	list := func(in []graph.Value) graph.Value { return ops.List(in...) }
	all.add("list", list, 4, signature{f32(3), f32(3)}, signature{f32(), f32(), f32()})
	all.add("join", func(in []graph.Value) graph.Value { return ops.Join(in...) }, 4, signature{f32(anyLength, 3), f32(anyLength, 3)})
	all.add("span", three(ops.Span), 1, signature{f32(anyLength, 3), i32(), i32()}).nonempty()
	all.add("len", one(ops.Len), 4, signature{f32(anyLength, 3)})
	all.add("range", one(ops.Range), 4, signature{i32()})
	all.add("same_length", func(in []graph.Value) graph.Value { return ops.SameLength(in...) }, 4, signature{f32(anyLength), i32(anyLength)})
}
