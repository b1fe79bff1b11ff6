package data

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// ListOpsOptions says which expressions GenerateListOps makes. A zero field stands for
// its default.
type ListOpsOptions struct {
	MaxDepth  int      // nested lists at most; default 20
	MaxArgs   int      // arguments of a list, from 2; default 5
	MinLength int      // tokens of an expression, brackets not counted; default 4
	MaxLength int      // default 1000
	Nesting   float64  // probability that an argument is a list, above 0 and at most 1; default 0.25
	Operators []ListOp // default MAX, MIN, MED, SM
}

// The shortest list is an operator, two digits and "]".
const (
	minListArgs   = 2
	minListLength = 1 + minListArgs + 1
)

func (o ListOpsOptions) resolve() (ListOpsOptions, error) {
	setDefault(&o.MaxDepth, 20)
	setDefault(&o.MaxArgs, 5)
	setDefault(&o.MinLength, minListLength)
	setDefault(&o.MaxLength, 1000)
	setDefault(&o.Nesting, 0.25)
	if len(o.Operators) == 0 {
		o.Operators = []ListOp{OpMax, OpMin, OpMed, OpSumMod}
	}
	switch {
	case o.MaxDepth < 1:
		return o, fmt.Errorf("%w: got MaxDepth %d, want at least 1", ErrOption, o.MaxDepth)
	case o.MaxArgs < minListArgs:
		return o, fmt.Errorf("%w: got MaxArgs %d, want at least %d", ErrOption, o.MaxArgs, minListArgs)
	case o.MinLength < 0:
		return o, fmt.Errorf("%w: got MinLength %d, want at least 0", ErrOption, o.MinLength)
	case o.MaxLength < minListLength:
		return o, fmt.Errorf("%w: got MaxLength %d, want at least %d, the length of the shortest list", ErrOption, o.MaxLength, minListLength)
	case o.MinLength > o.MaxLength:
		return o, fmt.Errorf("%w: got MinLength %d, want at most MaxLength, which is %d", ErrOption, o.MinLength, o.MaxLength)
	case !(o.Nesting > 0 && o.Nesting <= 1):
		return o, fmt.Errorf("%w: got Nesting %v, want above 0 and at most 1", ErrOption, o.Nesting)
	}
	for _, op := range o.Operators {
		if op >= numListOps {
			return o, fmt.Errorf("%w: got operator %v, want one of %v", ErrOption, op, listOpTokens)
		}
	}
	return o, nil
}

func setDefault[T comparable](field *T, value T) {
	if zero := *new(T); *field == zero {
		*field = value
	}
}

// GenerateListOps makes n different ListOps expressions. The result depends only on the
// arguments: it is the same on every machine, and a larger n only adds trees.
//
// Trees are binarised as in the data of the paper: an operator takes its arguments one
// by one from the left, then "]". "[MAX 2 9 ]" is "( ( ( [MAX 2 ) 9 ) ] )". Label is
// the value of each node that has one, the root among them; operators, lists that
// are still open, and "]" have NoLabel.
//
// The error wraps ErrOption: a value is out of range, or hardly any more expressions
// are within the bounds.
func GenerateListOps(seed uint64, n int, o ListOpsOptions) ([]*Tree, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, fmt.Errorf("%w: got %d expressions to make, want at least 0", ErrOption, n)
	}
	const maxVain = 100_000 // tries in a row without a new expression
	g := listOpsGenerator{o: o, random: newRandomSource(seed)}
	trees := make([]*Tree, 0, min(n, 1<<20))
	seen := make(map[string]struct{})
	var text []byte
	for vain := 0; len(trees) < n; vain++ {
		if vain == maxVain {
			return nil, fmt.Errorf("%w: found %d different expressions within the bounds, want %d", ErrOption, len(trees), n)
		}
		if !g.expression() {
			continue
		}
		tree, err := g.tree()
		if err != nil {
			return nil, err
		}
		text = tree.AppendUnlabelled(text[:0])
		if _, ok := seen[string(text)]; !ok {
			seen[string(text)] = struct{}{}
			trees = append(trees, tree)
			vain = 0
		}
	}
	return trees, nil
}

