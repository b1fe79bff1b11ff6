package ops_test

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var whereCases = []optest.Case{
	whereCase(boolean(), f32(), f32()),
	whereCase(boolean(40), f32(40), f32(40)),
	whereCase(boolean(3), f32(3), f32()),
	whereCase(boolean(2, 1), f32(3), f32(2, 3)),
	whereCase(boolean(), f32(40, 1), f32(40)),
	whereCase(boolean(anyLen), f32(anyLen), f32()),
	whereCase(boolean(anyLen, 1), f32(anyLen, 40), f32(40)),
	whereCase(boolean(5), f32(anyLen, 5), f32(anyLen, 5)),
	whereCase(boolean(anyLen, 5), i32(anyLen, 5), i32(anyLen, 1)),
	whereCase(boolean(40), i32(40), i32()),
}

func whereCase(cond, x, y graph.Type) optest.Case {
	return optest.Case{
		Name:   "where " + cond.String() + " " + x.String() + " " + y.String(),
		Build:  func(_ *graph.Module, in []graph.Value) graph.Value { return ops.Where(in[0], in[1], in[2]) },
		In:     []graph.Type{cond, x, y},
		NoGrad: !x.DType.IsFloat(),
	}
}
