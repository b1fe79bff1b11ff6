//go:build mumax && linux

package mumax_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/frondml/frond/gpu/kernels" // whose tests are run: their modules are listed in go.sum
)

const module = "github.com/frondml/frond"

// bound is a file that is put beside the tests of a package.
const bound = `package %s_test

import (
	"github.com/frondml/frond/gpu/internal/emulator"
	"github.com/frondml/frond/gpu/mumax"
)

func init() { emulator.Binding = mumax.Binding{} }
`

// The tests of the packages that use a driver pass with this binding as well: they
// are the same tests, built with a file that selects it. The module under test cannot
// contain that file, since this module depends on it.
func TestSuitesOfTheOtherPackages(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	packages := []string{"gpu/driver", "gpu", "gpu/internal/emulator", "gpu/kernels"}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	directory := t.TempDir()
	// Tests that look at generated code have nothing to do with a binding.
	arguments := []string{"test", "-count=1", "-vet=off", "-tags", "mumax", "-skip", "Current|ptxas"}
	if testing.Short() {
		arguments = append(arguments, "-short")
	}
	for _, p := range packages {
		file := filepath.Join(directory, path.Base(p)+"_test.go")
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, bound, path.Base(p)), 0o600))
		overlay.Replace[filepath.Join(root, filepath.FromSlash(p), "binding_of_mumax_test.go")] = file
	}
	text, err := json.Marshal(overlay)
	require.NoError(t, err)
	replaced := filepath.Join(directory, "overlay.json")
	require.NoError(t, os.WriteFile(replaced, text, 0o600))
	arguments = append(arguments, "-overlay", replaced)
	for _, p := range packages {
		arguments = append(arguments, path.Join(module, p))
	}
	command := exec.CommandContext(t.Context(), "go", arguments...)
	output, err := command.CombinedOutput()
	require.NoError(t, err, "go %s\n%s", strings.Join(arguments, " "), output)
	for _, p := range packages {
		require.Contains(t, string(output), "ok  \t"+path.Join(module, p)+"\t")
	}
	t.Logf("\n%s", output)
}
