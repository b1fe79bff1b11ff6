package data

import (
	"fmt"
	"math/bits"
)

// LogicOptions bounds generated pairs of statements.
type LogicOptions struct {
	// Operators is the length of a pair: one statement has so many operators, the other
	// has any number up to that.
	Operators int
	// Variables is how many of the six a pair may use at most; 0 means 4, as in the data
	// of Bowman et al. (2015). Few variables make the relations other than Independence
	// more frequent.
	Variables int
}

const maxLogicOperators = 1000

func (o LogicOptions) resolve() (LogicOptions, error) {
	setDefault(&o.Variables, 4)
	switch {
	case o.Operators < 0 || o.Operators > maxLogicOperators:
		return o, fmt.Errorf("%w: got Operators %d, want 0..%d", ErrOption, o.Operators, maxLogicOperators)
	case o.Variables < 1 || o.Variables > len(LogicVariables):
		return o, fmt.Errorf("%w: got Variables %d, want 1..%d", ErrOption, o.Variables, len(LogicVariables))
	}
	return o, nil
}

// GenerateLogic makes n different pairs of statements with the relation that follows from
// their truth tables. No statement is true under all assignments, or under none. The
// result depends only on the arguments, and a larger n only adds pairs.
//
// The error wraps ErrOption: a value is out of range, or hardly any more pairs are within
// the bounds.
func GenerateLogic(seed uint64, n int, o LogicOptions) ([]LogicPair, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, fmt.Errorf("%w: got %d pairs to make, want at least 0", ErrOption, n)
	}
	const maxVain = 100_000 // tries in a row without a new pair
	g := logicGenerator{random: newRandomSource(seed)}
	pairs := make([]LogicPair, 0, min(n, 1<<20))
	seen := make(map[string]struct{})
	var text []byte
	for vain := 0; len(pairs) < n; vain++ {
		if vain == maxVain {
			return nil, fmt.Errorf("%w: found %d different pairs within the bounds, want %d", ErrOption, len(pairs), n)
		}
		p, ok, err := g.pair(o)
		if err != nil {
			return nil, err
		}
		text = p.B.AppendUnlabelled(append(p.A.AppendUnlabelled(text[:0]), '\t'))
		if _, old := seen[string(text)]; ok && !old {
			seen[string(text)] = struct{}{}
			pairs = append(pairs, p)
			vain = 0
		}
	}
	return pairs, nil
}

// logicGenerator draws statements. Their structure is drawn with the number of operators
// given: which operator is at the root, and how the others are dealt to its operands.
type logicGenerator struct {
	random randomSource
	names  []byte // the variables that the pair may use
}

// pair draws a pair and reports whether both statements can be true and false.
func (g *logicGenerator) pair(o LogicOptions) (LogicPair, bool, error) {
	g.chooseNames(o.Variables)
	lengths := [2]int{o.Operators, g.random.below(o.Operators + 1)}
	if g.random.chance(0.5) {
		lengths[0], lengths[1] = lengths[1], lengths[0]
	}
	var trees [2]*Tree
	var tables [2]TruthTable
	sensible := true
	for i, operators := range lengths {
		var err error
		if trees[i], err = g.statement(operators); err != nil {
			return LogicPair{}, false, err
		}
		if tables[i], err = LogicTable(trees[i]); err != nil {
			return LogicPair{}, false, err
		}
		trueCount := bits.OnesCount64(uint64(tables[i]))
		sensible = sensible && 0 < trueCount && trueCount < 64
	}
	return LogicPair{trees[0], trees[1], Relate(tables[0], tables[1])}, sensible, nil
}

// chooseNames draws different variables.
func (g *logicGenerator) chooseNames(n int) {
	names := []byte(LogicVariables)
	for i := range n {
		j := i + g.random.below(len(names)-i)
		names[i], names[j] = names[j], names[i]
	}
	g.names = names[:n]
}

// statement draws a statement. The tasks are what is still to be written, last first:
// a statement of so many operators, or a node to be added.
func (g *logicGenerator) statement(operators int) (*Tree, error) {
	type task struct {
		operators int // of a statement, unless node is set
		node      *Node
	}
	join := &Node{Label: NoLabel, Arity: 2}
	word := func(w string) *Node { return &Node{Label: NoLabel, Word: w} }
	var b Builder
	tasks := []task{{operators: operators}}
	for len(tasks) > 0 {
		t := tasks[len(tasks)-1]
		tasks = tasks[:len(tasks)-1]
		if t.node != nil {
			b.Add(*t.node)
			continue
		}
		if t.operators == 0 {
			i := g.random.below(len(g.names))
			b.Add(*word(string(g.names[i : i+1])))
			continue
		}
		operator := [...]string{wordNot, wordAnd, wordOr}[g.random.below(3)]
		if operator == wordNot {
			tasks = append(tasks, task{node: join}, task{operators: t.operators - 1}, task{node: word(operator)})
			continue
		}
		left := g.random.below(t.operators)
		tasks = append(tasks, task{node: join}, task{node: join}, task{operators: t.operators - 1 - left},
			task{node: word(operator)}, task{operators: left})
	}
	return b.Tree()
}
