package mumax_test

import (
	"go/build"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without the build tag the package is empty, so that nothing under the GPL gets into
// a program unasked.
func TestNothingIsBuiltWithoutTheTag(t *testing.T) {
	context := build.Default
	context.GOOS, context.CgoEnabled = "linux", true
	const binding = "github.com/mumax/3/cuda/cu"
	for _, tags := range [][]string{nil, {"mumax"}} {
		context.BuildTags = tags
		p, err := context.ImportDir(".", 0)
		require.NoError(t, err)
		if tags == nil {
			require.Equal(t, []string{"doc.go"}, p.GoFiles)
			require.Empty(t, p.CgoFiles)
			require.Empty(t, p.CFiles)
			require.NotContains(t, p.Imports, binding)
		} else {
			require.NotEmpty(t, p.CgoFiles)
			require.NotEmpty(t, p.CFiles)
			require.Contains(t, p.Imports, binding)
		}
	}
}
