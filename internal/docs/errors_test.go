package docs

import (
	"go/ast"
	"go/doc"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
	"github.com/frondml/frond/train"
	"github.com/frondml/frond/train/safetensors"
)

const errorsPage = "docs/errors.md"

// provocations has every kind of error with a function that provokes it.
var provocations = []struct {
	name     string
	sentinel error
	provoke  func() error
}{
	{"graph.ErrShape", graph.ErrShape, provokeShape},
	{"graph.ErrDType", graph.ErrDType, provokeDType},
	{"graph.ErrUndefined", graph.ErrUndefined, provokeUndefined},
	{"graph.ErrRedefined", graph.ErrRedefined, provokeRedefined},
	{"graph.ErrUnused", graph.ErrUnused, provokeUnused},
	{"graph.ErrScope", graph.ErrScope, provokeScope},
	{"graph.ErrInvalid", graph.ErrInvalid, provokeInvalid},
	{"graph.ErrSyntax", graph.ErrSyntax, provokeProgramSyntax},
	{"exec.ErrInput", exec.ErrInput, provokeInput},
	{"exec.ErrDepth", exec.ErrDepth, provokeDepth},
	{"exec.ErrMemory", exec.ErrMemory, provokeMemory},
	{"exec.ErrNonFinite", exec.ErrNonFinite, provokeNonFinite},
	{"exec.ErrDevice", exec.ErrDevice, provokeDevice},
	{"exec.ErrInconsistent", exec.ErrInconsistent, provokeInconsistent},
	{"exec.ErrClosed", exec.ErrClosed, provokeClosed},
	{"exec.ErrNoGradient", exec.ErrNoGradient, provokeNoGradient},
	{"exec.ErrPanic", exec.ErrPanic, provokePanic},
	{"device.ErrMemory", device.ErrMemory, provokeDeviceMemory},
	{"device.ErrLost", device.ErrLost, provokeDeviceLost},
	{"device.ErrNoKernel", device.ErrNoKernel, provokeNoKernel},
	{"ops.ErrIndex", ops.ErrIndex, provokeIndex},
	{"ops.ErrDivide", ops.ErrDivide, provokeDivide},
	{"ops.ErrLength", ops.ErrLength, provokeLength},
	{"optest.ErrGradient", optest.ErrGradient, provokeGradient},
	{"train.ErrSetting", train.ErrSetting, provokeSetting},
	{"train.ErrNoLoss", train.ErrNoLoss, provokeNoLoss},
	{"train.ErrNoExamples", train.ErrNoExamples, provokeNoExamples},
	{"train.ErrCheckpoint", train.ErrCheckpoint, provokeCheckpoint},
	{"train.ErrMismatch", train.ErrMismatch, provokeMismatch},
	{"safetensors.ErrFormat", safetensors.ErrFormat, provokeFormat},
	{"safetensors.ErrInvalid", safetensors.ErrInvalid, provokeNotWritable},
	{"safetensors.ErrNotFound", safetensors.ErrNotFound, provokeNotFound},
	{"safetensors.ErrDType", safetensors.ErrDType, provokeTensorDType},
	{"safetensors.ErrLength", safetensors.ErrLength, provokeTensorLength},
	{"data.ErrSyntax", data.ErrSyntax, provokeTreeSyntax},
	{"data.ErrLimit", data.ErrLimit, provokeLimit},
	{"data.ErrEmpty", data.ErrEmpty, provokeEmpty},
	{"data.ErrOption", data.ErrOption, provokeOption},
	{"data.ErrTree", data.ErrTree, provokeTree},
	{"data.ErrWord", data.ErrWord, provokeWord},
}

var (
	position = regexp.MustCompile(`\b[a-z_]+\.go:\d+`)
	tempDir  = regexp.MustCompile(`\S*frond-docs-\d+/`)
	asked    = regexp.MustCompile(`\d+ words asked, \d+ held`)
	features = regexp.MustCompile(`host \([^)]*\)`)
	held     = regexp.MustCompile(`x\d+: memory limit reached: \d+ bytes are held and \d+ more`)
)

// stable replaces what may differ between two texts of the same message: lines of
// this package's files, names of temporary directories, how much memory something takes,
// and what the processor can do.
func stable(message string) string {
	message = position.ReplaceAllString(message, "model.go:LINE")
	message = held.ReplaceAllString(message, "xN: memory limit reached: N bytes are held and N more")
	message = asked.ReplaceAllString(message, "N words asked, N held")
	message = features.ReplaceAllString(message, "host (...)")
	return strings.TrimSpace(tempDir.ReplaceAllString(message, ""))
}

// Every kind of error has a section, which shows what is really said.
func TestErrorsPage(t *testing.T) {
	shown := messages(t)
	for _, p := range provocations {
		t.Run(p.name, func(t *testing.T) {
			err := p.provoke()
			require.ErrorIs(t, err, p.sentinel)
			require.Contains(t, shown, p.name, "%s has no section with a message", errorsPage)
			assert.Equal(t, stable(err.Error()), stable(shown[p.name]))
			delete(shown, p.name)
		})
	}
	assert.Empty(t, shown, "sections about errors that nothing provokes")
}

// messages returns, by the heading before it, each message on the page.
func messages(t *testing.T) map[string]string {
	lines := readPage(t, errorsPage)
	found := map[string]string{}
	for _, b := range blocks(t, errorsPage) {
		if b.from != "message" {
			continue
		}
		for i := b.line - 1; i >= 0; i-- {
			if name, ok := strings.CutPrefix(lines[i], "### "); ok {
				assert.NotContains(t, found, name, "%v: a second message", b)
				found[name] = b.text()
				break
			}
		}
	}
	return found
}

// No kind of error is forgotten.
func TestEveryErrorIsProvoked(t *testing.T) {
	known := map[string]bool{}
	for _, p := range provocations {
		known[p.name] = true
	}
	for _, dir := range []string{"graph", "recursion", "exec", "exec/device", "ops", "ops/optest", "train", "train/safetensors", "data", "models"} {
		p := parsePackage(t, dir)
		for _, name := range sentinels(p) {
			assert.True(t, known[p.Name+"."+name], "%s.%s is not provoked, nor is it on %s", p.Name, name, errorsPage)
		}
	}
}

// sentinels returns the exported variables of a package that are named as errors are.
func sentinels(p *doc.Package) []string {
	var names []string
	for _, v := range p.Vars {
		for _, name := range v.Names {
			if strings.HasPrefix(name, "Err") && ast.IsExported(name) {
				names = append(names, name)
			}
		}
	}
	return names
}
