package exec

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// plan is what is computed once per program: for every graph its stages and the
// layout of its frames, for every stage its code, and the stores in which rows
// of values live. A plan is immutable and shared by all engines.
type plan struct {
	prog   *graph.Program
	subs   []*subPlan
	subOf  map[*graph.Graph]*subPlan
	stages []*stage
	stores []*storeInfo
	uses   []*weightUse
	dys    []*cotangentRows
	tables []string
	keyed  bool // some operator draws random numbers from its frame's key

	weights   []weight
	operators []string

	classes      *classes
	storeOf      map[graph.Value]int // by class representative
	views        map[graph.Value]view
	constResults map[resultKey]*storeInfo
}

// storeInfo describes a store: rows of equal size, named by their position. All
// values that may reach the same place by way of invocations share a store.
type storeInfo struct {
	id    int
	size  int // elements per row
	ints  bool
	named bool          // rows are referred to by name and have adjoints
	pins  []graph.Value // constants and variables that occupy the first rows
}

// weightUse is one product of the program with a variable, whose gradient is
// computed for all rows of a step at once.
type weightUse struct {
	variable int
	swap     bool // the gradient is dYᵀ·X instead of Xᵀ·dY
	xDim     int
	yDim     int
	rows     int // rows of X and dY per row of the operands
	x        operand
	dy       int // the rows of dY
	dyFrom   int // where in them dY begins
}

// cotangentRows are rows that gradients of products read: the cotangents of one or
// several products, side by side.
type cotangentRows struct{ width int }

// operator returns the number of an operator's name.
func (p *plan) operator(name string) int {
	if i := slices.Index(p.operators, name); i >= 0 {
		return i
	}
	p.operators = append(p.operators, name)
	return len(p.operators) - 1
}

// reshapedGlobal returns the constant or variable of which v is the whole, in
// whatever shape; the zero Value when there is none.
func reshapedGlobal(v graph.Value) graph.Value {
	for !v.IsGlobal() {
		n := v.Node()
		if _, ok := n.Op.(*ops.ReshapeOp); !ok {
			return graph.Value{}
		}
		v = n.In[0]
	}
	return v
}

func newPlan(prog *graph.Program) (*plan, error) {
	p := &plan{prog: prog, subOf: map[*graph.Graph]*subPlan{}, storeOf: map[graph.Value]int{}, views: map[graph.Value]view{}, constResults: map[resultKey]*storeInfo{}}
	for i, g := range prog.Graphs {
		s := &subPlan{id: i, g: g, offset: map[graph.Value]int{}, stageOf: map[*graph.Node]*stage{}}
		p.subs = append(p.subs, s)
		p.subOf[g] = s
		for _, n := range g.Nodes {
			if err := p.checkNode(n); err != nil {
				return nil, err
			}
		}
	}
	p.classes = findClasses(prog)
	for _, s := range p.subs {
		p.partition(s)
	}
	for _, st := range p.stages {
		st.role = roleOf(st)
	}
	for _, st := range p.stages {
		p.findViews(st)
	}
	for _, st := range p.stages {
		if err := p.compile(st); err != nil {
			return nil, err
		}
	}
	for _, s := range p.subs {
		s.makeTemplate()
		for i := range s.g.Out {
			s.results = append(s.results, p.resultStore(s.g, i))
		}
		for _, v := range s.g.Params { // inputs that nothing reads are fed as well
			s.params = append(s.params, p.storeFor(v))
		}
	}
	return p, nil
}

// checkNode reports operators that the executor cannot run.
func (p *plan) checkNode(n *graph.Node) error {
	switch op := n.Op.(type) {
	case graph.Param, *graph.Const, *graph.Read, *recursion.InvokeOp, recursion.LossOp:
		return nil
	case recursion.CollectOp:
		p.table(op.Table)
		return nil
	case ops.Op:
		if _, keyed := op.(ops.DropoutOp); keyed {
			p.keyed = true
		}
		l := op.Lower(n.InTypes(), n.Out[0])
		if l.Rows == nil && l.Segments == nil && l.Names == nil && l.Window == nil {
			return fmt.Errorf("%w: %s (%v) has no batching rule for %v", graph.ErrInvalid, op.Name(), n.Pos, n.InTypes())
		}
		return nil
	}
	return fmt.Errorf("%w: %s (%v) is a %T, which is not an operator that can be executed", graph.ErrInvalid, n.Op.Name(), n.Pos, n.Op)
}

func (p *plan) table(name string) int {
	for i, t := range p.tables {
		if t == name {
			return i
		}
	}
	p.tables = append(p.tables, name)
	return len(p.tables) - 1
}

// lowering returns the batching rule of a node, or nil for nodes that the
// executor handles itself.
func lowering(n *graph.Node) *ops.Lowering {
	op, ok := n.Op.(ops.Op)
	if !ok {
		return nil
	}
	l := op.Lower(n.InTypes(), n.Out[0])
	return &l
}

// isRename reports whether the node only handles words: names, list handles and
// the lengths of lists.
func isRename(n *graph.Node) bool {
	l := lowering(n)
	return l != nil && l.Names != nil
}

// hasRows reports whether values of type t are rows of a store, or lists of
// them; other values are words, or lists of words.
func hasRows(t graph.Type) bool {
	if t.IsList() {
		t = t.Elem()
	}
	return t.DType.IsFloat() || len(t.Shape) > 0
}

// rowType is the type of one row of a value.
func rowType(t graph.Type) graph.Type {
	if t.IsList() {
		return t.Elem()
	}
	return t
}

// newStore adds a store for rows of type t.
func (p *plan) newStore(t graph.Type, named bool) *storeInfo {
	s := &storeInfo{id: len(p.stores), size: t.Size(), ints: !t.DType.IsFloat(), named: named}
	p.stores = append(p.stores, s)
	return s
}

// store returns the store of the named rows of v.
func (p *plan) store(v graph.Value) *storeInfo {
	if v, ok := p.views[v]; ok {
		return v.store
	}
	r := p.classes.find(v)
	if id, ok := p.storeOf[r]; ok {
		return p.stores[id]
	}
	s := p.newStore(rowType(v.Type()), true)
	p.storeOf[r] = s.id
	return s
}

// pin returns the name of the row that holds the constant or variable v in the store.
func (s *storeInfo) pin(v graph.Value) int32 {
	for i, q := range s.pins {
		if q == v {
			return int32(i)
		}
	}
	s.pins = append(s.pins, v)
	return int32(len(s.pins) - 1)
}
