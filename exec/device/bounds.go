package device

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Bounds returns the input of an operator whose integers address memory, and says that
// they must be at least 0 and less than limit, or less than the number of elements of the
// frame's list if limit is graph.Any. Kernels need not check; the executor has.
func Bounds(o Operator) (input, limit int, ok bool) {
	switch op := o.Op.(type) {
	case ops.AtOp:
		return 1, o.In[0].Shape[0], true
	case ops.ScatterAtOp:
		return 1, op.N, true
	}
	switch o.Op.Name() {
	case "cross_entropy", "cross_entropy_grad":
		return 1, last(o.In[0].Shape), true
	case "one_hot":
		return 0, last(o.Out.Shape), true
	}
	return 0, 0, false
}

func last(s graph.Shape) int { return s[len(s)-1] }
