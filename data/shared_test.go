package data

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// sharedPath returns the path of a file or directory of the reference data, which lies
// in the directory "shared" beside the repository. Without that directory the test is
// skipped; a file missing from it is a failure.
func sharedPath(t testing.TB, elem ...string) string {
	t.Helper()
	dir, err := filepath.Abs(".")
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		require.NotEqual(t, dir, parent, "no go.mod above the package")
		dir = parent
	}
	shared := filepath.Join(filepath.Dir(dir), "shared")
	if _, err := os.Stat(shared); os.IsNotExist(err) {
		t.Skip("the reference data is not beside this repository")
	}
	path := filepath.Join(append([]string{shared}, elem...)...)
	_, err = os.Stat(path)
	require.NotErrorIs(t, err, fs.ErrNotExist)
	return path
}

func readShared(t testing.TB, o PTBOptions, elem ...string) []*Tree {
	t.Helper()
	trees, err := ReadPTBFile(sharedPath(t, elem...), o)
	require.NoError(t, err)
	return trees
}

// shape is a Tree without what its text does not hold.
func shape(t *Tree) *Tree {
	s := *t
	s.Pos, s.Index = Position{}, nil
	return &s
}
