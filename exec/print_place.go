package exec

import (
	"fmt"
	"strings"

	"github.com/frondml/frond/graph"
)

// place prints an operand.
func (pr *planPrinter) place(o *operand) string {
	s := pr.base(o)
	if o.offset > 0 {
		s += fmt.Sprintf("@%d", o.offset)
	}
	if o.expand {
		s += "*" // repeated for the elements of a list
	}
	return s
}

func (pr *planPrinter) base(o *operand) string {
	switch o.kind {
	case inReg:
		return fmt.Sprintf("r%d", o.index)
	case inFlat:
		return fmt.Sprintf("elements(r%d)", o.index)
	case inBuffer:
		return fmt.Sprintf("t%d", o.index)
	case inOwn:
		return fmt.Sprintf("s%d+", o.store)
	case inStore:
		return fmt.Sprintf("s%d[r%d]", o.store, o.index)
	case inStoreFlat:
		return fmt.Sprintf("s%d[elements(r%d)]", o.store, o.index)
	case inGlobal:
		return globalName(o.global)
	case inTable:
		return fmt.Sprintf("%s[r%d]", globalName(o.global), o.index)
	case inTableFlat:
		return fmt.Sprintf("%s[elements(r%d)]", globalName(o.global), o.index)
	case inTableBuffer:
		return fmt.Sprintf("%s[t%d]", globalName(o.global), o.index)
	case inOwnAdj:
		return fmt.Sprintf("ds%d+", o.store)
	case inStoreAdj:
		return fmt.Sprintf("ds%d[r%d]", o.store, o.index)
	case inStoreFlatAdj:
		return fmt.Sprintf("ds%d[elements(r%d)]", o.store, o.index)
	case inUse:
		return fmt.Sprintf("dY%d", o.index)
	}
	return "nowhere"
}

func globalName(v graph.Value) string {
	if w := v.Variable(); w != nil {
		return w.Name
	}
	if c := v.Node().Op.(*graph.Const); c.Type.IsScalar() {
		return c.String()
	}
	return v.Type().String() + " constant"
}

// weightName names a matrix: parts side by side have commas between them, parts one
// above the other semicolons.
func (p *plan) weightName(i int) string {
	w := &p.weights[i]
	if len(w.parts) == 0 {
		name := globalName(w.global)
		if w.trans {
			name += "ᵀ"
		}
		return name
	}
	between := ", "
	if w.stacked {
		between = "; "
	}
	var parts, biases []string
	for k, q := range w.parts {
		parts = append(parts, p.weightName(q))
		if b := w.biases[k]; b.IsZero() {
			biases = append(biases, "0")
		} else {
			biases = append(biases, globalName(b))
		}
	}
	name := "[" + strings.Join(parts, between) + "]"
	if w.hasBias() {
		name += " + [" + strings.Join(biases, ", ") + "]"
	}
	return name
}
