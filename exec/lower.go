package exec

import (
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

	escapes map[graph.Value]bool           // needed outside of the stage, by name
	saved   map[graph.Value]bool           // needed by backward
	uses    map[graph.Value]int            // readers within the stage
	parts   map[graph.Value][]ops.Window   // what they read of values that have parts
	sumOf   map[graph.Value]*productSum    // of products and additions: see Note [Sums of products]
	callOf  map[*graph.Node]*productCall   // of products
	callsAt map[graph.Value][]*productCall // what is due with the root of a sum
	added   map[graph.Value]bool           // see Note [Added operands]
	rooms   map[graph.Value]room           // see Note [Homes]
	regs    map[graph.Value]int
	regAt   map[int]int // frame offset -> register that is loaded from there
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
		b := newBuilder(p, st)
		b.findSums()
		b.findAdded()
		if train {
			b.adj = newAdjointBuilder(b)
			b.adj.analyse()
			st.train = b.code
		} else {
			st.infer = b.code
		}
		b.findHomes()
		if err := b.forward(); err != nil {
			return err
		}
		b.code.instrs = fuse(b.code.instrs)
		if train {
			b.adj.emit()
			b.code.back = fuse(b.code.back)
			assignSlots(b.code, b.code.back)
		}
		assignSlots(b.code, b.code.instrs)
		b.code.share = findSharing(b.code)
	}
	return nil
}

// newBuilder returns a builder that knows who reads the values of the stage.
func newBuilder(p *plan, st *stage) *builder {
	b := &builder{p: p, sub: st.sub, st: st, code: &stageCode{spaces: []space{{-1}}},
		escapes: map[graph.Value]bool{}, saved: map[graph.Value]bool{}, uses: map[graph.Value]int{},
		sumOf: map[graph.Value]*productSum{}, callOf: map[*graph.Node]*productCall{}, callsAt: map[graph.Value][]*productCall{},
		added: map[graph.Value]bool{}, rooms: map[graph.Value]room{},
		regs: map[graph.Value]int{}, regAt: map[int]int{}, where: map[graph.Value]operand{}, spaceOf: map[int]int{}, keyReg: -1}
	b.findEscapes()
	b.countUses()
	b.parts = b.partsRead()
	return b
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

// countUses counts the readers of every value within the stage.
func (b *builder) countUses() {
	for _, n := range b.st.nodes {
		for _, v := range n.In {
			b.uses[v]++
		}
	}
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
	stored := map[int]bool{}
	for _, n := range b.st.nodes {
		for i := range n.Out {
			v := n.Result(i)
			if off, ok := b.sub.offset[v]; ok && !isCall(n) && !stored[off] {
				stored[off] = true
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
	case b.sumOf[n.Result(0)] != nil:
		if s := b.sumOf[n.Result(0)]; s.root == n.Result(0) {
			b.sum(s)
		}
	case isGemm(n):
		b.adjointProduct(n)
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
