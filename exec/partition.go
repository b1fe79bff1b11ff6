package exec

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// stageKey identifies a stage within its graph.
type stageKey struct {
	after string
	sink  bool
}

// partitioner groups the nodes of one graph into stages.
type partitioner struct {
	p      *plan
	s      *subPlan
	after  map[*graph.Node]callSet
	needed map[*graph.Node]bool // for results or invocations, not only for sinks
	live   map[*graph.Node]bool
	result map[*graph.Node]bool
	users  map[*graph.Node][]*graph.Node
	key    map[*graph.Node]stageKey
	sets   map[string]callSet
	byKey  map[stageKey]*stage
	siteOf map[*graph.Node]*callSite
}

func (p *plan) partition(s *subPlan) {
	q := &partitioner{p: p, s: s, after: map[*graph.Node]callSet{}, needed: map[*graph.Node]bool{}, live: map[*graph.Node]bool{},
		result: map[*graph.Node]bool{}, users: map[*graph.Node][]*graph.Node{}, key: map[*graph.Node]stageKey{},
		sets: map[string]callSet{}, byKey: map[stageKey]*stage{}, siteOf: map[*graph.Node]*callSite{}}
	q.findDependencies()
	q.findLive()
	q.place()
	q.makeStages()
	q.findTailCall()
	q.layout()
	q.connect()
}

func isParam(n *graph.Node) bool { _, ok := n.Op.(graph.Param); return ok }

// findDependencies computes, per node, the invocations it depends on.
func (q *partitioner) findDependencies() {
	s := q.s
	for _, n := range s.g.Nodes {
		var set callSet
		for _, v := range n.In {
			if v.IsGlobal() {
				continue
			}
			in := v.Node()
			set = set.union(q.after[in])
			if c := q.siteOf[in]; c != nil {
				set = set.with(c.slot)
			}
		}
		q.after[n] = set
		if op, ok := n.Op.(*recursion.InvokeOp); ok {
			c := &callSite{slot: len(s.calls), node: n, op: op}
			c.isBool = op.Mode() == recursion.Select && n.In[0].Type().DType == graph.Boolean
			for _, g := range op.Callees() {
				callee := q.p.subOf[g]
				callee.invoked = true
				callee.branch = op.Mode() == recursion.Select && g.IsBody()
				c.callees = append(c.callees, callee)
			}
			s.calls = append(s.calls, c)
			q.siteOf[n] = c
		}
	}
}

// findLive marks the nodes that results, invocations or sinks need.
func (q *partitioner) findLive() {
	g := q.s.g
	for _, v := range g.Results {
		if !v.IsGlobal() {
			q.needed[v.Node()], q.result[v.Node()] = true, true
		}
	}
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		n := g.Nodes[i]
		_, sink := n.Op.(graph.Sink)
		if q.siteOf[n] != nil && len(n.Out) > 0 {
			q.needed[n] = true
		}
		if q.needed[n] || sink || q.siteOf[n] != nil {
			q.live[n] = true
		}
		for _, v := range n.In {
			if v.IsGlobal() {
				continue
			}
			q.needed[v.Node()] = q.needed[v.Node()] || q.needed[n]
			q.live[v.Node()] = q.live[v.Node()] || q.live[n]
		}
	}
}

// place chooses each node's stage. Floats are computed as early as they can be,
// so that batches are wide. Integers, names and what only sinks read are
// computed late, in the stage of their users when that is one stage: early
// placement would add stages that do little.
func (q *partitioner) place() {
	g := q.s.g
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		n := g.Nodes[i]
		if !q.live[n] || isParam(n) {
			continue
		}
		k := stageKey{q.after[n].key(), !q.needed[n]}
		q.sets[k.after] = q.after[n]
		if users := q.users[n]; q.mayBeLate(n) && len(users) > 0 {
			first, same := q.key[users[0]], true
			for _, u := range users {
				same = same && q.key[u] == first
			}
			if same {
				k = first
			}
		}
		q.key[n] = k
		for _, v := range n.In {
			if !v.IsGlobal() {
				q.users[v.Node()] = append(q.users[v.Node()], n)
			}
		}
	}
}

func (q *partitioner) mayBeLate(n *graph.Node) bool {
	if _, sink := n.Op.(graph.Sink); sink || q.siteOf[n] != nil || q.result[n] {
		return false
	}
	return !q.needed[n] || !n.Out[0].DType.IsFloat() || isRename(n) || isLookUp(n) || !reshapedGlobal(n.Result(0)).IsZero()
}

