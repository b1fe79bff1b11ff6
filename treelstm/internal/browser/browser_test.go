package browser

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const page = `<!doctype html><meta charset="utf-8"><title>test</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<style>body { margin: 0; background: #0000ff } button { width: 100px; height: 40px }</style>
<button id="b">0</button>
<script>
const b = document.getElementById("b");
b.onclick = () => { b.textContent = Number(b.textContent) + 1; };
b.onmouseenter = () => { b.title = "pointed at"; };
addEventListener("keydown", e => { document.title += " " + e.key; });
</script>`

func TestPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a page #1.html")
	require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	p := Open(t, file, 320, 200)
	assert.Empty(t, p.Errors())
	require.Len(t, p.Requests(), 1)
	assert.True(t, strings.HasSuffix(p.Requests()[0], "/a%20page%20%231.html"), p.Requests()[0])

	var title, text string
	p.Point("#b")
	p.Eval("b.title", &title)
	assert.Equal(t, "pointed at", title)
	p.Click("#b")
	p.Press("ArrowDown")
	p.Eval("document.title", &title)
	assert.Equal(t, "test ArrowDown", title)
	p.Press("Enter") // on the button, which has the focus
	p.Wait(`b.textContent === "2"`)
	p.Eval("b.textContent", &text)
	assert.Equal(t, "2", text)

	// Whatever goes wrong in the page is seen.
	p.Eval(`console.error("told"); console.log("no error"); setTimeout(() => { null.x })`, nil)
	p.Eval(`new Promise(done => { const i = new Image(); i.onerror = () => done(1); i.src = "x.png"; })`, nil)
	for _, want := range []string{"told", "Cannot read properties of null", "Content Security Policy"} {
		assert.Eventually(t, func() bool { return strings.Contains(strings.Join(p.Errors(), "\n"), want) }, patience, patience/1000, want)
	}
	assert.NotContains(t, strings.Join(p.Errors(), "\n"), "no error")
}

func TestScreenshot(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	p := Open(t, file, 320, 200)
	p.Eval(`console.error("forgotten")`, nil)
	p.Load(file)
	assert.Empty(t, p.Errors())
	p.Resize(300, 150)
	p.Screenshot(filepath.Join(dir, "shot.png"))
	f, err := os.Open(filepath.Join(dir, "shot.png"))
	require.NoError(t, err)
	defer f.Close()
	shot, err := png.Decode(f)
	require.NoError(t, err)
	assert.Equal(t, 300, shot.Bounds().Dx())
	assert.Equal(t, 150, shot.Bounds().Dy())
	r, g, b, _ := shot.At(290, 140).RGBA()
	assert.Equal(t, [3]uint32{0, 0, 0xffff}, [3]uint32{r, g, b}, "the background")
}
