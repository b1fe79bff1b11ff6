package exec

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
	"github.com/frondml/frond/ops"
)

// Layout is the order of a variable's elements in memory: in the values that
// Parameters.Read and Parameters.Update show, in Gradient.Dense, and in whatever an
// optimiser keeps per element. It depends on the program alone.
//
// Most variables lie row-major. A matrix that the program only multiplies rows by
// lies in the panels in which products read it: neither a step of an optimiser nor
// the products around it then rearrange elements. Panels end in padding, which is
// zero in values and gradients and should stay so; no result depends on it.
type Layout struct {
	typ    graph.Type
	packed bool
	trans  bool // the panels are those of the transpose, as MatMulT reads it
}

// Size returns the number of elements in memory, padding included.
func (l Layout) Size() int {
	if !l.packed {
		return l.typ.Size()
	}
	k, n := l.dims()
	return panelElements(k, n)
}

// RowMajor returns a variable's elements in row-major order: stored itself, when the
// variable lies so, or else a copy.
func (l Layout) RowMajor(stored []float32) []float32 {
	if !l.packed {
		return stored
	}
	dst := make([]float32, l.typ.Size())
	l.matrix(stored).Unpack(dst, lastExtent(l.typ), l.trans)
	return dst
}

// Store fills dst, of Size elements, from a variable's elements in row-major order.
func (l Layout) Store(dst, rowMajor []float32) {
	if !l.packed {
		copy(dst, rowMajor)
		return
	}
	kernel.Pack(l.matrix(dst), rowMajor, lastExtent(l.typ), l.trans)
}

// dims returns the extents of the matrix whose panels are stored.
func (l Layout) dims() (k, n int) {
	k, n = l.typ.Shape[0], l.typ.Shape[1]
	if l.trans {
		k, n = n, k
	}
	return k, n
}

// matrix returns the stored panels as a matrix, which shares their memory.
func (l Layout) matrix(stored []float32) *kernel.Packed {
	k, n := l.dims()
	return &kernel.Packed{K: k, N: n, Panels: panels(n), Data: stored}
}

// alloc returns memory for the variable, zero.
func (l Layout) alloc() []float32 { return kernel.Aligned(l.Size()) }

// fromRowMajor is Store to new memory, or x itself when the variable lies row-major.
func (l Layout) fromRowMajor(x []float32) []float32 {
	if !l.packed {
		return x
	}
	dst := l.alloc()
	l.Store(dst, x)
	return dst
}

func panels(n int) int { return (n + kernel.PanelWidth - 1) / kernel.PanelWidth }

func panelElements(k, n int) int { return panels(n) * k * kernel.PanelWidth }

// mayPad is the number of elements up to which a matrix may more than double its
// size by padding.
const mayPad = 1 << 14

// findLayouts chooses the layout of every variable. The panels are those that the
// products of the program itself read, since inference needs no others.
func findLayouts(prog *graph.Program) []Layout {
	readers := make([]variableReaders, len(prog.Variables))
	for _, g := range prog.Graphs {
		for _, n := range g.Nodes {
			noteReads(readers, n, true)
		}
		noteValues(readers, g.Results)
		for _, n := range g.Adjoint.Body.Nodes {
			noteReads(readers, n, false)
		}
		for _, s := range g.Adjoint.Steps {
			noteValues(readers, s.Into)
		}
	}
	layouts := make([]Layout, len(prog.Variables))
	for i, v := range prog.Variables {
		layouts[i] = readers[i].layout(v.Type)
	}
	return layouts
}

// variableReaders says how a program reads a variable.
type variableReaders struct {
	plain, transposed bool // products of the program, by MatMulOp.TransB
	other             bool // anything that must find rows or elements
}

func (r variableReaders) layout(t graph.Type) Layout {
	l := Layout{typ: t, packed: r.plain != r.transposed && !r.other, trans: r.transposed}
	if l.packed && l.Size() > max(2*t.Size(), mayPad) {
		l.packed = false
	}
	return l
}

// noteReads notes which variables the node reads. In an adjoint, products read the
// transpose of what the program's own do, or the same; both can be had of panels.
func noteReads(readers []variableReaders, n *graph.Node, forward bool) {
	for i, in := range n.In {
		v := in.Variable()
		if v == nil {
			continue
		}
		r := &readers[v.Index]
		switch {
		case i != 1 || !isGemm(n):
			r.other = true
		case forward && n.Op.(ops.MatMulOp).TransB:
			r.transposed = true
		case forward:
			r.plain = true
		}
	}
}

// noteValues notes variables that are handed on as they are.
func noteValues(readers []variableReaders, values []graph.Value) {
	for _, x := range values {
		if v := x.Variable(); v != nil {
			readers[v.Index].other = true
		}
	}
}
