package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train"
	"github.com/frondml/frond/treelstm/internal/browser"
)

// The page says of every node what the text says.
func TestPredictHTML(t *testing.T) {
	file, _ := trained(t)
	page := filepath.Join(t.TempDir(), "trees.html")
	trees := []string{"(4 (0 (2 the) (0 (2 film) (0 awful))) (2 is))", "( ( great) ( <b>unheard</b>))"}
	r := treelstm(t, append([]string{"predict", "-model", file, "-html", page}, trees...)...)
	require.Zero(t, r.status, r.err)
	assert.Equal(t, page+": 2 trees, 10 nodes\n", r.out)

	p := browser.Open(t, page, 1000, 800)
	p.Wait(`document.querySelectorAll("g[role=treeitem]").length === 10`)
	var got []string
	p.Eval(`[...document.querySelectorAll("svg")].flatMap(s => [...s.querySelectorAll("g[data-node]")].map(g => g.querySelector(".number").textContent + " " + g.getAttribute("aria-label").split(":")[0]))`, &got)

	r = treelstm(t, append([]string{"predict", "-model", file}, trees...)...)
	var want []string
	for line := range strings.Lines(r.out) {
		fields := strings.Fields(line)
		if len(fields) > 7 { // five probabilities, the class, the label, words
			want = append(want, fields[5]+" "+strings.ReplaceAll(strings.Join(fields[7:], " "), "(?)", ""))
		}
	}
	require.Len(t, want, 10, r.out)
	assert.ElementsMatch(t, want, got)

	var unknown []string
	p.Eval(`[...document.querySelectorAll(".word.unknown")].map(w => w.textContent)`, &unknown)
	assert.Equal(t, []string{"<b>unheard</b>"}, unknown)
	var legend string
	p.Eval(`document.querySelector("aside").innerText`, &legend)
	assert.Contains(t, legend, "very negative")
	assert.Empty(t, p.Errors())
	assert.Len(t, p.Requests(), 1)
}

func TestPredictHTMLLeavesNoHalfPage(t *testing.T) {
	file, dir := trained(t)
	page := filepath.Join(dir, "none", "trees.html")
	r := treelstm(t, "predict", "-model", file, "-html", page, "(2 film)")
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, "-html: open "+page)

	// Weights that are not finite.
	m := damaged(t, file)
	page = filepath.Join(dir, "trees.html")
	r = treelstm(t, "predict", "-model", m, "-html", page, "(2 film)")
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, "-html "+page)
	assert.Contains(t, r.err, "not a finite number: NaN")
	assert.NoFileExists(t, page)

	r = treelstm(t, "predict", "-model", m, "(2 film)")
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, "not a finite number: NaN")
	assert.Empty(t, r.out)
}

// A tree may be deeper than any stack and wider than any screen.
func TestPredictLargeTrees(t *testing.T) {
	file, dir := trained(t)
	const n = 10000
	left := strings.Repeat("(2 ", n-1) + "(2 a)" + strings.Repeat(" (2 b))", n-1)
	page := filepath.Join(dir, "trees.html")
	r := treelstm(t, "predict", "-model", file, "-html", page, left)
	require.Zero(t, r.status, r.err)
	assert.Equal(t, fmt.Sprintf("%s: 1 tree, %d nodes\n", page, 2*n-1), r.out)
	info, err := os.Stat(page)
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(100*2*n))
	r = treelstm(t, "predict", "-model", file, left)
	require.Zero(t, r.status, r.err)
	assert.Equal(t, 2*n, strings.Count(r.out, "\n"))
}

// damaged returns a copy of a model of which a bias is not a number.
func damaged(t testing.TB, file string) string {
	t.Helper()
	m, err := loadModel(file, exec.Options{})
	require.NoError(t, err)
	defer m.session.Close()
	params := m.session.Parameters()
	for _, v := range params.Program().Variables {
		if v.Name == "bs" {
			value := params.Value(v)
			value[0] = float32(math.NaN())
			require.NoError(t, params.Set(v, value))
		}
	}
	vocabulary, err := m.vocabulary.MarshalText()
	require.NoError(t, err)
	copied := filepath.Join(t.TempDir(), "damaged.safetensors")
	require.NoError(t, train.Save(copied, &train.Checkpoint{Params: params, Vocabulary: vocabulary, Config: m.config}))
	return copied
}