// isLookUp reports whether the node picks a row of a constant or variable.
func isLookUp(n *graph.Node) bool {
	_, ok := n.Op.(ops.AtOp)
	return ok && n.In[0].IsGlobal()
}

func (q *partitioner) makeStages() {
	q.stage(stageKey{})
	for _, n := range q.s.g.Nodes {
		if !q.live[n] || isParam(n) {
			continue
		}
		st := q.stage(q.key[n])
		st.nodes = append(st.nodes, n)
		q.s.stageOf[n] = st
		if c := q.siteOf[n]; c != nil {
			st.calls = append(st.calls, c)
		}
	}
	var after callSet
	for _, v := range q.s.g.Results {
		if v.IsGlobal() {
			continue
		}
		after = after.union(q.after[v.Node()])
		if c := q.siteOf[v.Node()]; c != nil {
			after = after.with(c.slot)
		}
	}
	k := stageKey{after: after.key()}
	q.sets[k.after] = after
	ret := q.stage(k)
	ret.isRet = true
	ret.passes = len(ret.nodes) == 0 && after.count() > 0
	q.s.ret = ret
}

func (q *partitioner) stage(k stageKey) *stage {
	st := q.byKey[k]
	if st == nil {
		st = &stage{sub: q.s, after: q.sets[k.after], sink: k.sink}
		q.byKey[k] = st
		q.s.stages = append(q.s.stages, st)
	}
	return st
}

// findTailCall drops the return stage when the results are exactly those of one
// invocation that nothing else waits for.
func (q *partitioner) findTailCall() {
	s := q.s
	if !s.ret.passes || s.ret.after.count() == 0 || len(s.g.Results) == 0 {
		return
	}
	c := q.siteOf[s.g.Results[0].Node()]
	if c == nil || c.op.Mode() == recursion.Each || len(s.g.Results) != len(c.node.Out) {
		return
	}
	for i, v := range s.g.Results {
		if v.Node() != c.node || v.Out() != i {
			return
		}
	}
	for _, st := range s.stages {
		if st != s.ret && st.after.has(c.slot) {
			return
		}
	}
	c.tail = true
	for _, callee := range c.callees {
		callee.replaces = callee.branch
	}
	kept := s.stages[:0]
	for _, st := range s.stages {
		if st != s.ret {
			kept = append(kept, st)
		}
	}
	s.stages, s.ret = kept, nil
}

// layout assigns frame words to parameters, call results and values that other
// stages read.
func (q *partitioner) layout() {
	s := q.s
	off := headerWords
	word := func() int { off++; return off - 1 }
	for _, v := range s.g.Params {
		s.offset[v] = word()
	}
	for _, c := range s.calls {
		c.results = off
		for i := range c.node.Out {
			s.offset[c.node.Result(i)] = word()
		}
		if c.op.Mode() == recursion.Each {
			c.pending = word()
		}
	}
	for _, st := range s.stages {
		for _, n := range st.nodes {
			for _, v := range n.In {
				q.crossing(st, v, word)
			}
		}
		if st.isRet {
			for _, v := range s.g.Results {
				q.crossing(st, v, word)
			}
		}
	}
	for _, st := range s.stages[1:] {
		if st.after.count() == 0 && len(st.deps) == 0 {
			st.deps = append(st.deps, s.stages[0]) // so that something makes it ready
		}
	}
	for _, st := range s.stages {
		st.pending = st.after.count() + len(st.deps)
		if st.pending > 1 {
			st.pendOff = word()
		}
	}
	s.frameWords = off
}

// crossing notes that stage st reads v.
func (q *partitioner) crossing(st *stage, v graph.Value, word func() int) {
	if v.IsGlobal() {
		return
	}
	from := q.s.stageOf[v.Node()]
	if from == nil || from == st || q.siteOf[v.Node()] != nil {
		return
	}
	if _, ok := q.s.offset[v]; !ok {
		q.s.offset[v] = word()
	}
	for _, c := range from.calls {
		if st.after.has(c.slot) {
			return // the answer to c implies that from has run
		}
	}
	for _, d := range st.deps {
		if d == from {
			return
		}
	}
	st.deps = append(st.deps, from)
}

func (q *partitioner) connect() {
	for _, st := range q.s.stages {
		st.id = len(q.p.stages)
		q.p.stages = append(q.p.stages, st)
		for _, d := range st.deps {
			d.next = append(d.next, st)
		}
		for _, c := range q.s.calls {
			if st.after.has(c.slot) {
				c.waiting = append(c.waiting, st)
			}
		}
	}
}
