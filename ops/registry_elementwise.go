package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// elementwiseRegistry holds the operators that work element by element, and the
// reductions.
func elementwiseRegistry() map[string]func([]graph.Attr) (graph.Op, error) {
	all := map[string]func([]graph.Attr) (graph.Op, error){
		"add_scalar":     withAttrs(func(r *attrReader) graph.Op { return addScalarOp{r.float("c")} }),
		"argmax":         withAttrs(func(r *attrReader) graph.Op { return argMaxOp{r.int("axis")} }),
		"cast":           withAttrs(func(r *attrReader) graph.Op { return castOp{r.dtype("to")} }),
		"clip":           withAttrs(func(r *attrReader) graph.Op { return clipOp{r.float("lo"), r.float("hi")} }),
		"dropout":        withAttrs(func(r *attrReader) graph.Op { return DropoutOp{r.float("rate"), r.int("salt")} }),
		"expand":         withAttrs(func(r *attrReader) graph.Op { return &expandOp{r.axes("axes"), r.ints("dims")} }),
		"log_softmax":    withAttrs(func(r *attrReader) graph.Op { return softmaxOp{r.int("axis"), true} }),
		"max":            withAttrs(func(r *attrReader) graph.Op { return maxOp{r.axes("axes")} }),
		"max_grad":       withAttrs(func(r *attrReader) graph.Op { return maxGradOp{r.axes("axes")} }),
		"mul_scalar":     withAttrs(func(r *attrReader) graph.Op { return mulScalarOp{r.float("c")} }),
		"normalize":      withAttrs(func(r *attrReader) graph.Op { return normalizeOp{r.float("eps")} }),
		"normalize_grad": withAttrs(func(r *attrReader) graph.Op { return normalizeGradOp{r.float("eps")} }),
		"one_hot":        withAttrs(func(r *attrReader) graph.Op { return oneHotOp{r.int("n")} }),
		"softmax":        withAttrs(func(r *attrReader) graph.Op { return softmaxOp{r.int("axis"), false} }),
		"sum":            withAttrs(func(r *attrReader) graph.Op { return sumOp{r.axes("axes"), r.bool("keep")} }),
	}
	for _, op := range plainElementwise {
		all[op.Name()] = plain(op)
	}
	return all
}

// plainElementwise are the operators of the file's registry without attributes.
var plainElementwise = []Op{
	add, sub, mul, div, mod, pow, maximum, minimum,
	neg, abs, absGrad, exp, log, sqrt, square, reciprocal, softplus, stopGradient,
	sigmoid, sigmoidGrad, tanh, tanhGrad, relu, reluGrad,
	less, lessEqual, greater, greaterEqual, equal, notEqual, and, or, xor, notOp{}, whereOp{},
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
