package data

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"math"
)

// GoNames says which identifiers of a Go program keep their names.
type GoNames uint8

const (
	// GoNoNames keeps none.
	GoNoNames GoNames = iota
	// GoPredeclaredNames keeps those that are spelt like a predeclared identifier, such
	// as int, len and nil, unless they are selected (x.len), declare a function, a field
	// or a parameter, or are spelt like the function that they stand in.
	GoPredeclaredNames
	// GoAllNames keeps all of them.
	GoAllNames
)

// DefaultMaxGoFileBytes limits a Go file when the options leave it at zero.
const DefaultMaxGoFileBytes = 8 << 20

// GoOptions says what to make of Go source. The zero value makes a tree of every
// function with a body, and hides the names of identifiers and the text of literals.
type GoOptions struct {
	Files    bool    // a tree of every file, instead of every function
	Names    GoNames // which identifiers keep their names
	Literals bool    // literals keep their text, instead of the name of their kind
	// Include, if not nil, says which files to read, by their path. The walk over a
	// directory takes files that end with ".go", and leaves out directories that are
	// named testdata or begin with a dot.
	Include func(path string) bool
	// MaxFileBytes limits a file; 0 means DefaultMaxGoFileBytes. Reading takes up to
	// 400 bytes of memory per byte of the longest file; text like ";;;" is the worst.
	MaxFileBytes int
}

func (o GoOptions) resolve() (GoOptions, error) {
	if o.MaxFileBytes == 0 {
		o.MaxFileBytes = DefaultMaxGoFileBytes
	}
	switch {
	case o.Names > GoAllNames:
		return o, fmt.Errorf("%w: got Names %d, want 0..%d", ErrOption, o.Names, GoAllNames)
	case o.MaxFileBytes < 0 || o.MaxFileBytes >= math.MaxInt32:
		return o, fmt.Errorf("%w: got MaxFileBytes %d, want 1..%d, or 0 for the default", ErrOption, o.MaxFileBytes, math.MaxInt32-1)
	}
	return o, nil
}

// GoTree is the abstract syntax of a Go function or file as package go/ast has it.
//
// The Tag of a node is the name of its type in go/ast, IfStmt say, and its children are
// those that ast.Walk visits, in that order; comments are left out, and so is what is
// absent, such as the condition of a loop without one. A leaf is a node without
// children: an identifier, a literal, an empty block, a plain return. Word tells nodes
// of one type apart:
//
//	Ident                              the name, if it is kept
//	BasicLit                           INT, FLOAT, IMAG, CHAR, STRING, or the text
//	BinaryExpr, UnaryExpr              the operator
//	AssignStmt, IncDecStmt, RangeStmt  the operator, such as := or ++
//	BranchStmt, GenDecl                the keyword, such as break or var
//	ChanType                           "chan", "<-chan" or "chan<-"
//	CallExpr                           "..." if the last argument is spread
//	CaseClause, CommClause             "default" if it is that
//	TypeSpec                           "=" in an alias
//
// It is empty elsewhere. No node has a numeric label. Tree.Pos is the place of the
// function or file.
type GoTree struct {
	*Tree
	File     string  // path, as in Tree.Pos
	Package  string  // name in the package clause
	Receiver string  // name of the receiver's type, "" for functions and files
	Name     string  // of the function, "" for files
	Offset   []int32 // [n] where each node begins, in bytes from the start of the file, or from behind its byte order mark
}

// ParseGo makes trees of the source of one file, in the order of the text. It knows the
// syntax only, so imports may be missing and types wrong. A file that is not Go gives a
// *SyntaxError. Names and positions are those in the text, whatever its line directives
// say; nesting is limited by go/parser, to 100,000 levels.
func ParseGo(name string, source []byte, o GoOptions) ([]*GoTree, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	return parseGo(name, source, o)
}

func parseGo(name string, source []byte, o GoOptions) ([]*GoTree, error) {
	if len(source) > o.MaxFileBytes {
		return nil, syntaxError(Position{name, 1, 1}, ErrLimit, "expected at most %d bytes of Go, found more", o.MaxFileBytes)
	}
	source = bytes.TrimPrefix(source, []byte(byteOrderMark))
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, goSyntaxError(name, source, err)
	}
	walk := goWalk{o: o, origin: file.FileStart}
	var trees []*GoTree
	add := func(n ast.Node, t *GoTree) error {
		if err := walk.tree(n, t); err != nil {
			return err
		}
		place := files.PositionFor(n.Pos(), false)
		t.Pos = Position{name, place.Line, place.Column}
		t.File, t.Package = name, file.Name.Name
		trees = append(trees, t)
		return nil
	}
	if o.Files {
		return trees, add(file, &GoTree{})
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
			if err := add(f, &GoTree{Name: f.Name.Name, Receiver: receiverOf(f)}); err != nil {
				return nil, err
			}
		}
	}
	return trees, nil
}

// receiverOf returns the name of the type that f is a method of.
func receiverOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	for t := f.Recv.List[0].Type; ; {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// goSyntaxError reports the first error of go/parser. Its line may be that of a line
// directive, its offset never is.
func goSyntaxError(name string, source []byte, err error) error {
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return inputError(name, err)
	}
	place := position(source, min(list[0].Pos.Offset, len(source)), Position{name, 1, 1})
	message := list[0].Msg
	if more := len(list) - 1; more > 0 {
		message = fmt.Sprintf("%s (and %d more)", message, more)
	}
	return syntaxError(place, nil, "%s", message)
}
