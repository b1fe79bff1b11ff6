package cudac_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu/internal/cudac"
)

func TestCheckFindsStalePTX(t *testing.T) {
	source := filepath.Join(t.TempDir(), "k.cu")
	write := func(path, text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write(source, "#include \"dialect.cuh\"\nKERNEL k(float* x) { *x = 1; }\n")
	write(cudac.PTXPath(source), "// made of something else\n")
	require.ErrorIs(t, cudac.Check(source), cudac.ErrStale)

	ptx, err := cudac.Compile(source)
	if errors.Is(err, cudac.ErrNoCompiler) {
		t.Skip(err)
	}
	require.NoError(t, err)
	require.Contains(t, string(ptx), ".visible .entry k(")
	write(cudac.PTXPath(source), string(ptx))
	require.NoError(t, cudac.Check(source))
	write(cudac.PTXPath(source), string(ptx)+"// edited\n")
	require.ErrorIs(t, cudac.Check(source), cudac.ErrStale)
	write(filepath.Join(filepath.Dir(source), "one.cuh"), "#define ONE 1\n")
	write(source, "#include \"dialect.cuh\"\n#include \"one.cuh\"\nKERNEL k(float* x) { *x = ONE; }\n")
	ptx, err = cudac.Compile(source)
	require.NoError(t, err)
	write(cudac.PTXPath(source), string(ptx))
	require.NoError(t, cudac.Check(source))
	write(filepath.Join(filepath.Dir(source), "one.cuh"), "#define ONE 1 // changed\n")
	require.ErrorIs(t, cudac.Check(source), cudac.ErrStale, "a header counts as well")
	write(source, "KERNEL k(float* x) { *x = 1 }\n")
	_, err = cudac.Compile(source)
	require.ErrorContains(t, err, "error:")
}
