package exec

import (
	"cmp"
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Note [Sums of products]
//
// W x + U h + b needs no additions: a product begins with the bias, or goes on with
// what is there. The products, with the additions that only combine them, are one sum;
// whatever else is added comes last.
//
// Products of several sums that read the same operand are one product with their
// matrices side by side: the sums lie next to each other in the rows of a block, and
// so do the activations that overwrite them (Note [Homes]) and their cotangents. The
// gradient of the operand is then one product as well, with the matrices one above the
// other.
//
// Sums that only later stages of the frame read can lie side by side as well. Their rows
// have one name then: a store holds the rows of the block, and the sums are views of it.
//
// All of this depends on the graph alone, not on what backward needs, so that values
// have the same bits in inference and in training.

// productSum is a sum of products with matrices that all rows share.
type productSum struct {
	root     graph.Value
	products []*graph.Node
	bias     graph.Value
	others   []graph.Value // added to the products
	block    *block
	offset   int // in the rows of the block
}

// block holds sums side by side.
type block struct {
	sums  []*productSum
	width int
	calls []*productCall
}

// productCall is one matrix product: an operand times the matrices of neighbouring sums.
type productCall struct {
	x     graph.Value
	sums  []*productSum
	nodes []*graph.Node // the product of every sum
	adds  bool          // to earlier products
}

// findSums finds the sums of products of the stage and their blocks.
func (b *builder) findSums() {
	var sums []*productSum
	for _, n := range b.st.nodes {
		if isGemm(n) {
			s := &productSum{root: n.Result(0), products: []*graph.Node{n}}
			b.sumOf[s.root] = s
			sums = append(sums, s)
		} else if ops.IsAdd(n.Op) {
			b.join(n)
		}
	}
	sums = slices.DeleteFunc(sums, func(s *productSum) bool { return b.sumOf[s.root] != s })
	b.sortProducts(sums)
	for _, s := range sums {
		if s.block == nil {
			b.newBlock(s, sums)
		}
	}
}

// join makes an addition part of the sums that are its operands, if they can be.
func (b *builder) join(n *graph.Node) {
	z := n.Result(0)
	s, t := b.operandSum(n.In[0], z), b.operandSum(n.In[1], z)
	x := n.In[1]
	if s == nil {
		s, t, x = t, nil, n.In[0]
	}
	switch {
	case s == nil:
		return
	case t != nil && oneRow(s) && oneRow(t):
		s.products = append(s.products, t.products...)
		s.others = append(s.others, t.others...)
		if s.bias.IsZero() {
			s.bias = t.bias
		} else if !t.bias.IsZero() {
			s.others = append(s.others, t.bias)
		}
		for v, sum := range b.sumOf {
			if sum == t {
				b.sumOf[v] = s
			}
		}
	case s.bias.IsZero() && x.IsGlobal() && x.Type().Equal(graph.T(graph.Float32, lastExtent(z.Type()))):
		s.bias = x
	case t == nil && oneRow(s) && x.Type().Equal(z.Type()):
		s.others = append(s.others, x)
	default:
		return
	}
	s.root = z
	b.sumOf[z] = s
}

// operandSum returns the sum that v is, when nothing but the addition with result z
// reads it.
func (b *builder) operandSum(v, z graph.Value) *productSum {
	s := b.sumOf[v]
	if s == nil || s.root != v || b.uses[v] != 1 || b.escapes[v] || !v.Type().Equal(z.Type()) {
		return nil
	}
	return s
}

// oneRow reports whether the sum has one row per frame.
func oneRow(s *productSum) bool { return s.root.Type().Rank() == 1 && !s.root.Type().IsList() }

// sortProducts begins every sum with the product whose operand most sums read.
func (b *builder) sortProducts(sums []*productSum) {
	readers := map[graph.Value]int{}
	for _, s := range sums {
		for _, n := range s.products {
			readers[n.In[0]]++
		}
	}
	for _, s := range sums {
		slices.SortStableFunc(s.products, func(p, q *graph.Node) int {
			return cmp.Or(readers[q.In[0]]-readers[p.In[0]], p.Index-q.Index)
		})
	}
}

// newBlock puts s and the sums that can lie beside it into a block.
func (b *builder) newBlock(s *productSum, sums []*productSum) {
	bl := &block{}
	for _, t := range sums {
		if t == s || t.block == nil && b.beside(s, t) && t.products[0].In[0] == s.products[0].In[0] {
			t.block = bl
			bl.sums = append(bl.sums, t)
		}
	}
	second := func(t *productSum) int { // sums with equal second operands are neighbours
		if len(t.products) < 2 {
			return -1
		}
		x := t.products[1].In[0]
		return slices.IndexFunc(bl.sums, func(u *productSum) bool { return len(u.products) > 1 && u.products[1].In[0] == x })
	}
	order := map[*productSum]int{}
	for _, t := range bl.sums {
		order[t] = second(t)
	}
	slices.SortStableFunc(bl.sums, func(t, u *productSum) int { return order[t] - order[u] })
	for _, t := range bl.sums {
		t.offset = bl.width
		bl.width += rowType(t.root.Type()).Size()
	}
	if len(bl.sums) > 1 {
		h := &home{typ: graph.T(graph.Float32, bl.width)}
		if b.escapes[s.root] {
			h.store = b.p.viewStore(b.sub, bl)
		}
		for _, t := range bl.sums {
			b.rooms[t.root] = room{h, t.offset}
		}
	}
	b.findCalls(bl)
}

// beside reports whether two sums may lie in one row.
func (b *builder) beside(s, t *productSum) bool {
	return b.escapes[s.root] == b.escapes[t.root] && b.mayShareRow(s) && b.mayShareRow(t)
}

func (b *builder) mayShareRow(s *productSum) bool {
	t := s.root.Type()
	if b.escapes[s.root] {
		return oneRow(s) && b.sub.crosses(s.root)
	}
	return oneRow(s) || t.IsList() && t.Rank() == 2
}

// findCalls lists the matrix products of a block. Each is executed when the first of
// its sums is due.
func (b *builder) findCalls(bl *block) {
	for k := 0; ; k++ {
		var last *productCall
		found := false
		for _, s := range bl.sums {
			if k >= len(s.products) {
				last = nil
				continue
			}
			found = true
			n := s.products[k]
			if last == nil || last.x != n.In[0] {
				last = &productCall{x: n.In[0], adds: k > 0}
				bl.calls = append(bl.calls, last)
			}
			last.sums, last.nodes = append(last.sums, s), append(last.nodes, n)
			b.callOf[n] = last
		}
		if !found {
			break
		}
	}
	for _, c := range bl.calls {
		first := slices.MinFunc(c.sums, func(s, t *productSum) int { return s.root.Node().Index - t.root.Node().Index })
		b.callsAt[first.root] = append(b.callsAt[first.root], c)
	}
}

// sum compiles what is due with the root of a sum.
func (b *builder) sum(s *productSum) {
	for _, c := range b.callsAt[s.root] {
		b.productCall(c)
	}
	to := b.where[s.root]
	for _, x := range s.others {
		if b.added[x] {
			b.addTo(x, to)
			continue
		}
		b.emit(instr{kind: doAdd, node: s.root.Node(), in: []operand{b.operand(x, frameSpace)}, out: to, size: s.root.Type().Size(), floats: true})
	}
}

// productCall compiles one matrix product.
func (b *builder) productCall(c *productCall) {
	n := c.nodes[0]
	i := instr{kind: doGemm, node: n, reps: 1, add: c.adds, space: b.valueSpace(c.x)}
	if t := c.x.Type(); t.Rank() == 2 && !t.IsList() {
		i.reps = t.Shape[0]
	}
	i.in = []operand{b.operand(c.x, i.space)}
	var weights []int
	var biases []graph.Value
	for k, n := range c.nodes {
		weights = append(weights, b.p.weightOf(n))
		i.size += rowType(n.Out[0]).Size()
		bias := graph.Value{}
		if !c.adds { // the first product begins with it
			bias = c.sums[k].bias
			b.place(c.sums[k].root, i.space)
		}
		biases = append(biases, bias)
	}
	if i.index = weights[0]; len(weights) > 1 {
		i.index = b.p.joined(weights, false, biases)
	} else {
		i.bias = biases[0]
	}
	i.out = b.where[c.sums[0].root]
	b.emit(i)
}
