package data

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func goFiles() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"b/b.go":               file("package b\nfunc F() {}\nfunc G() {}"),
		"a.go":                 file("package a\nfunc A() {}"),
		"a_test.go":            file("package a\nfunc TestA() {}"),
		"broken.go":            file("package a\nfunc A( {}"),
		"notes.txt":            file("func"),
		"testdata/x.go":        file("package"),
		"b/.old/x.go":          file("package"),
		".git/x.go":            file("package"),
		"dir.go/inner/deep.go": file("package deep\nfunc D() {}"),
	}
}

func TestGoTrees(t *testing.T) {
	var got []string
	for tree, err := range GoTrees(goFiles(), GoOptions{Include: func(path string) bool { return !strings.HasSuffix(path, "_test.go") }}) {
		if err != nil {
			require.ErrorIs(t, err, ErrSyntax)
			got = append(got, err.Error())
			continue
		}
		got = append(got, tree.File+" "+tree.Name)
	}
	assert.Equal(t, []string{"a.go A", "b/b.go F", "b/b.go G", "broken.go:2:9: expected ')', found '{'",
		"dir.go/inner/deep.go D"}, got)
	for range GoTrees(goFiles(), GoOptions{}) {
		break // must not go on behind the loop
	}
}

func TestReadGo(t *testing.T) {
	trees, err := ReadGo(goFiles(), GoOptions{})
	require.ErrorIs(t, err, ErrSyntax)
	assert.Len(t, trees, 5)
	trees, report, err := ReadGoLenient(goFiles(), GoOptions{})
	require.NoError(t, err)
	assert.Len(t, trees, 5)
	assert.Equal(t, 5, report.Trees)
	assert.Equal(t, 1, report.Skipped)

	_, err = ReadGo(fstest.MapFS{}, GoOptions{})
	require.ErrorIs(t, err, ErrEmpty)
	_, _, err = ReadGoLenient(fstest.MapFS{}, GoOptions{})
	require.ErrorIs(t, err, ErrEmpty)
	_, err = ReadGo(os.DirFS(filepath.Join(t.TempDir(), "absent")), GoOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = ReadGo(goFiles(), GoOptions{MaxFileBytes: -1})
	require.ErrorIs(t, err, ErrOption)
	_, err = ReadGo(unreadable{goFiles()}, GoOptions{})
	require.ErrorIs(t, err, errUnreadable)
}

type unreadable struct{ fs.FS }

var errUnreadable = errors.New("unreadable")

func (u unreadable) Open(name string) (fs.File, error) {
	if name == "b/b.go" {
		return nil, errUnreadable
	}
	return u.FS.Open(name)
}

// goRoot returns the source directory of the installed Go.
func goRoot(t testing.TB) fs.FS {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("there is no go command to ask for its source:", err)
	}
	return os.DirFS(filepath.Join(strings.TrimSpace(string(out)), "src"))
}

// The expected counts are those of another program, over the same release.
func TestGoTreesOfTheStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all of GOROOT/src")
	}
	t.Parallel()
	tags := map[string]bool{}
	var last string // tags come in runs, and maps are slow
	files, functions, nodes, largest, depth, fanOut := 0, 0, 0, 0, 0, int32(0)
	count := func(string) bool { files++; return true }
	for tree, err := range GoTrees(goRoot(t), GoOptions{Include: count}) {
		require.NoError(t, err)
		functions++
		nodes += tree.Len()
		largest = max(largest, tree.Len())
		depth = max(depth, tree.Depth())
		for i, tag := range tree.Tag {
			if tag != last {
				tags[tag], last = true, tag
			}
			fanOut = max(fanOut, tree.ChildStart[i+1]-tree.ChildStart[i])
		}
	}
	t.Log(runtime.Version(), files, functions, nodes, len(tags), largest, depth, fanOut)
	assert.Greater(t, functions, 50_000)
	assert.Greater(t, nodes, 50*functions)
	if runtime.Version() != "go1.26.8" {
		return
	}
	assert.Equal(t, 6_495, files)
	assert.Equal(t, 76_775, functions)
	assert.Equal(t, 8_389_140, nodes)
	assert.Len(t, tags, 48)
	assert.Equal(t, 62_289, largest)
	assert.Equal(t, int32(2622), fanOut)
	assert.Equal(t, 39, depth+1) // counted in nodes
}
