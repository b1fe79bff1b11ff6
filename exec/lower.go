package exec

import (
	"fmt"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// builder compiles one stage, for inference or training.
type builder struct {
	p    *plan
	sub  *subPlan
	st   *stage
	code *stageCode

	escapes map[graph.Value]bool        // needed outside of the stage, by name
	saved   map[graph.Value]bool        // needed by backward
	fused   map[graph.Value]graph.Value // product -> the sum with the bias that it is computed with
	regs    map[graph.Value]int
	where   map[graph.Value]operand
	spaceOf map[int]int // list register -> space
	keyReg  int

	into *[]instr        // the code that is being written
	adj  *adjointBuilder // when training
}

func (p *plan) compile(st *stage) error {
	if st.passes {
		st.infer = &stageCode{}
		b := &builder{p: p, sub: st.sub, st: st, code: st.infer}
		for i, v := range st.sub.g.Results {
			b.code.outs = append(b.code.outs, b.passed(i, v))
		}
		st.train = st.infer
		return nil
	}
	for _, train := range []bool{false, true} {
		b := &builder{p: p, sub: st.sub, st: st, code: &stageCode{spaces: []space{{-1}}},
			escapes: map[graph.Value]bool{}, saved: map[graph.Value]bool{}, fused: map[graph.Value]graph.Value{},
			regs: map[graph.Value]int{}, where: map[graph.Value]operand{}, spaceOf: map[int]int{}, keyReg: -1}
		b.findEscapes()
		b.findBiases()
		if train {
			b.adj = newAdjointBuilder(b)
			b.adj.analyse()
			st.train = b.code
		} else {
			st.infer = b.code
		}
		if err := b.forward(); err != nil {
			return err
		}
		if train {
			b.adj.emit()
			assignSlots(b.code, b.code.back)
		}
		assignSlots(b.code, b.code.instrs)
		b.code.share = findSharing(b.code)
	}
	return nil
}

// passed is the source of result i when it is only handed on.
func (b *builder) passed(i int, v graph.Value) wordSource {
	if v.IsGlobal() {
		return b.pinned(v, b.p.resultStore(b.sub.g, i))
	}
	return wordSource{fromFrame, b.sub.offset[v]}
}

// inStage reports whether v is computed by this stage.
func (b *builder) inStage(v graph.Value) bool {
	return !v.IsGlobal() && b.sub.stageOf[v.Node()] == b.st && !isCall(v.Node())
}

func isCall(n *graph.Node) bool { _, ok := n.Op.(*recursion.InvokeOp); return ok }

// findEscapes marks the values of the stage that are read elsewhere: by other
// stages, as arguments or results, or under their names.
func (b *builder) findEscapes() {
	mark := func(v graph.Value) {
		if b.inStage(v) {
			b.escapes[v] = true
		}
	}
	for _, n := range b.sub.g.Nodes {
		st := b.sub.stageOf[n]
		if st == nil {
			continue
		}
		for _, v := range n.In {
			if st != b.st || isCall(n) || isRename(n) {
				mark(v)
			}
		}
	}
	for _, v := range b.sub.g.Results {
		mark(v)
	}
}

// findBiases pairs products with the addition of a bias that is their only use.
func (b *builder) findBiases() {
	uses := map[graph.Value]int{}
	for _, n := range b.st.nodes {
		for _, v := range n.In {
			uses[v]++
		}
	}
	for _, n := range b.st.nodes {
		if n.Op.Name() != "add" || len(n.In) != 2 {
			continue
		}
		x, bias := n.In[0], n.In[1]
		if b.inStage(x) && isGemm(x.Node()) && uses[x] == 1 && !b.escapes[x] &&
			bias.IsGlobal() && x.Type().Equal(n.Out[0]) && bias.Type().Equal(graph.T(graph.Float32, x.Type().Shape[x.Type().Rank()-1])) {
			b.fused[x] = n.Result(0)
		}
	}
}

// isGemm reports whether the node multiplies rows by a constant or variable
// matrix, which one product does for the whole batch.
func isGemm(n *graph.Node) bool {
	op, ok := n.Op.(ops.MatMulOp)
	return ok && !op.TransA && !reshapedGlobal(n.In[1]).IsZero() && n.In[1].Type().Rank() == 2 && n.In[0].Type().Rank() <= 2
}

func (b *builder) forward() error {
	// Sinks come last: what they do cannot be taken back when a row fails.
	for _, sinks := range []bool{false, true} {
		for _, n := range b.st.nodes {
			if _, sink := n.Op.(graph.Sink); sink != sinks {
				continue
			}
			if err := b.node(n); err != nil {
				return err
			}
		}
	}
	for _, n := range b.st.nodes {
		for i := range n.Out {
			v := n.Result(i)
			if off, ok := b.sub.offset[v]; ok && !isCall(n) {
				b.code.stores = append(b.code.stores, store{b.word(v, b.p.storeFor(v)), off})
			}
		}
	}
	for _, c := range b.st.calls {
		b.call(c)
	}
	if b.st.isRet {
		for i, v := range b.sub.g.Results {
			b.code.outs = append(b.code.outs, b.word(v, b.p.resultStore(b.sub.g, i)))
		}
	}
	return nil
}

// storeFor returns the store of v's rows, nil when v has none.
func (p *plan) storeFor(v graph.Value) *storeInfo {
	if !hasRows(v.Type()) || v.IsGlobal() {
		return nil
	}
	return p.store(v)
}

func (b *builder) node(n *graph.Node) error {
	switch op := n.Op.(type) {
	case *recursion.InvokeOp:
		return nil
	case recursion.LossOp:
		b.emit(instr{kind: doLoss, node: n, in: []operand{b.operand(n.In[0], frameSpace)}, keys: -1})
		return nil
	case recursion.CollectOp:
		b.emit(instr{kind: doCollect, node: n, index: b.p.table(op.Table), size: n.In[1].Type().Size(),
			in: []operand{b.operand(n.In[0], frameSpace), b.operand(n.In[1], frameSpace)}})
		return nil
	}
	l := lowering(n)
	switch {
	case l.Names != nil:
		b.rename(n, l)
	case l.Window != nil && hasRows(n.Out[0]) && !b.escapes[n.Result(0)]:
		b.window(n, l.Window)
	case isLookUp(n) && b.lookUp(n):
	case isGemm(n):
		b.gemm(n)
	default:
		b.kernel(n, l)
	}
	return nil
}

func (b *builder) emit(i instr) {
	if i.kind != doRows && i.kind != doSegments {
		i.keys = -1
	}
	if i.node != nil {
		i.operator = b.p.operator(i.node.Op.Name())
	}
	if b.into == nil {
		b.into = &b.code.instrs
	}
	if b.into == &b.code.back {
		b.adj.makeSpaces(&i)
	}
	*b.into = append(*b.into, i)
}

// rename compiles a function on words.
func (b *builder) rename(n *graph.Node, l *ops.Lowering) {
	v := n.Result(0)
	var s *storeInfo
	if hasRows(v.Type()) {
		s = b.p.store(v)
	}
	ins := make([]operand, len(n.In))
	for i, in := range n.In {
		var t *storeInfo // none for integers, which lie among the inputs
		if hasRows(in.Type()) {
			if t = s; t == nil {
				t = b.p.storeFor(in)
			}
		}
		ins[i] = operand{kind: inReg, index: b.wordReg(in, t)}
	}
	r := b.newReg()
	b.regs[v] = r
	b.emit(instr{kind: doNames, node: n, names: l.Names, in: ins, out: operand{kind: inReg, index: r}})
}

// window makes the value a part of its input's rows. Named rows of another
// stage and rows of tables can be parts as well.
func (b *builder) window(n *graph.Node, w *ops.Window) {
	o := b.operand(n.In[0], b.valueSpace(n.In[0]))
	o.offset += w.From
	b.where[n.Result(0)] = o
}

// lookUp makes a row of a table an operand in place, when nothing needs a name
// for it. It reports whether it did.
func (b *builder) lookUp(n *graph.Node) bool {
	v, table, index := n.Result(0), n.In[0], n.In[1]
	t := index.Type()
	if b.escapes[v] || table.Type().IsList() || !(t.IsScalar() || t.IsList() && t.Rank() == 1) {
		return false
	}
	sp := b.valueSpace(index)
	o := b.operand(index, sp)
	b.emit(instr{kind: doBounds, node: n, space: sp, in: []operand{o}, index: table.Type().Shape[0]})
	b.code.check = true
	row := operand{global: table, stride: rowSize(table), space: sp, index: o.index}
	switch o.kind {
	case inReg:
		row.kind = inTable
	case inFlat:
		row.kind = inTableFlat
	case inBuffer:
		row.kind = inTableBuffer
		if b.saved[v] {
			return false
		}
	default:
		return false
	}
	b.where[v] = row
	return true
}

func rowSize(table graph.Value) int { return table.Type().Elem().Size() }

// gemm compiles a product with a matrix that all rows share.
func (b *builder) gemm(n *graph.Node) {
	v := n.Result(0)
	i := instr{kind: doGemm, node: n, trans: n.Op.(ops.MatMulOp).TransB, reps: 1}
	if sum, ok := b.fused[v]; ok {
		v = sum
		i.bias = sum.Node().In[1]
	}
	x := n.In[0]
	if x.Type().Rank() == 2 && !x.Type().IsList() {
		i.reps = x.Type().Shape[0]
	}
	i.space = b.valueSpace(x)
	i.in = []operand{b.operand(x, i.space)}
	i.index = b.p.weight(n.In[1], i.trans)
	i.out = b.place(v, i.space)
	i.size = rowType(v.Type()).Size()
	b.emit(i)
}

// kernel compiles any other operator.
func (b *builder) kernel(n *graph.Node, l *ops.Lowering) {
	v := n.Result(0)
	for x, sum := range b.fused {
		if sum == v && b.inStage(x) {
			return // computed with the product
		}
	}
	i := instr{kind: doRows, node: n, run: l.Rows, keys: -1, size: rowType(v.Type()).Size()}
	if l.Window != nil {
		i.kind = doCopy
	}
	if l.Segments != nil {
		i.kind, i.run = doSegments, l.Segments
	}
	if _, keyed := n.Op.(ops.DropoutOp); keyed {
		i.keys = b.frameKeys()
	}
	i.space = b.listSpace(n)
	outSpace := i.space
	if !v.Type().IsList() {
		outSpace = frameSpace
	}
	for _, in := range n.In {
		sp := i.space
		if l.Segments != nil && !in.Type().IsList() {
			sp = frameSpace
		}
		i.in = append(i.in, b.operand(in, sp))
	}
	if l.Window != nil {
		i.in[0].offset += l.Window.From
	}
	i.out = b.place(v, outSpace)
	if l.Segments == nil {
		i.space = outSpace
	}
	b.code.check = true
	b.emit(i)
}

func (b *builder) frameKeys() int {
	if b.keyReg < 0 {
		b.keyReg = b.newReg()
		b.code.loads = append(b.code.loads, load{b.keyReg, hKey})
	}
	return b.keyReg
}

// listSpace is the space of the first list among the inputs of n; the others
// are checked to have equal lengths.
func (b *builder) listSpace(n *graph.Node) int {
	sp := frameSpace
	for _, v := range n.In {
		if !v.Type().IsList() {
			continue
		}
		s := b.valueSpace(v)
		switch {
		case sp == frameSpace:
			sp = s
		case sp != s:
			b.code.check = true
			b.emit(instr{kind: doSameLength, node: n, space: sp, index: s})
		}
	}
	return sp
}

// valueSpace is the space of v's rows.
func (b *builder) valueSpace(v graph.Value) int {
	if !v.Type().IsList() {
		return frameSpace
	}
	if o, ok := b.where[v]; ok {
		return o.space
	}
	return b.flatten(b.wordReg(v, b.p.storeFor(v)))
}

// flatten returns the space of the lists whose handles are in reg.
func (b *builder) flatten(reg int) int {
	if sp, ok := b.spaceOf[reg]; ok {
		return sp
	}
	b.code.spaces = append(b.code.spaces, space{reg})
	sp := len(b.code.spaces) - 1
	b.spaceOf[reg] = sp
	b.emit(instr{kind: doFlatten, space: sp, index: reg})
	return sp
}

func (b *builder) newReg() int {
	b.code.regs++
	return b.code.regs - 1
}

// operand is v as an instruction over the given space reads it.
func (b *builder) operand(v graph.Value, sp int) operand {
	o := b.locate(v)
	o.expand = o.kind != inGlobal && o.space != sp && o.space == frameSpace
	return o
}

// locate finds the rows of v.
func (b *builder) locate(v graph.Value) operand {
	if v.IsGlobal() {
		return operand{kind: inGlobal, global: v}
	}
	if o, ok := b.where[v]; ok {
		return o
	}
	t := v.Type()
	s := b.p.storeFor(v)
	r := b.wordReg(v, s)
	switch {
	case t.IsList() && s == nil:
		return operand{kind: inFlat, index: r, space: b.flatten(r)}
	case t.IsList():
		return operand{kind: inStoreFlat, index: r, store: s.id, space: b.flatten(r)}
	case s == nil:
		return operand{kind: inReg, index: r}
	}
	return operand{kind: inStore, index: r, store: s.id}
}

// place chooses where the rows of v are written.
func (b *builder) place(v graph.Value, sp int) operand {
	t := v.Type()
	if !hasRows(t) && !t.IsList() {
		r := b.newReg()
		b.regs[v] = r
		return operand{kind: inReg, index: r}
	}
	if b.adj != nil {
		if o, ok := b.adj.dest[v]; ok {
			b.where[v] = o
			return o
		}
	}
	var o operand
	switch {
	case b.escapes[v] && hasRows(t):
		o = b.ownIn(b.p.store(v), sp)
	case b.saved[v]:
		o = b.ownIn(b.p.newStore(rowType(t), false), sp)
	default:
		o = b.newBuffer(rowType(t), sp)
	}
	b.where[v] = o
	return o
}

func (b *builder) ownIn(s *storeInfo, sp int) operand {
	b.code.own = append(b.code.own, ownRows{s.id, sp})
	k := len(b.code.own) - 1
	b.emit(instr{kind: doReserve, space: sp, index: k})
	return operand{kind: inOwn, index: k, store: s.id, space: sp}
}

func (b *builder) newBuffer(t graph.Type, sp int) operand {
	b.code.buffers = append(b.code.buffers, buffer{size: t.Size(), ints: !t.DType.IsFloat(), space: sp})
	return operand{kind: inBuffer, index: len(b.code.buffers) - 1, space: sp}
}

// wordReg returns the register with v's word: the value of an integer, the name
// of a row in store s, or a list handle.
func (b *builder) wordReg(v graph.Value, s *storeInfo) int {
	if v.IsGlobal() {
		r := b.newReg()
		b.emit(instr{kind: doConst, index: b.pinned(v, s).index, out: operand{kind: inReg, index: r}})
		return r
	}
	if r, ok := b.regs[v]; ok {
		return r
	}
	r := b.newReg()
	b.regs[v] = r
	o, here := b.where[v]
	if !here {
		off, ok := b.sub.offset[v]
		if !ok {
			panic(fmt.Sprintf("exec: no frame word for the %v in %s", v, b.sub.g.Name))
		}
		b.code.loads = append(b.code.loads, load{r, off})
		return r
	}
	kind := doIota
	if v.Type().IsList() {
		kind = doListNames
	}
	b.emit(instr{kind: kind, node: v.Node(), space: o.space, in: []operand{o}, out: operand{kind: inReg, index: r}})
	return r
}

// pinned is the word of a constant or variable that flows into store s.
func (b *builder) pinned(v graph.Value, s *storeInfo) wordSource {
	if s == nil {
		return wordSource{fromConst, int(v.Node().Op.(*graph.Const).I[0])}
	}
	return wordSource{fromConst, int(s.pin(v))}
}

// word is the source of v's word.
func (b *builder) word(v graph.Value, s *storeInfo) wordSource {
	if v.IsGlobal() {
		return b.pinned(v, s)
	}
	return wordSource{fromReg, b.wordReg(v, s)}
}

func (b *builder) call(c *callSite) {
	cc := callCode{site: c}
	in := c.node.In
	if c.op.Leading() == 1 {
		cc.selector = b.word(in[0], nil)
		in = in[1:]
	}
	callee := c.callees[0].g
	for i, v := range in {
		var s *storeInfo
		if hasRows(v.Type()) {
			s = b.p.store(callee.Params[i])
		}
		cc.args = append(cc.args, b.word(v, s))
	}
	b.code.calls = append(b.code.calls, cc)
}
