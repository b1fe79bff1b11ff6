package exec

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// analyse finds the steps to execute and the forward values that they read.
func (a *adjointBuilder) analyse() {
	g := a.b.sub.g
	for _, s := range g.Adjoint.Steps {
		if a.b.sub.stageOf[s.Node] == a.b.st && !isCall(s.Node) && !isRename(s.Node) {
			a.analyseStep(s)
		}
	}
	a.chooseRecomputed()
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
		if s := a.b.sumOf[t]; s != nil && s.root != t && s == a.b.sumOf[n.Result(0)] {
			continue // shares the place of the sum's cotangent
		}
		if i == 0 && a.joinedElsewhere(n, c) {
			continue
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

// joinedElsewhere reports whether the contribution of product n to its operand is part
// of another's. The first of the products that are one call stands for all.
func (a *adjointBuilder) joinedElsewhere(n *graph.Node, c graph.Value) bool {
	call := a.b.callOf[n]
	if call == nil || len(call.nodes) == 1 || !a.oneProduct(call) {
		return false
	}
	for _, m := range call.nodes {
		if m.Index < n.Index {
			return true
		}
	}
	a.joined[c] = call
	return false
}

// oneProduct reports whether the contributions of all products of a call to their
// operand are products with the cotangents.
func (a *adjointBuilder) oneProduct(call *productCall) bool {
	for _, n := range call.nodes {
		v := a.contributionOf(n)
		if v.IsZero() || !isGemm(v.Node()) || !isCotangentOf(v.Node().In[0], n) {
			return false
		}
	}
	return true
}

// contributionOf returns what product n contributes to its operand.
func (a *adjointBuilder) contributionOf(n *graph.Node) graph.Value {
	for _, s := range a.b.sub.g.Adjoint.Steps {
		if s.Node == n {
			return s.Into[0]
		}
	}
	return graph.Value{}
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