// ListOpsSplits holds three sets that have no expression in common.
type ListOpsSplits struct{ Train, Dev, Test []*Tree }

// GenerateListOpsSplits makes sets of the given sizes from one seed, as GenerateListOps
// does. All expressions are different, within the sets and between them.
func GenerateListOpsSplits(seed uint64, train, dev, test int, o ListOpsOptions) (ListOpsSplits, error) {
	if train < 0 || dev < 0 || test < 0 {
		return ListOpsSplits{}, fmt.Errorf("%w: got sizes %d, %d, %d, want at least 0", ErrOption, train, dev, test)
	}
	all, err := GenerateListOps(seed, train+dev+test, o)
	if err != nil {
		return ListOpsSplits{}, err
	}
	cut := train + dev
	return ListOpsSplits{Train: all[:train:train], Dev: all[train:cut:cut], Test: all[cut:]}, nil
}

// A listOpsGenerator draws expressions, of any length up to the bound.
type listOpsGenerator struct {
	o      ListOpsOptions
	random randomSource
	nodes  []Node
	length int
	lists  []int // for each open list, the arguments still to come
}

// expression draws an expression into nodes and reports whether its length is within
// the bounds. It stops as soon as it is too long.
func (g *listOpsGenerator) expression() bool {
	g.nodes, g.lists, g.length = g.nodes[:0], g.lists[:0], 0
	g.openList()
	for len(g.lists) > 0 && g.length <= g.o.MaxLength {
		top := len(g.lists) - 1
		switch {
		case g.lists[top] == 0:
			g.lists = g.lists[:top]
			g.leaf(listOpsEnd)
			g.join()
			if top > 0 {
				g.join() // the list is an argument of the one around it
			}
		case len(g.lists) < g.o.MaxDepth && g.random.chance(g.o.Nesting):
			g.lists[top]--
			g.openList()
		default:
			g.lists[top]--
			g.leaf(digits[g.random.below(len(digits))])
			g.join()
		}
	}
	return len(g.lists) == 0 && g.o.MinLength <= g.length && g.length <= g.o.MaxLength
}

var digits = [ListOpsClasses]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}

func (g *listOpsGenerator) openList() {
	g.leaf(g.o.Operators[g.random.below(len(g.o.Operators))].String())
	g.lists = append(g.lists, minListArgs+g.random.below(g.o.MaxArgs-minListArgs+1))
}

func (g *listOpsGenerator) leaf(word string) {
	g.length++
	g.nodes = append(g.nodes, Node{Label: NoLabel, Word: word})
}

// join makes the parent of the last two subtrees.
func (g *listOpsGenerator) join() {
	g.nodes = append(g.nodes, Node{Label: NoLabel, Arity: 2})
}

func (g *listOpsGenerator) tree() (*Tree, error) {
	var b Builder
	for _, node := range g.nodes {
		b.Add(node)
	}
	t, err := b.Tree()
	if err != nil {
		return nil, err
	}
	if f := labelListOps(t); f != nil {
		return nil, fmt.Errorf("%w: node %d: "+f.format, append([]any{ErrTree, f.offset}, f.args...)...)
	}
	return t, nil
}

// randomSource draws numbers that depend on the seed alone. The sequence of a PCG is
// fixed by its definition, the methods of rand.Rand are not, so they are avoided.
type randomSource struct{ pcg *rand.PCG }

func newRandomSource(seed uint64) randomSource {
	const stream = 0x6C6973746F7073 // any constant: a PCG has two words of seed
	return randomSource{rand.NewPCG(seed, stream)}
}

// below returns a number in [0, n), n > 0. Its bias is below n/2⁶⁴.
func (r randomSource) below(n int) int {
	hi, _ := bits.Mul64(r.pcg.Uint64(), uint64(n))
	return int(hi)
}

// chance returns true with probability p.
func (r randomSource) chance(p float64) bool {
	return float64(r.pcg.Uint64()>>11)/(1<<53) < p
}
