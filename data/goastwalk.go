package data

import (
	"go/ast"
	"go/token"
	"reflect"
)

// goWalk makes trees of syntax. It keeps its scratch from tree to tree.
type goWalk struct {
	o      GoOptions
	origin token.Pos // of the file
	self   string    // the function at hand, "" for a file

	open  []goNode // nodes whose children are being visited, outermost first
	nodes []goNode // complete nodes, in post-order

	arity, size []int32
}

type goNode struct {
	node  ast.Node
	word  string
	arity int32
}

// tree fills the arrays of t. The depth of the recursion in ast.Inspect is that of the
// parser, which limits it.
func (w *goWalk) tree(root ast.Node, t *GoTree) error {
	w.self, w.open, w.nodes, w.arity = t.Name, w.open[:0], w.nodes[:0], w.arity[:0]
	ast.Inspect(root, w.visit)
	n := len(w.nodes)
	t.Tree = &Tree{Label: make([]int32, n), Tag: make([]string, n), Word: make([]string, n)}
	t.Offset = make([]int32, n)
	for i, node := range w.nodes {
		t.Label[i] = NoLabel
		t.Tag[i] = reflect.TypeOf(node.node).Elem().Name()
		t.Word[i] = node.word
		t.Offset[i] = int32(node.node.Pos() - w.origin)
		w.arity = append(w.arity, node.arity)
	}
	w.size = append(w.size[:0], make([]int32, n)...)
	return t.link(w.arity, w.size)
}

// visit is called with each node before its children, and with nil behind them.
func (w *goWalk) visit(n ast.Node) bool {
	last := len(w.open) - 1
	if n == nil {
		w.nodes = append(w.nodes, w.open[last])
		w.open = w.open[:last]
		return false
	}
	var parent ast.Node
	if last >= 0 {
		w.open[last].arity++
		parent = w.open[last].node
	}
	w.open = append(w.open, goNode{node: n, word: w.word(n, parent)})
	return true
}

func (w *goWalk) word(n, parent ast.Node) string {
	switch n := n.(type) {
	case *ast.Ident:
		if w.o.Names == GoAllNames || w.o.Names == GoPredeclaredNames && n.Name != w.self && predeclared(n, parent) {
			return n.Name
		}
	case *ast.BasicLit:
		if w.o.Literals {
			return n.Value
		}
		return n.Kind.String()
	case *ast.CallExpr:
		return wordIf(n.Ellipsis.IsValid(), "...")
	case *ast.CaseClause:
		return wordIf(n.List == nil, "default")
	case *ast.CommClause:
		return wordIf(n.Comm == nil, "default")
	case *ast.TypeSpec:
		return wordIf(n.Assign.IsValid(), "=")
	case *ast.ChanType:
		return chanWords[n.Dir]
	default:
		return operator(n)
	}
	return ""
}

func operator(n ast.Node) string {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return n.Op.String()
	case *ast.UnaryExpr:
		return n.Op.String()
	case *ast.AssignStmt:
		return n.Tok.String()
	case *ast.IncDecStmt:
		return n.Tok.String()
	case *ast.BranchStmt:
		return n.Tok.String()
	case *ast.GenDecl:
		return n.Tok.String()
	case *ast.RangeStmt:
		if n.Tok != token.ILLEGAL { // which stands for "range x" alone
			return n.Tok.String()
		}
	}
	return ""
}

func wordIf(is bool, word string) string {
	if is {
		return word
	}
	return ""
}

var chanWords = map[ast.ChanDir]string{ast.SEND: "chan<-", ast.RECV: "<-chan", ast.SEND | ast.RECV: "chan"}

// predeclared reports whether a name is spelt like a predeclared identifier in a place
// where it may mean one.
func predeclared(n *ast.Ident, parent ast.Node) bool {
	if !goPredeclared[n.Name] {
		return false
	}
	switch p := parent.(type) {
	case *ast.SelectorExpr:
		return n != p.Sel
	case *ast.FuncDecl:
		return n != p.Name
	case *ast.Field:
		return n == p.Type
	}
	return true
}

// goPredeclared holds the universe block of the language.
var goPredeclared = setOf(
	"any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64",
	"int", "int8", "int16", "int32", "int64", "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
	"true", "false", "iota", "nil",
	"append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make", "max", "min", "new",
	"panic", "print", "println", "real", "recover",
)

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}
