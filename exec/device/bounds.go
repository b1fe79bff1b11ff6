package device

import (
	"reflect"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Bounds says which integers a kernel of an operator takes: those of input number
// operand must be in [0, limit), where graph.Any stands for the number of elements that
// the frame's list has. It is not ok if the operator takes all integers, or none.
//
// A device would fail at other integers, all of it and long after the call. So whoever
// launches the kernel checks them before, on the host, where they are, and reports one
// that is out of range as package ops does, by ops.ErrIndex.
func Bounds(o Operator) (operand, limit int, ok bool) {
	if !ofPackageOps(o.Op) {
		return 0, 0, false
	}
	switch o.Op.Name() {
	case "at":
		return 1, o.In[0].Shape[0], true
	case "scatter_at":
		return 1, o.Out.Shape[0], true
	case "one_hot":
		return 0, o.Out.Shape[len(o.Out.Shape)-1], true
	case "cross_entropy", "cross_entropy_grad":
		logits := o.In[0].Shape
		return 1, logits[len(logits)-1], true
	}
	return 0, 0, false
}

// WantsElements reports whether every list must have an element, whose absence package
// ops reports by ops.ErrLength. It has to be checked before a launch, too: a kernel
// finds the maximum of nothing, which is -Inf and has the place -1.
func WantsElements(o Operator) bool {
	return o.Segments && ofPackageOps(o.Op) && (o.Op.Name() == "max" || o.Op.Name() == "argmax")
}

// ofPackageOps tells the operators of package ops from others of their names.
func ofPackageOps(op graph.Op) bool {
	t := reflect.TypeOf(op)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == reflect.TypeFor[ops.AtOp]().PkgPath()
}
