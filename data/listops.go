package data

import (
	"fmt"
	"slices"
)

// ListOp is an operator of ListOps (Nangia and Bowman 2018). Each takes a list of at
// least one digit and gives a digit.
type ListOp uint8

const (
	OpMax    ListOp = iota // [MAX, the largest
	OpMin                  // [MIN, the smallest
	OpMed                  // [MED, the median, rounded down where two digits share the middle
	OpSumMod               // [SM, the sum modulo 10
	OpFirst                // [FIRST, the first
	OpLast                 // [LAST, the last
	numListOps
)

// ListOpsClasses is the number of labels of ListOps: the digits 0..9.
const ListOpsClasses = 10

const listOpsEnd = "]"

var listOpTokens = [numListOps]string{"[MAX", "[MIN", "[MED", "[SM", "[FIRST", "[LAST"}

// String returns the token of the operator, such as "[MAX".
func (op ListOp) String() string {
	if op >= numListOps {
		return fmt.Sprintf("ListOp(%d)", uint8(op))
	}
	return listOpTokens[op]
}

// apply evaluates the operator; args is not empty, and may be reordered.
func (op ListOp) apply(args []int32) int32 {
	switch op {
	case OpMax:
		return slices.Max(args)
	case OpMin:
		return slices.Min(args)
	case OpMed:
		slices.Sort(args)
		n := len(args)
		return (args[(n-1)/2] + args[n/2]) / 2
	case OpSumMod:
		sum := 0
		for _, a := range args {
			sum += int(a)
		}
		return int32(sum % ListOpsClasses)
	case OpFirst:
		return args[0]
	default: // OpLast
		return args[len(args)-1]
	}
}

// listPart is what a node of a binarised expression stands for.
type listPart uint8

const (
	listValue listPart = iota // a digit or a complete list: has a value
	listOpen                  // an operator with the arguments so far
	listEnd                   // the closing "]"
)

// labelListOps evaluates a binarised expression and sets Label of every node: the
// value where the node has one, NoLabel at operators, open lists and closing marks. It
// returns a fault, with a node as its offset, if the tree is not an expression.
func labelListOps(t *Tree) *fault {
	parts := make([]listPart, t.Len())
	for i := range parts {
		var f *fault
		if node := int32(i); t.IsLeaf(node) {
			parts[i], f = labelListLeaf(t, i)
		} else {
			parts[i], f = labelListInner(t, i, parts[t.Left[node]], parts[t.Right[node]])
		}
		if f != nil {
			return f
		}
	}
	if root := t.Root(); parts[root] != listValue {
		return &fault{int(root), nil, "expected a complete list or a digit, found a part of a list", nil}
	}
	return nil
}

func labelListLeaf(t *Tree, i int) (listPart, *fault) {
	word := t.Word[i]
	t.Label[i] = NoLabel
	switch {
	case len(word) == 1 && '0' <= word[0] && word[0] <= '9':
		t.Label[i] = int32(word[0] - '0')
		return listValue, nil
	case word == listOpsEnd:
		return listEnd, nil
	case slices.Contains(listOpTokens[:], word):
		return listOpen, nil
	}
	return 0, &fault{i, nil, "expected a digit, an operator or ']', found %s", []any{quote(word)}}
}

func labelListInner(t *Tree, i int, left, right listPart) (listPart, *fault) {
	l := t.Left[i]
	t.Label[i] = NoLabel
	switch {
	case left != listOpen:
		return 0, &fault{int(l), nil, "expected an operator, alone or with arguments, to the left of an argument or ']'", nil}
	case right == listOpen:
		return 0, &fault{int(t.Right[i]), nil, "expected an argument or ']', found a list that is not closed", nil}
	case right == listValue:
		return listOpen, nil
	case t.IsLeaf(l):
		return 0, &fault{int(t.Right[i]), nil, "expected an argument of %s, found ']'", []any{t.Word[l]}}
	}
	t.Label[i] = listResult(t, l)
	return listValue, nil
}

// listResult evaluates the list whose operator and arguments branch off to the left of
// node. Every argument belongs to one list, so that all lists together cost O(n).
func listResult(t *Tree, node int32) int32 {
	var args []int32
	for !t.IsLeaf(node) {
		args = append(args, t.Label[t.Right[node]])
		node = t.Left[node]
	}
	slices.Reverse(args)
	return ListOp(slices.Index(listOpTokens[:], t.Word[node])).apply(args)
}
