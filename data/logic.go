package data

import (
	"fmt"
	"strings"
)

// Relation is one of the seven relations of natural logic that two statements may have
// (MacCartney 2009, as used by Bowman et al. 2015). In terms of the assignments that make
// the statements A and B true, and of all assignments U:
type Relation uint8

const (
	Equivalence       Relation = iota // =  A = B
	ForwardEntailment                 // <  A ⊂ B
	ReverseEntailment                 // >  A ⊃ B
	Negation                          // ^  A ∩ B = ∅ and A ∪ B = U
	Alternation                       // |  A ∩ B = ∅ and A ∪ B ≠ U
	Cover                             // v  A ∩ B ≠ ∅ and A ∪ B = U
	Independence                      // #  none of these
	numRelations
)

// LogicClasses is the number of relations.
const LogicClasses = int(numRelations)

const relationSigns = "=<>^|v#"

// String returns the sign of the relation, such as "<".
func (r Relation) String() string {
	if r >= numRelations {
		return fmt.Sprintf("Relation(%d)", uint8(r))
	}
	return relationSigns[r : r+1]
}

// parseRelation is the inverse of String.
func parseRelation(sign []byte) (Relation, bool) {
	if len(sign) != 1 {
		return 0, false
	}
	r := strings.IndexByte(relationSigns, sign[0])
	return Relation(max(r, 0)), r >= 0
}

// LogicPair is a pair of statements of propositional logic and how they are related.
type LogicPair struct {
	A, B     *Tree // see LogicTable for their form
	Relation Relation
}

// TruthTable says under which assignments of the six variables a..f a statement is true:
// bit i is its value where variable number k has the value of bit k of i.
type TruthTable uint64

// LogicVariables are the variables of statements.
const LogicVariables = "abcdef"

// variableTables [k] has bit i set where bit k of i is.
var variableTables = [len(LogicVariables)]TruthTable{
	0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0xF0F0F0F0F0F0F0F0,
	0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000, 0xFFFFFFFF00000000,
}

const (
	wordNot = "not"
	wordAnd = "and"
	wordOr  = "or"
)

// Relate returns the relation of two statements. Where several hold, which needs a
// statement that is always true or never, it is the first one in the order of the
// constants.
func Relate(a, b TruthTable) Relation {
	disjoint, exhaustive := a&b == 0, a|b == ^TruthTable(0)
	switch {
	case a == b:
		return Equivalence
	case a&^b == 0:
		return ForwardEntailment
	case b&^a == 0:
		return ReverseEntailment
	case disjoint && exhaustive:
		return Negation
	case disjoint:
		return Alternation
	case exhaustive:
		return Cover
	}
	return Independence
}

// LogicTable evaluates a statement: a tree without labels whose leaves are variables,
// "not", "and" and "or", in the form of the data of Bowman et al. (2015):
//
//	statement = variable | ( not statement ) | ( statement ( and statement ) ) | ( statement ( or statement ) )
//
// The error wraps ErrTree.
func LogicTable(t *Tree) (TruthTable, error) {
	if t.Len() == 0 || !t.Binary() {
		return 0, fmt.Errorf("%w: got a tree that is not binary, want a statement", ErrTree)
	}
	table, f := evaluateLogic(t)
	if f != nil {
		return 0, fmt.Errorf("%w: node %d: "+f.format, append([]any{ErrTree, f.offset}, f.args...)...)
	}
	return table, nil
}

// LogicOperators counts the "not", "and" and "or" of a statement, its length.
func LogicOperators(t *Tree) int {
	n := 0
	for _, word := range t.Word {
		if word == wordNot || word == wordAnd || word == wordOr {
			n++
		}
	}
	return n
}

// logicPart is what a node of a statement stands for.
type logicPart uint8

const (
	logicStatement logicPart = iota
	logicOperator            // an operator without operands
	logicRight               // "and" or "or" with its right operand
)

// logicNode is the meaning of a node.
type logicNode struct {
	part     logicPart
	operator string     // of the parts that have one
	table    TruthTable // of a statement, or of the right operand
}

// evaluateLogic returns the table of a binary tree, or a fault with a node as its offset.
func evaluateLogic(t *Tree) (TruthTable, *fault) {
	nodes := make([]logicNode, t.Len())
	for i := range nodes {
		var f *fault
		if node := int32(i); t.IsLeaf(node) {
			nodes[i], f = logicLeaf(t.Word[i], i)
		} else {
			l, r := t.Left[i], t.Right[i]
			nodes[i], f = logicInner(nodes[l], nodes[r], int(l), int(r))
		}
		if f != nil {
			return 0, f
		}
	}
	root := t.Root()
	if nodes[root].part != logicStatement {
		return 0, &fault{int(root), nil, "expected a complete statement, found the operator %s without operands", []any{quote(nodes[root].operator)}}
	}
	return nodes[root].table, nil
}

func logicLeaf(word string, node int) (logicNode, *fault) {
	switch {
	case word == wordNot || word == wordAnd || word == wordOr:
		return logicNode{part: logicOperator, operator: word}, nil
	case len(word) == 1 && strings.Contains(LogicVariables, word):
		return logicNode{table: variableTables[strings.Index(LogicVariables, word)]}, nil
	}
	return logicNode{}, &fault{node, nil, "expected a variable a..f or an operator, found %s", []any{quote(word)}}
}

// logicInner joins the children with the ids l and r.
func logicInner(left, right logicNode, l, r int) (logicNode, *fault) {
	switch {
	case left.part == logicRight:
		return logicNode{}, &fault{l, nil, "expected a statement or 'not' to the left, found %s with an operand", []any{quote(left.operator)}}
	case left.part == logicOperator && right.part != logicStatement:
		return logicNode{}, &fault{r, nil, "expected a statement behind %s, found %s", []any{quote(left.operator), quote(right.operator)}}
	case left.part == logicOperator && left.operator == wordNot:
		return logicNode{table: ^right.table}, nil
	case left.part == logicOperator:
		return logicNode{part: logicRight, operator: left.operator, table: right.table}, nil
	case right.part != logicRight:
		return logicNode{}, &fault{r, nil, "expected 'and' or 'or' with an operand behind a statement, found something else", nil}
	case right.operator == wordAnd:
		return logicNode{table: left.table & right.table}, nil
	}
	return logicNode{table: left.table | right.table}, nil
}
