package data

import (
	"fmt"
	"go/types"
	"io/fs"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const goSource = `// Package p is about nothing.
package p

import "io"

type T[K any] struct{ len int }

// Len counts.
func (t *T[K]) len(close io.Closer) int { return len(t.x) + t.len(nil) }

func declared(int)

func other() {
	for i := range 3 {
		f(1.5, s...)
		if i != 0 {
			break
		}
	}
}
`

func TestParseGo(t *testing.T) {
	trees, err := ParseGo("p.go", []byte(goSource), GoOptions{})
	require.NoError(t, err)
	require.Len(t, trees, 2)
	method, function := trees[0], trees[1]
	assert.Equal(t, [4]string{"p.go", "p", "T", "len"}, [4]string{method.File, method.Package, method.Receiver, method.Name})
	assert.Equal(t, [4]string{"p.go", "p", "", "other"}, [4]string{function.File, function.Package, function.Receiver, function.Name})
	assert.Equal(t, Position{"p.go", 9, 1}, method.Pos)
	assert.Equal(t, "(FuncDecl (FieldList (Field (Ident) (StarExpr (IndexExpr (Ident) (Ident))))) (Ident) "+
		"(FuncType (FieldList (Field (Ident) (SelectorExpr (Ident) (Ident)))) (FieldList (Field (Ident)))) "+
		"(BlockStmt (ReturnStmt (BinaryExpr + (CallExpr (Ident) (SelectorExpr (Ident) (Ident))) "+
		"(CallExpr (SelectorExpr (Ident) (Ident)) (Ident))))))", method.String())
	assert.Equal(t, "(FuncDecl (Ident) (FuncType (FieldList)) (BlockStmt (RangeStmt := (Ident) (BasicLit INT) "+
		"(BlockStmt (ExprStmt (CallExpr ... (Ident) (BasicLit FLOAT) (Ident))) "+
		"(IfStmt (BinaryExpr != (Ident) (BasicLit INT)) (BlockStmt (BranchStmt break)))))))", function.String())
}

func TestParseGoNamesAndLiterals(t *testing.T) {
	words := func(o GoOptions, tag string) (words []string) {
		trees, err := ParseGo("p.go", []byte(goSource), o)
		require.NoError(t, err)
		for _, tree := range trees {
			for i := range tree.Len() {
				if tree.Tag[i] == tag && tree.Word[i] != "" {
					words = append(words, tree.Word[i])
				}
			}
		}
		return words
	}
	assert.Empty(t, words(GoOptions{}, "Ident"))
	// The method is called len, so len is not told; neither is the parameter close.
	assert.Equal(t, []string{"int", "nil"}, words(GoOptions{Names: GoPredeclaredNames}, "Ident"))
	assert.Equal(t, []string{"t", "T", "K", "len", "close", "io", "Closer", "int", "len", "t", "x", "t", "len", "nil",
		"other", "i", "f", "s", "i"}, words(GoOptions{Names: GoAllNames}, "Ident"))
	assert.Equal(t, []string{"3", "1.5", "0"}, words(GoOptions{Literals: true}, "BasicLit"))
}

// What else has a word, and what tells from the default.
func TestParseGoWords(t *testing.T) {
	const source = `package p
type A = int
var c chan<- int; var d <-chan int; var e chan int
func f() {
	switch { default: x++; case -a: }
	select { default: case <-c: goto L }
	for range x {}
	for i, j = range x {}
	a <<= 1
}`
	trees, err := ParseGo("p.go", []byte(source), GoOptions{Files: true})
	require.NoError(t, err)
	require.Len(t, trees, 1)
	var got []string
	for i := range trees[0].Len() {
		if w := trees[0].Word[i]; w != "" {
			got = append(got, trees[0].Tag[i]+" "+w)
		}
	}
	assert.Equal(t, []string{"TypeSpec =", "GenDecl type", "ChanType chan<-", "GenDecl var", "ChanType <-chan", "GenDecl var",
		"ChanType chan", "GenDecl var", "IncDecStmt ++", "CaseClause default", "UnaryExpr -", "CommClause default", "UnaryExpr <-",
		"BranchStmt goto", "RangeStmt =", "BasicLit INT", "AssignStmt <<="}, got)
	assert.Equal(t, "", trees[0].Name)
	assert.Equal(t, Position{"p.go", 1, 1}, trees[0].Pos)
}

func TestParseGoErrors(t *testing.T) {
	tests := []struct{ source, want string }{
		{"", "f.go:1:1: expected 'package', found 'EOF'"},
		{"package p\nfunc f() {\n", "f.go:3:1: expected '}', found 'EOF'"},
		{"package p\n//line other.go:99\nfunc f( {}", "f.go:3:9: expected ')', found '{'"},
		{"package p; func f() { 1 := }\nvar x = )", "f.go:1:28: expected operand, found '}' (and 1 more)"},
		{"\uFEFFpackage 1", "f.go:1:9: expected 'IDENT', found 1"},
		{"package p\nvar s = \"\xFF\"", "f.go:2:10: illegal UTF-8 encoding"},
		{strings.Repeat(" ", 101), "f.go:1:1: expected at most 100 bytes of Go, found more"},
	}
	for _, test := range tests {
		_, err := ParseGo("f.go", []byte(test.source), GoOptions{MaxFileBytes: 100})
		require.ErrorIs(t, err, ErrSyntax, test.source)
		assert.ErrorContains(t, err, test.want, "%q", test.source)
	}
	for _, o := range []GoOptions{{Names: 3}, {MaxFileBytes: -1}} {
		_, err := ParseGo("f.go", nil, o)
		require.ErrorIs(t, err, ErrOption)
	}
}

// Nothing that nests overflows the stack: it is read, or refused by a limit.
func TestParseGoDeep(t *testing.T) {
	const deep = 101_000
	for _, text := range []string{
		"var x = " + strings.Repeat("(", deep), "var x = " + strings.Repeat("!", deep) + "1", "var x " + strings.Repeat("[]", deep) + "int",
		"var x = 1" + strings.Repeat("+1", deep), "var x = a" + strings.Repeat(".b", deep), "var x = a" + strings.Repeat("()", deep),
		"func f() {" + strings.Repeat("{", deep), "func f() {" + strings.Repeat("if x {} else ", deep) + "{}}",
		"var x = " + strings.Repeat("func() { _ = ", deep), "type t " + strings.Repeat("struct{ x ", deep),
		"func f() {" + strings.Repeat("L: ", deep) + "}",
	} {
		_, err := ParseGo("f.go", []byte("package p\n"+text), GoOptions{Files: true})
		require.ErrorIs(t, err, ErrSyntax, "%.40s", text)
		assert.ErrorContains(t, err, "nesting", "%.40s", text)
	}
	const fine = 10_000
	trees, err := ParseGo("f.go", []byte("package p\nvar x = "+strings.Repeat("(", fine)+"1"+strings.Repeat(")", fine)), GoOptions{Files: true})
	require.NoError(t, err)
	assert.Equal(t, fine+3, trees[0].Depth()) // File, GenDecl, ValueSpec, brackets
}

func TestGoMemoryIsBounded(t *testing.T) {
	const size = 1 << 16
	for _, text := range []string{";", "{};", "a,", "f();"} {
		source := "package p\nfunc f() {" + strings.Repeat(text, size/len(text)) + "}"
		if text == "a," {
			source = "package p\nvar x = []int{" + strings.Repeat(text, size/len(text)) + "}"
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		trees, err := ParseGo("f.go", []byte(source), GoOptions{Files: true})
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		assert.Greater(t, trees[0].Len(), size/4, text)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(400*size), text)
	}
}

func TestGoPredeclaredIsTheUniverse(t *testing.T) {
	var got []string
	for name := range goPredeclared {
		got = append(got, name)
	}
	assert.ElementsMatch(t, types.Universe.Names(), got)
}

func TestGoIDs(t *testing.T) {
	trees, err := ParseGo("p.go", []byte("package p\nfunc f() { a += 1 }\nfunc g() { a -= 1 }"), GoOptions{})
	require.NoError(t, err)
	terms := BuildVocabulary(GoTerms(trees[0]), VocabularyOptions{Order: ByBytes})
	assert.Equal(t, "[<unk> AssignStmt += BasicLit INT BlockStmt FieldList FuncDecl FuncType Ident]", fmt.Sprint(listOf(terms)))
	assert.Equal(t, []int32{7, 4, 6, 7, 2, 1, 3, 5}, trees[0].IDs(terms))
	assert.Equal(t, []int32{7, 4, 6, 7, 2, 0, 3, 5}, trees[1].IDs(terms))
}

func FuzzGo(f *testing.F) {
	for _, seed := range []string{
		goSource, "", "package p", "package p; func f() { ;;; }", "package p\nfunc f() { switch x := y.(type) { case int: } }",
		"\uFEFFpackage p\r\nfunc (*T[A, B]) f() { L: for { continue L } }", "package p\n//line x:1\nfunc f() {", "package p; func f() { a[:] = <-c }",
		"package p; func () f() {}", "package p; func ((T)) f() {}", "package p; func (int, int) f(a, b ...int) {}", "\x00", "package \xFF",
	} {
		for options := range byte(12) {
			f.Add(seed, options)
		}
	}
	f.Fuzz(func(t *testing.T, text string, options byte) {
		o := GoOptions{Files: options&1 != 0, Literals: options&2 != 0, Names: GoNames(options >> 2 % 3)}
		trees, err := ParseGo("", []byte(text), o)
		if err != nil {
			requireInside(t, err, text)
			return
		}
		source := strings.TrimPrefix(text, byteOrderMark)
		for _, tree := range trees {
			require.NoError(t, tree.Validate())
			requirePosition(t, tree.Pos, text)
			for i, at := range tree.Offset {
				require.LessOrEqual(t, int(at), len(source))
				if tree.Tag[i] == "Ident" {
					require.True(t, strings.HasPrefix(source[at:], tree.Word[i]), "%q at %d", tree.Word[i], at)
				}
			}
		}
	})
}

func BenchmarkParseGo(b *testing.B) {
	source, err := fs.ReadFile(goRoot(b), "go/parser/parser.go")
	require.NoError(b, err)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseGo("parser.go", source, GoOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
