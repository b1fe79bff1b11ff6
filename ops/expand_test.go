package ops_test

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

func broadcastTo(dims ...int) func(x graph.Value) graph.Value {
	return func(x graph.Value) graph.Value { return ops.BroadcastTo(x, dims...) }
}

var expandCases = []optest.Case{
	unaryCase("broadcast", broadcastTo(3, 4), f32(4)),
	unaryCase("broadcast", broadcastTo(3, 4), f32()),
	unaryCase("broadcast", broadcastTo(3, 4), i32(3, 1)),
	unaryCase("broadcast", broadcastTo(2, 3, 4), f32(3, 1)),
	unaryCase("broadcast", broadcastTo(anyLen, 4), f32(anyLen, 1)),
	unaryCase("broadcast", broadcastTo(anyLen, 3), boolean(anyLen, 3)),
	unaryCase("zeros", ops.ZerosLike, f32(3, 4)),
	unaryCase("zeros", ops.ZerosLike, f32(anyLen, 4)),
	unaryCase("zeros", ops.ZerosLike, i32(anyLen)),
	unaryCase("ones", ops.OnesLike, f32(anyLen)),
	unaryCase("ones", ops.OnesLike, boolean(2)),
	unaryCase("ones", ops.OnesLike, f32()),
}
