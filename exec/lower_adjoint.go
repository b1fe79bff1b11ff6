package exec

import (
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
	dest     map[graph.Value]operand // contributions computed where they are needed
	flat     map[int]bool            // spaces that the backward code has made
	useOf    map[graph.Value]int
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

// adjointPlace is where a cotangent is accumulated.
type adjointPlace struct {
	at      operand
	size    int
	zeroed  bool // holds zeros or sums from the start
	written []ops.Window
}

func newAdjointBuilder(b *builder) *adjointBuilder {
	return &adjointBuilder{b: b, received: map[graph.Value]int{}, passOn: map[graph.Value]graph.Value{},
		places: map[graph.Value]*adjointPlace{}, dest: map[graph.Value]operand{}, flat: map[int]bool{}, useOf: map[graph.Value]int{}}
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
		if sum, ok := a.b.fused[v]; ok {
			v = sum
			continue
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

// analyse finds the steps to execute and the forward values that they read.
func (a *adjointBuilder) analyse() {
	g := a.b.sub.g
	for _, s := range g.Adjoint.Steps {
		if a.b.sub.stageOf[s.Node] == a.b.st && !isCall(s.Node) && !isRename(s.Node) {
			a.analyseStep(s)
		}
	}
}

func (a *adjointBuilder) analyseStep(s graph.Step) {
	n := s.Node
	if _, sink := n.Op.(graph.Sink); !sink {
		v := n.Result(0)
		if a.b.isWindow(v) != nil {
			return
		}
		if r, _ := a.root(v); !a.b.escapes[r] && a.received[r] == 0 {
			return
		}
	}
	ls := &liveStep{Step: s, need: map[*graph.Node]bool{}}
	for i, c := range s.Into {
		t := target(n, i)
		if c.IsZero() || t.IsGlobal() && (t.Variable() == nil || t.Variable().Frozen) {
			continue
		}
		if sum, ok := a.b.fused[t]; ok && sum.Node() == n {
			continue // shares the place of the sum's cotangent
		}
		ls.into = append(ls.into, contribution{i, c, a.formOf(n, c, t)})
		if a.local(t) {
			r, _ := a.root(t)
			a.received[r]++
			a.passOn[r] = graph.Value{}
			if c.Node().Op == (graph.Cotangent{}) && a.received[r] == 1 {
				a.passOn[r] = c.Node().In[0]
			}
		}
	}
	for _, c := range ls.into {
		a.needForm(ls, c)
	}
	a.steps = append(a.steps, ls)
}

// target is the value to whose cotangent input i of n contributes: the input, or
// the variable that it is a reshaped form of.
func target(n *graph.Node, i int) graph.Value {
	if v := reshapedGlobal(n.In[i]); !v.IsZero() {
		return v
	}
	return n.In[i]
}

// formOf recognises contributions that need not be computed as whole tensors.
func (a *adjointBuilder) formOf(n *graph.Node, c, target graph.Value) form {
	node := c.Node()
	if node.Graph != a.b.sub.g.Adjoint.Body {
		return whole
	}
	switch op := node.Op.(type) {
	case ops.PadOp:
		if _, ok := op.Window(node.In[0].Type()); ok && !target.Type().IsList() && target.Variable() == nil {
			return padded
		}
	case ops.ScatterAtOp:
		t := node.In[1].Type()
		if target.Variable() != nil && t.Rank() <= 1 && c.Type().Equal(target.Type()) || t.IsScalar() && a.local(target) && !target.Type().IsList() {
			return rowOf
		}
	case ops.OuterOp:
		if a.isUse(n, node, target) {
			return product
		}
	case ops.MatMulOp:
		if op.TransA && !op.TransB && node.In[0].Type().Rank() == 2 && a.isUse(n, node, target) {
			return product
		}
	}
	return whole
}

// isUse reports whether the node is the gradient of the product n with respect
// to a variable: one operand is a forward value, the other n's cotangent.
func (a *adjointBuilder) isUse(n, node *graph.Node, target graph.Value) bool {
	if target.Variable() == nil {
		return false
	}
	x, dy := node.In[0], node.In[1]
	if isCotangentOf(x, n) {
		x, dy = dy, x
	}
	return isCotangentOf(dy, n) && x.Graph() != a.b.sub.g.Adjoint.Body
}

func isCotangentOf(v graph.Value, n *graph.Node) bool {
	_, ok := v.Node().Op.(graph.Cotangent)
	return ok && v.Node().In[0] == n.Result(0)
}

// needForm marks what must be computed for a contribution.
func (a *adjointBuilder) needForm(ls *liveStep, c contribution) {
	if c.form == whole {
		a.need(ls, c.value)
		return
	}
	for _, v := range c.value.Node().In {
		a.need(ls, v)
		if c.form == padded || c.form == rowOf && v == c.value.Node().In[1] {
			break
		}
	}
}

// need marks the adjoint nodes behind v, and the forward values that they read.
func (a *adjointBuilder) need(ls *liveStep, v graph.Value) {
	todo := []graph.Value{v}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if v.IsGlobal() {
			continue
		}
		n := v.Node()
		if n.Graph != a.b.sub.g.Adjoint.Body {
			a.save(v)
			continue
		}
		if ls.need[n] {
			continue
		}
		ls.need[n] = true
		if _, ok := n.Op.(graph.Cotangent); ok {
			continue
		}
		lengths, _ := n.Op.(ops.LengthReader)
		for i, in := range n.In {
			if lengths == nil || !lengths.LengthOnly(i) {
				todo = append(todo, in)
			}
		}
	}
}

// save keeps the rows of a forward value of the stage for backward.
func (a *adjointBuilder) save(v graph.Value) {
	for {
		w := a.b.isWindow(v)
		if w == nil {
			break
		}
		v = v.Node().In[0]
	}
	if a.local(v) {
		a.b.saved[v] = true
	}
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
	a.b.p.uses = append(a.b.p.uses, u)
	return len(a.b.p.uses) - 1
}

func lastExtent(t graph.Type) int { return t.Shape[len(t.Shape)-1] }

func (a *adjointBuilder) emitStep(ls *liveStep) {
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

// place returns where the cotangent of a root of the stage is accumulated.
func (a *adjointBuilder) place(r graph.Value) *adjointPlace {
	if pl := a.places[r]; pl != nil {
		return pl
	}
	t := rowType(r.Type())
	pl := &adjointPlace{size: t.Size()}
	a.places[r] = pl
	src := a.passOn[r]
	use, isUse := a.use(r)
	switch {
	case a.b.escapes[r]:
		pl.at = a.b.where[r]
		pl.at.kind = inOwnAdj
		pl.zeroed = true
	case a.received[r] == 1 && !src.IsZero() && src.Type().Equal(r.Type()) && !isUse:
		from, off := a.root(src)
		pl.at = a.place(from).at
		pl.at.offset += off
		pl.zeroed = true
	case isUse:
		sp := a.b.valueSpace(r)
		pl.at = operand{kind: inUse, index: use, space: sp}
		a.b.emit(instr{kind: doReserve, space: sp, index: -1 - use})
	default:
		pl.at = a.b.newBuffer(t, a.b.valueSpace(r))
	}
	return pl
}

// use returns the product whose output cotangent r's is.
func (a *adjointBuilder) use(r graph.Value) (int, bool) {
	if u, ok := a.useOf[r]; ok {
		return u, true
	}
	for x, sum := range a.b.fused {
		if sum == r {
			u, ok := a.useOf[x]
			return u, ok
		}
	}
	return 0, false
}

// read returns the accumulated cotangent of v, complete.
func (a *adjointBuilder) read(v graph.Value) operand {
	r, off := a.root(v)
	pl := a.place(r)
	w := ops.Window{From: off, Size: rowType(v.Type()).Size()}
	a.fillGaps(pl, w)
	o := pl.at
	o.offset += off
	return o
}

// contribute adds a contribution to its target.
func (a *adjointBuilder) contribute(n *graph.Node, c contribution) {
	t := target(n, c.input)
	switch {
	case t.Variable() != nil:
		a.toVariable(n, c, t.Variable().Index)
	case a.local(t):
		r, off := a.root(t)
		if _, done := a.dest[c.value]; !done {
			a.toPlace(c, a.place(r), off, rowType(t.Type()).Size())
		}
	default:
		a.toNamed(c, t)
	}
}

func (a *adjointBuilder) toVariable(n *graph.Node, c contribution, index int) {
	in := c.value.Node().In
	switch c.form {
	case product:
		x, dy := in[0], in[1]
		if isCotangentOf(x, n) {
			x, dy = dy, x
		}
		a.keep(n, a.useOf[n.Result(0)], x, dy)
	case rowOf:
		sp := a.b.valueSpace(in[0])
		a.b.emit(instr{kind: doSparseRows, space: sp, index: index, size: rowType(in[0].Type()).Size(), reps: rowType(in[1].Type()).Size(),
			in: []operand{a.b.operand(in[0], sp), a.b.operand(in[1], sp)}})
	default:
		a.b.emit(instr{kind: doSumRows, index: index, size: c.value.Type().Size(), in: []operand{a.b.operand(c.value, frameSpace)}})
	}
}

// keep notes the rows of X and of dY for the product at the step's end.
func (a *adjointBuilder) keep(n *graph.Node, use int, x, dy graph.Value) {
	sp := a.b.valueSpace(dy)
	ox, oy := a.b.operand(x, sp), a.b.operand(dy, sp)
	u := a.b.p.uses[use]
	u.x = ox
	if oy.kind != inUse || oy.index != use {
		to := operand{kind: inUse, index: use, space: sp}
		a.b.emit(instr{kind: doReserve, space: sp, index: -1 - use})
		a.b.emit(instr{kind: doCopy, node: n, space: sp, in: []operand{oy}, out: to, size: u.yDim * u.rows})
	}
	a.b.emit(instr{kind: doKeep, node: n, space: sp, index: use, in: []operand{ox}})
}

// toPlace adds to a cotangent that the stage accumulates.
func (a *adjointBuilder) toPlace(c contribution, pl *adjointPlace, off, size int) {
	v := c.value
	switch c.form {
	case padded:
		w, _ := v.Node().Op.(ops.PadOp).Window(v.Node().In[0].Type())
		a.add(v.Node().In[0], pl, ops.Window{From: off + w.From, Size: w.Size})
	case rowOf:
		a.fillGaps(pl, ops.Window{From: off, Size: size})
		to := pl.at
		to.offset += off
		ct, index := v.Node().In[0], v.Node().In[1]
		sp := to.space
		a.b.emit(instr{kind: doScatterAt, space: sp, size: ct.Type().Size(), width: ct.Type().Size(), out: to,
			in: []operand{a.b.operand(ct, sp), a.b.operand(index, sp)}})
	default:
		if src := v; pl.zeroed && a.sharesPlace(src, pl, off) {
			return
		}
		a.add(v, pl, ops.Window{From: off, Size: size})
	}
}

// sharesPlace reports whether the contribution is the cotangent in whose place
// the target's lies.
func (a *adjointBuilder) sharesPlace(v graph.Value, pl *adjointPlace, off int) bool {
	o, ok := a.b.where[v]
	_, ct := v.Node().Op.(graph.Cotangent)
	at := pl.at
	at.offset += off
	return ok && ct && o == at
}

// add adds v to part w of a place, or stores it there when it is the first.
func (a *adjointBuilder) add(v graph.Value, pl *adjointPlace, w ops.Window) {
	to := pl.at
	to.offset += w.From
	i := instr{kind: doAdd, space: to.space, size: w.Size, out: to, in: []operand{a.b.operand(v, to.space)}}
	if !pl.zeroed && !pl.overlaps(w) {
		i.kind = doCopy
		pl.written = append(pl.written, w)
	} else {
		a.fillGaps(pl, w)
	}
	a.b.emit(i)
}

func (pl *adjointPlace) overlaps(w ops.Window) bool {
	for _, q := range pl.written {
		if q.From < w.From+w.Size && w.From < q.From+q.Size {
			return true
		}
	}
	return false
}

// fillGaps writes zeros to the parts of w that have not been written.
func (a *adjointBuilder) fillGaps(pl *adjointPlace, w ops.Window) {
	if pl.zeroed {
		return
	}
	at := w.From
	for at < w.From+w.Size {
		end, inside := w.From+w.Size, false
		for _, q := range pl.written {
			if q.From <= at && at < q.From+q.Size {
				at, inside = q.From+q.Size, true
				break
			}
			if q.From > at {
				end = min(end, q.From)
			}
		}
		if inside {
			continue
		}
		to := pl.at
		to.offset += at
		a.b.emit(instr{kind: doZero, space: to.space, size: end - at, out: to})
		pl.written = append(pl.written, ops.Window{From: at, Size: end - at})
		at = end
	}
}

// toNamed adds to the cotangents of rows that are known by name.
func (a *adjointBuilder) toNamed(c contribution, t graph.Value) {
	r, off := a.root(t)
	to := a.b.locate(r)
	to.offset += off
	v, size := c.value, rowType(t.Type()).Size()
	if c.form == padded {
		w, _ := v.Node().Op.(ops.PadOp).Window(v.Node().In[0].Type())
		v, size = v.Node().In[0], w.Size
		to.offset += w.From
	}
	switch to.kind {
	case inStore:
		to.kind = inStoreAdj
	case inStoreFlat:
		to.kind = inStoreFlatAdj
	case inOwn:
		to.kind = inOwnAdj
	case inGlobal:
		return
	}
	a.b.emit(instr{kind: doScatter, space: to.space, size: size, out: to, in: []operand{a.b.operand(v, to.space)}})
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
