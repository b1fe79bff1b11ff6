package exec

import (
	"math/bits"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/recursion"
)

// The words of a frame's header.
const (
	hSub    = iota // index of the graph
	hParent        // frame of the caller, noFrame for a root
	hSlot          // call site in the caller's graph; root number for a root
	hElem          // element of the mapped lists
	hRemain        // stages that have not run, and answers that no stage waits for
	hRoot          // number of the root that the frame works for
	hDepth         // calls on the path from the root, selections not counted
	hKey           // key of the path, independent of the schedule
	headerWords
)

const noFrame = -1

// subPlan is the plan of one graph.
type subPlan struct {
	id       int
	g        *graph.Graph
	invoked  bool // by some graph; if not, only inputs run it
	branch   bool // a body that selections invoke; running it is no call
	replaces bool // it is invoked in tail position, in the frame of its caller
	calls    []*callSite
	stages   []*stage // the first one runs when a frame is created
	ret      *stage   // makes the results; nil when a tail call does
	offset   map[graph.Value]int
	stageOf  map[*graph.Node]*stage

	frameWords int
	template   []int32
	counts     []frameCount // what differs from zero in the template, and changes

	// The stores of the rows that parameters and results name, nil for words.
	params, results []*storeInfo
}

// callSite is a node that invokes graphs.
type callSite struct {
	slot    int
	node    *graph.Node
	op      *recursion.InvokeOp
	callees []*subPlan
	isBool  bool // the selector is a truth value
	tail    bool // the callee answers to the caller's caller
	results int  // frame offset of the results
	pending int  // frame offset of the number of unanswered invocations (Each)
	waiting []*stage
}

// unawaited reports whether no stage waits for the answer.
func (c *callSite) unawaited() bool { return !c.tail && len(c.waiting) == 0 }

// role orders ready stages: those that start invocations first, so that as many
// frames as possible are ready together; sinks last, since nothing waits for them.
type role uint8

const (
	roleCalls role = iota
	roleLeaf
	roleContinuation
	roleAnswer // of an input's run: no invocation waits for it
	roleSink
)

func (r role) String() string {
	return [...]string{"calls", "leaf", "continuation", "answer", "sink"}[r]
}

// stage is the straight-line part of a graph whose nodes depend on the same
// invocations: the unit of scheduling, batching and differentiation.
type stage struct {
	id    int
	sub   *subPlan
	after callSet // invocations that it depends on
	sink  bool
	role  role
	nodes []*graph.Node
	calls []*callSite
	deps  []*stage // earlier stages of the frame that it reads
	next  []*stage // stages that have it in deps
	isRet bool
	// passes says that the stage has no nodes and only hands names on; it is
	// done on delivery instead of being queued.
	passes  bool
	pending int // what it waits for: invocations and stages
	pendOff int // frame offset of the count, when pending > 1

	infer, train *stageCode
}

// callSet is a set of call sites of one graph.
type callSet []uint64

func (s callSet) has(i int) bool { return i/64 < len(s) && s[i/64]>>(i%64)&1 != 0 }

func (s callSet) with(i int) callSet {
	c := make(callSet, max(len(s), i/64+1))
	copy(c, s)
	c[i/64] |= 1 << (i % 64)
	return c
}

func (s callSet) union(o callSet) callSet {
	if len(o) > len(s) {
		s, o = o, s
	}
	c := append(callSet(nil), s...)
	for i, w := range o {
		c[i] |= w
	}
	return c
}

func (s callSet) count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s callSet) key() string {
	for len(s) > 0 && s[len(s)-1] == 0 {
		s = s[:len(s)-1]
	}
	b := make([]byte, 0, 8*len(s))
	for _, w := range s {
		for k := range 8 {
			b = append(b, byte(w>>(8*k)))
		}
	}
	return string(b)
}

// frameCount is a count in a frame and where it starts.
type frameCount struct{ offset, value int32 }

func (s *subPlan) makeTemplate() {
	s.template = make([]int32, s.frameWords)
	s.template[hSub] = int32(s.id)
	s.template[hRemain] = int32(len(s.stages))
	for _, c := range s.calls {
		if c.unawaited() {
			s.template[hRemain]++ // the frame must outlive the invocation
		}
	}
	for _, st := range s.stages {
		if st.pending > 1 {
			s.template[st.pendOff] = int32(st.pending)
			s.counts = append(s.counts, frameCount{int32(st.pendOff), int32(st.pending)})
		}
	}
	s.counts = append(s.counts, frameCount{hRemain, s.template[hRemain]})
}

func roleOf(st *stage) role {
	switch {
	case st.sink:
		return roleSink
	case len(st.calls) > 0:
		return roleCalls
	case !st.sub.invoked:
		return roleAnswer
	case st.after.count() > 0:
		return roleContinuation
	}
	return roleLeaf
}
