package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// elementwiseRegistry holds the operators that work element by element, and the
// reductions.
func elementwiseRegistry() map[string]func([]graph.Attr) (graph.Op, error) {
	all := map[string]func([]graph.Attr) (graph.Op, error){
		"cast":       withAttrs(func(r *attrReader) graph.Op { return castOp{r.dtype("to")} }),
		"expand":     withAttrs(func(r *attrReader) graph.Op { return &expandOp{r.axes("axes"), r.ints("dims")} }),
		"mul_scalar": withAttrs(func(r *attrReader) graph.Op { return mulScalarOp{r.float("c")} }),
		"sum":        withAttrs(func(r *attrReader) graph.Op { return sumOp{r.axes("axes"), r.bool("keep")} }),
	}
	for _, op := range plainElementwise {
		all[op.Name()] = plain(op)
	}
	return all
}

// plainElementwise are the operators of the file's registry without attributes.
var plainElementwise = []Op{
	add, sub, mul, div, mod, neg, exp, sigmoid, sigmoidGrad, tanh, tanhGrad,
	less, lessEqual, greater, greaterEqual, equal, notEqual,
	crossEntropyOp{}, crossEntropyGradOp{},
}

// axes reads a set of axes.
func (r *attrReader) axes(key string) axisSet {
	var s axisSet
	for _, i := range r.ints(key) {
		if i < 0 || i >= maxRank {
			r.err = fmt.Errorf("%w: attribute %q: no axis %d", graph.ErrInvalid, key, i)
			break
		}
		s |= 1 << i
	}
	return s
}
