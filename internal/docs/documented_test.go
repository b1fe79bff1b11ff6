package docs

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parsePackage reads the package in a directory, given relative to the root, without
// its tests; nil when there is none.
func parsePackage(t *testing.T, dir string) *doc.Package {
	paths, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	require.NoError(t, err)
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil
	}
	p, err := doc.NewFromFiles(fset, files, dir, doc.PreserveAST)
	require.NoError(t, err)
	return p
}

// directories returns all directories of the repository that may hold packages,
// relative to the root, those of nested modules among them.
func directories(t *testing.T) []string {
	var dirs []string
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "shared") {
			return filepath.SkipDir
		}
		dir, err := filepath.Rel(root, path)
		dirs = append(dirs, dir)
		return err
	}))
	return dirs
}

// Every package has a comment, and every exported symbol of a library has one.
func TestExportedSymbolsAreDocumented(t *testing.T) {
	packages := 0
	for _, dir := range directories(t) {
		p := parsePackage(t, dir)
		if p == nil {
			continue
		}
		packages++
		assert.NotEmpty(t, p.Doc, "%s: the package has no comment", dir)
		for _, name := range undocumented(p) {
			assert.Fail(t, "no comment", "%s: %s", dir, name)
		}
	}
	assert.Greater(t, packages, 20)
}

// undocumented returns the exported symbols of a package that have no comment. A
// constant or variable may share that of its group; a method Error needs none, because
// the interface of the language says what it does.
func undocumented(p *doc.Package) []string {
	var names []string
	check := func(comment, name string) {
		if strings.TrimSpace(comment) == "" && ast.IsExported(name[strings.LastIndex(name, ".")+1:]) {
			names = append(names, name)
		}
	}
	values := func(groups []*doc.Value) {
		for _, g := range groups {
			for _, spec := range g.Decl.Specs {
				v := spec.(*ast.ValueSpec)
				for _, name := range v.Names {
					check(g.Doc+v.Doc.Text()+v.Comment.Text(), name.Name)
				}
			}
		}
	}
	functions := func(fs []*doc.Func, prefix string) {
		for _, f := range fs {
			if prefix == "" || f.Name != "Error" {
				check(f.Doc, prefix+f.Name)
			}
		}
	}
	values(p.Consts)
	values(p.Vars)
	functions(p.Funcs, "")
	for _, typ := range p.Types {
		check(typ.Doc, typ.Name)
		values(typ.Consts)
		values(typ.Vars)
		functions(typ.Funcs, "")
		functions(typ.Methods, typ.Name+".")
	}
	return names
}

// A check that finds nothing in the library would find something elsewhere.
func TestUndocumented(t *testing.T) {
	const source = `package p

const A = 1

// Group of constants.
const (
	B = 2
)

var C, d = 1, 2

// F is documented.
func F() {}

func G() {}

type T struct{}

func (T) M() {}

func (T) Error() string { return "" }

type u struct{}

func (u) N() {}
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	p, err := doc.NewFromFiles(fset, []*ast.File{f}, "p", doc.PreserveAST)
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"A", "C", "G", "T", "T.M"}, undocumented(p))
}
