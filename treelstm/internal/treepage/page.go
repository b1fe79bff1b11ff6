package treepage

import (
	"crypto/sha256"
	_ "embed" // for the parts of the page
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
)

// ErrTree reports a tree that cannot be drawn.
var ErrTree = errors.New("treepage: the tree cannot be drawn")

// Head is what stands above the trees.
type Head struct {
	Title   string
	Notes   []string // a paragraph each
	Classes []Class  // by number
}

//go:embed page.css
var style string

// The script in parts, each of which uses what the ones before it declare.
var (
	//go:embed tree.js
	treeScript string
	//go:embed drawing.js
	drawingScript string
	//go:embed page.js
	pageScript string

	script = treeScript + "\n" + drawingScript + "\n" + pageScript
)

// Page is a page that is being written. Close completes it.
type Page struct {
	w       io.Writer
	classes int
}

// New writes the beginning of a page to w.
func New(w io.Writer, h Head) (*Page, error) {
	classes, err := json.Marshal(h.Classes)
	if err != nil {
		return nil, err
	}
	title := html.EscapeString(h.Title)
	notes := ""
	for _, n := range h.Notes {
		notes += "<p>" + html.EscapeString(n) + "</p>\n"
	}
	_, err = fmt.Fprintf(w, beginning, source(script), source(style), title, style, title, notes, classes)
	return &Page{w, len(h.Classes)}, err
}

// source is what the policy of the page calls a script or style sheet that is in it.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Close completes the page. It does not close the writer.
func (p *Page) Close() error {
	_, err := fmt.Fprintf(p.w, end, script)
	return err
}

const beginning = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>%s</style>
</head>
<body>
<header>
<h1>%s</h1>
%s</header>
<noscript><p>The trees are drawn by a script in this page: allow it to run.</p></noscript>
<nav aria-label="Trees"></nav>
<div id="columns">
<main></main>
<aside aria-label="Classes"></aside>
</div>
<script type="application/json" id="classes">%s</script>
`

const end = `<script>%s</script>
</body>
</html>
`
