package ops

import "github.com/frondml/frond/graph"

// structureRegistry holds the operators that multiply matrices and that move,
// pick and list rows.
func structureRegistry() map[string]func([]graph.Attr) (graph.Op, error) {
	return map[string]func([]graph.Attr) (graph.Op, error){
		"at":   plain(AtOp{}),
		"join": plain(joinOp{}),
		"len":  plain(lenOp{}),
		"list": plain(listOp{}),
		"matmul": withAttrs(func(r *attrReader) graph.Op {
			return MatMulOp{TransA: r.bool("trans_a"), TransB: r.bool("trans_b")}
		}),
		"concat": withAttrs(func(r *attrReader) graph.Op { return ConcatOp{Axis: r.int("axis")} }),
		"outer":  plain(OuterOp{}),
		"pad": withAttrs(func(r *attrReader) graph.Op {
			return PadOp{Axis: r.int("axis"), From: r.int("from"), Extent: r.int("extent")}
		}),
		"range":       plain(rangeOp{}),
		"reshape":     withAttrs(func(r *attrReader) graph.Op { return &ReshapeOp{dims: r.ints("dims")} }),
		"same_length": plain(sameLengthOp{}),
		"scatter_at":  withAttrs(func(r *attrReader) graph.Op { return ScatterAtOp{N: r.int("n")} }),
		"slice": withAttrs(func(r *attrReader) graph.Op {
			return SliceOp{Axis: r.int("axis"), From: r.int("from"), To: r.int("to")}
		}),
		"span":      plain(spanOp{}),
		"transpose": withAttrs(func(r *attrReader) graph.Op { return &transposeOp{perm: r.ints("perm")} }),
	}
}
