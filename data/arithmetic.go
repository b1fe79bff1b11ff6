package data

import (
	"fmt"
	"strconv"
)

// ArithmeticTask says what is asked about an arithmetic expression.
type ArithmeticTask uint8

const (
	ArithmeticValue ArithmeticTask = iota // the value, -10..10; class 0 is -10
	ArithmeticSign                        // the sign: class 0 is negative, 1 is zero, 2 is positive
	numArithmeticTasks
)

const (
	maxArithmeticValue = 10
	arithmeticSigns    = "-0+"
)

// Classes returns the number of labels of the task.
func (a ArithmeticTask) Classes() int {
	if a == ArithmeticSign {
		return len(arithmeticSigns)
	}
	return 2*maxArithmeticValue + 1
}

// class returns the class of a value, NoLabel if there is none for it.
func (a ArithmeticTask) class(value int64) int32 {
	switch {
	case a == ArithmeticSign && value < 0:
		return 0
	case a == ArithmeticSign && value == 0:
		return 1
	case a == ArithmeticSign:
		return 2
	case value < -maxArithmeticValue || value > maxArithmeticValue:
		return NoLabel
	}
	return int32(value) + maxArithmeticValue
}

// text returns the class as it is written.
func (a ArithmeticTask) text(class int32) string {
	if a == ArithmeticSign {
		return arithmeticSigns[class : class+1]
	}
	return strconv.Itoa(int(class) - maxArithmeticValue)
}

// parseClass is the inverse of text.
func (a ArithmeticTask) parseClass(text []byte) (int32, bool) {
	for class := range int32(a.Classes()) {
		if a.text(class) == string(text) {
			return class, true
		}
	}
	return NoLabel, false
}

// arithmeticPart is what a node of an expression stands for.
type arithmeticPart uint8

const (
	arithmeticNumber   arithmeticPart = iota // has a value
	arithmeticOperator                       // "+" or "-"
	arithmeticOperands                       // two values in brackets
)

// arithmeticNode is the meaning of a node: a value, or the two below it.
type arithmeticNode struct {
	part        arithmeticPart
	minus       bool  // the operator is "-"
	value       int64 // of a number
	left, right int64 // of operands
}

// labelArithmetic evaluates a binary tree and sets the label of every node that has a
// value for which the task has a class. It returns a fault, with a node as its offset, if
// the tree is not an expression.
//
// Numbers are int32 and there are fewer of them than bytes in a line, so the values fit.
func labelArithmetic(t *Tree, task ArithmeticTask) *fault {
	nodes := make([]arithmeticNode, t.Len())
	for i := range nodes {
		var f *fault
		if node := int32(i); t.IsLeaf(node) {
			nodes[i], f = arithmeticLeaf(t.Word[i], i)
		} else {
			l, r := t.Left[i], t.Right[i]
			nodes[i], f = arithmeticInner(nodes[l], nodes[r], int(l), int(r))
		}
		if f != nil {
			return f
		}
		t.Label[i] = NoLabel
		if nodes[i].part == arithmeticNumber {
			t.Label[i] = task.class(nodes[i].value)
		}
	}
	root := int(t.Root())
	switch {
	case nodes[root].part != arithmeticNumber:
		return &fault{root, nil, "expected a number or an operator with two operands, found a part of one", nil}
	case t.Label[root] == NoLabel:
		return &fault{root, nil, "expected an expression with a value -%d..%d, found one with %d",
			[]any{maxArithmeticValue, maxArithmeticValue, nodes[root].value}}
	}
	return nil
}

func arithmeticLeaf(word string, node int) (arithmeticNode, *fault) {
	if word == "+" || word == "-" {
		return arithmeticNode{part: arithmeticOperator, minus: word == "-"}, nil
	}
	value, err := strconv.ParseInt(word, 10, 32)
	if err != nil {
		return arithmeticNode{}, &fault{node, nil, "expected a number, '+' or '-', found %s", []any{quote(word)}}
	}
	return arithmeticNode{value: value}, nil
}

// arithmeticInner joins the children with the ids l and r.
func arithmeticInner(left, right arithmeticNode, l, r int) (arithmeticNode, *fault) {
	switch {
	case left.part == arithmeticOperands:
		return arithmeticNode{}, &fault{l, nil, "expected an operator or a number to the left, found two operands", nil}
	case left.part == arithmeticNumber && right.part != arithmeticNumber:
		return arithmeticNode{}, &fault{r, nil, "expected a second operand behind a number, found something else", nil}
	case left.part == arithmeticNumber:
		return arithmeticNode{part: arithmeticOperands, left: left.value, right: right.value}, nil
	case right.part != arithmeticOperands:
		return arithmeticNode{}, &fault{r, nil, "expected two operands in brackets behind an operator, found something else", nil}
	case left.minus:
		return arithmeticNode{value: right.left - right.right}, nil
	}
	return arithmeticNode{value: right.left + right.right}, nil
}

// String returns "value" or "sign".
func (a ArithmeticTask) String() string {
	switch a {
	case ArithmeticValue:
		return "value"
	case ArithmeticSign:
		return "sign"
	}
	return fmt.Sprintf("ArithmeticTask(%d)", uint8(a))
}
