package exec

import (
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// adjointBuilder compiles the adjoint of one stage from the steps that the
// graph's adjoint holds for the stage's nodes.
//
// The cotangent of a value of the stage is accumulated in a place of its own:
// beside the value's rows when others know it by name, in the memory that the
// gradient of a product reads, or in a temporary buffer. Parts of a value share
// its place.
type adjointBuilder struct {
	b        *builder
	steps    []*liveStep
	received map[graph.Value]int // contributions per root within the stage
	passOn   map[graph.Value]graph.Value
	places   map[graph.Value]*adjointPlace
	dest     map[graph.Value]operand      // contributions computed where they are needed
	flat     map[int]bool                 // spaces that the backward code has made
	again    map[graph.Value]bool         // values that backward computes again
	useOf    map[graph.Value]int          // of a product with a variable
	dyOf     map[graph.Value]int          // of a root: the rows that gradients of products read
	roots    []graph.Value                // that have them
	copied   map[int]bool                 // rows that have been copied there
	joined   map[graph.Value]*productCall // contribution of the first product -> that of all
	copies   []instr                      // of cotangents for gradients of products, when all of a block are complete
	products []instr                      // notes for gradients of products: the last instructions
}

// liveStep is a step whose result has a cotangent, with the parts of it that
// are executed.
type liveStep struct {
	graph.Step
	into []contribution
	need map[*graph.Node]bool
}

// contribution is one input's share of a step.
type contribution struct {
	input int
	value graph.Value
	form  form
}

// form says how a contribution reaches its target without being computed as a
// whole tensor.
type form uint8

const (
	whole   form = iota
	padded       // a part of the target: only the part is added
	rowOf        // a row of the target, chosen by an integer
	product      // the gradient of a product with a variable
)

func newAdjointBuilder(b *builder) *adjointBuilder {
	return &adjointBuilder{b: b, received: map[graph.Value]int{}, passOn: map[graph.Value]graph.Value{},
		places: map[graph.Value]*adjointPlace{}, dest: map[graph.Value]operand{}, flat: map[int]bool{}, again: map[graph.Value]bool{}, useOf: map[graph.Value]int{},
		dyOf: map[graph.Value]int{}, copied: map[int]bool{}, joined: map[graph.Value]*productCall{}}
}

// local reports whether the cotangent of v is accumulated by the stage itself. That
// of a part of a value from elsewhere is not, although the stage makes the part.
func (a *adjointBuilder) local(v graph.Value) bool {
	r, _ := a.root(v)
	return a.b.inStage(r) && !isRename(r.Node())
}

// root returns the value in whose place the cotangent of v lies, and where.
func (a *adjointBuilder) root(v graph.Value) (graph.Value, int) {
	off := 0
	for a.b.inStage(v) {
		if s := a.b.sumOf[v]; s != nil {
			return s.block.sums[0].root, off + s.offset
		}
		w := a.b.isWindow(v)
		if w == nil {
			break
		}
		off += w.From
		v = v.Node().In[0]
	}
	return v, off
}

// isWindow returns the part of its input that v is, nil when v has rows of its own.
func (b *builder) isWindow(v graph.Value) *ops.Window {
	if !b.inStage(v) || b.escapes[v] || !hasRows(v.Type()) {
		return nil
	}
	if l := lowering(v.Node()); l != nil && l.Window != nil && !v.Node().In[0].IsGlobal() {
		return l.Window
	}
	return nil
}

// emit compiles the live steps.
func (a *adjointBuilder) emit() {
	a.b.into = &a.b.code.back
	for _, r := range a.b.st.nodes { // uses are numbered in forward order
		a.findUse(r)
	}
	for _, ls := range a.steps {
		a.emitStep(ls)
	}
	for _, i := range slices.Concat(a.copies, a.products) {
		a.b.emit(i)
	}
	for _, r := range a.roots {
		a.b.emit(instr{kind: doAdvance, space: a.b.valueSpace(r), index: a.dyOf[r]})
	}
	a.b.code.tape = tapeRegs(a.b.code)
}

// makeSpaces precedes an instruction by those that make the spaces it needs, from
// list handles on the tape.
func (a *adjointBuilder) makeSpaces(i *instr) {
	if i.kind == doFlatten {
		a.flat[i.space] = true
		return
	}
	need := func(sp int) {
		if sp != frameSpace && !a.flat[sp] {
			a.b.emit(instr{kind: doFlatten, space: sp, index: a.b.code.spaces[sp].reg})
		}
	}
	need(i.space)
	if i.kind == doSameLength {
		need(i.index)
	}
	for _, o := range append(i.in[:len(i.in):len(i.in)], i.out) {
		need(o.space)
	}
}

// findUse registers the product n whose variable's gradient is wanted.
func (a *adjointBuilder) findUse(n *graph.Node) {
	for _, ls := range a.steps {
		if ls.Node != n {
			continue
		}
		for _, c := range ls.into {
			if c.form == product {
				a.useOf[n.Result(0)] = a.addUse(n, c)
			}
		}
	}
}

func (a *adjointBuilder) addUse(n *graph.Node, c contribution) int {
	x, dy := c.value.Node().In[0], c.value.Node().In[1]
	u := &weightUse{variable: target(n, c.input).Variable().Index, rows: 1}
	if isCotangentOf(x, n) {
		x, dy = dy, x
		u.swap = true
	}
	u.xDim, u.yDim = lastExtent(x.Type()), lastExtent(dy.Type())
	if t := x.Type(); t.Rank() == 2 && !t.IsList() {
		u.rows = t.Shape[0]
	}
	root, from := a.root(n.Result(0))
	if _, ok := a.dyOf[root]; !ok {
		a.dyOf[root] = len(a.b.p.dys)
		a.roots = append(a.roots, root)
		a.b.p.dys = append(a.b.p.dys, &cotangentRows{a.width(root)})
	}
	u.dy, u.dyFrom = a.dyOf[root], from
	a.b.p.uses = append(a.b.p.uses, u)
	return len(a.b.p.uses) - 1
}

// width is the size of the rows in which the cotangent of a root lies.
func (a *adjointBuilder) width(root graph.Value) int {
	if s := a.b.sumOf[root]; s != nil && len(s.block.sums) > 1 {
		return s.block.width
	}
	return rowType(root.Type()).Size()
}

func lastExtent(t graph.Type) int { return t.Shape[len(t.Shape)-1] }

func (a *adjointBuilder) emitStep(ls *liveStep) {
	a.recompute(ls)
	a.chooseDestinations(ls)
	for _, n := range ls.Nodes {
		if !ls.need[n] {
			continue
		}
		if _, ok := n.Op.(graph.Cotangent); ok {
			a.b.where[n.Result(0)] = a.read(n.In[0])
			continue
		}
		if err := a.b.node(n); err != nil {
			panic(err) // forward nodes of the same operators have been compiled
		}
	}
	for _, c := range ls.into {
		a.contribute(ls.Node, c)
	}
}

// chooseDestinations lets a contribution be computed in its target's place when
// it is the first there and nothing else reads it.
func (a *adjointBuilder) chooseDestinations(ls *liveStep) {
	uses := map[graph.Value]int{}
	for n := range ls.need {
		for _, v := range n.In {
			uses[v]++
		}
	}
	for _, c := range ls.into {
		uses[c.value]++
	}
	for _, c := range ls.into {
		t := target(ls.Node, c.input)
		if c.form != whole || !a.local(t) || uses[c.value] != 1 || !ls.need[c.value.Node()] || !a.computed(c.value.Node()) {
			continue
		}
		r, off := a.root(t)
		pl := a.place(r)
		w := ops.Window{From: off, Size: rowType(t.Type()).Size()}
		if pl.zeroed || pl.overlaps(w) {
			continue
		}
		pl.written = append(pl.written, w)
		o := pl.at
		o.offset += off
		a.dest[c.value] = o
	}
}

// computed reports whether the node's result is written by an instruction to a
// place of the builder's choice.
func (a *adjointBuilder) computed(n *graph.Node) bool {
	if _, ok := n.Op.(graph.Cotangent); ok || isRename(n) || isLookUp(n) {
		return false
	}
	return lowering(n).Window == nil
}

// tapeRegs lists the registers that backward reads and forward has filled.
func tapeRegs(code *stageCode) []int {
	made, read := map[int]bool{}, []int{}
	note := func(r int) {
		if r >= 0 && !made[r] {
			made[r] = true
			read = append(read, r)
		}
	}
	for i := range code.back {
		in := &code.back[i]
		note(in.keys)
		if in.kind == doFlatten {
			note(in.index)
		}
		for _, o := range append(in.in[:len(in.in):len(in.in)], in.out) {
			switch o.kind {
			case inReg:
				if o != in.out {
					note(o.index)
				}
			case inStore, inStoreAdj, inTable:
				note(o.index)
			}
		}
		if in.out.kind == inReg {
			made[in.out.index] = true
		}
	}
	return read
}
