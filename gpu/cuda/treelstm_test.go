package cuda_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu/internal/emulator"
)

// The program treelstm trains on a device, and what it learnt there is the same on the
// processor.
func TestTreelstm(t *testing.T) {
	compiler, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no Go to build the program with: ", err)
	}
	library, dir := emulator.Library(t, ""), t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	run := func(name string, args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), name, args...)
		c.Env = append(os.Environ(), "FROND_GPU_LIBRARY="+library)
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	run(compiler, "build", "-o", file("treelstm"), "github.com/frondml/frond/treelstm")
	const trees = "(1 (1 (0 a) (1 b)) (0 a))\n(0 (0 a) (1 b))\n(1 b)\n(1 (1 b) (0 a))\n"
	for _, set := range []string{"train.txt", "dev.txt"} {
		require.NoError(t, os.WriteFile(file(set), []byte(trees), 0o600))
	}
	out := run(file("treelstm"), "train", "-device=cuda", "-data", dir, "-out", file("m"), "-classes=2", "-min-count=1",
		"-embedding=3", "-hidden=4", "-batch=2", "-epochs=2", "-workers=1")
	assert.Contains(t, out, "1 worker, cuda:0 (")
	assert.Contains(t, out, "epoch 2/2")
	predict := func(device string) string {
		return run(file("treelstm"), "predict", "-device", device, "-model", file("m"), "(1 (1 b) (0 a))")
	}
	assert.Contains(t, predict("cpu"), "b a")
	assert.Equal(t, predict("cpu"), predict("cuda:0"), "with three digits")
}
