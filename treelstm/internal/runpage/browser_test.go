package runpage_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/treelstm/internal/browser"
)

// A browser draws the whole page, asks for nothing else, executes nothing of what it was
// given, and needs no more than the width of a telephone.
func TestPageInABrowser(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, []byte(render(t, example(5))), 0o600))
	p := browser.Open(t, file, 400, 800)
	p.Keep("run")
	assert.Empty(t, p.Errors())
	assert.Len(t, p.Requests(), 1, "the page itself")

	var drawn struct{ Points, Rows, Fields, Width, Scripts int }
	p.Eval(`({
		points: document.querySelectorAll("svg circle").length,
		rows: document.querySelectorAll(".epochs tbody tr").length,
		fields: document.querySelectorAll(".confusion td[data-share]").length,
		width: document.documentElement.scrollWidth,
		scripts: document.scripts.length,
	})`, &drawn)
	assert.Equal(t, 2, drawn.Points)
	assert.Equal(t, 2, drawn.Rows)
	assert.Equal(t, 10, drawn.Fields)
	assert.LessOrEqual(t, drawn.Width, 400, "wide tables scroll, the page does not")
	assert.Zero(t, drawn.Scripts)

	var background string
	p.Eval(`getComputedStyle(document.querySelector(".confusion td.right")).backgroundColor`, &background)
	assert.Contains(t, background, "rgba(0, 114, 178, 0.38", "as dark as the share of its row: 50/130")
}
