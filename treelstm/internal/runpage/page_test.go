package runpage_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/treelstm/internal/confusion"
	"github.com/frondml/frond/treelstm/internal/curve"
	"github.com/frondml/frond/treelstm/internal/runpage"
)

const hostile = `<script>alert("x")</script>`

func example(classes int32) *runpage.Page {
	var c confusion.Table
	for class := range classes {
		c.Add(class, class)
		c.Add(class, (class+1)%classes)
	}
	return &runpage.Page{
		Title: hostile, Summary: []string{hostile},
		Charts:   []*curve.Chart{{Title: hostile, X: hostile, Y: hostile, Lines: []curve.Line{{Name: hostile, X: []float64{1, 2}, Y: []float64{3, 4}}}}},
		Epochs:   runpage.Table{Head: []string{hostile}, Rows: []runpage.Row{{Cells: []string{hostile}}, {Cells: []string{"x"}, Best: true}}},
		Settings: []runpage.Setting{{Name: hostile, Value: hostile}}, Confusion: &c, ConfusionName: hostile,
	}
}

func render(t *testing.T, p *runpage.Page) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, p.Write(&b))
	return b.String()
}

// The page asks for nothing from elsewhere and executes nothing that it is given.
func TestPageIsSelfContained(t *testing.T) {
	page := render(t, example(3))
	assert.NotContains(t, page, "<script")
	for _, reference := range []string{"src=", "href=", "url(", "@import"} {
		assert.NotContains(t, page, reference)
	}
	assert.Equal(t, 1, strings.Count(page, "http"), "the namespace of SVG, in a chart")
	assert.GreaterOrEqual(t, strings.Count(page, "&lt;script&gt;"), 12)
	assert.Contains(t, page, `<tr class="best"><td>x</td></tr>`)
}

func TestConfusionTable(t *testing.T) {
	page := render(t, example(3))
	assert.Equal(t, 3, strings.Count(page, `<td class="right" data-share="50" style="--share: 50">1</td>`))
	assert.Equal(t, 9, strings.Count(page, "<td>50.0%</td>"), "precision, recall and F1")

	page = render(t, example(1000))
	assert.Contains(t, page, "<th>times</th>")
	assert.Less(t, len(page), 20000, "a million fields are no table")

	p := example(3)
	p.Confusion = nil
	assert.NotContains(t, render(t, p), "predicted", "before the end")
}

func TestWriterThatFails(t *testing.T) {
	r, w := io.Pipe()
	require.NoError(t, r.CloseWithError(os.ErrClosed))
	assert.True(t, errors.Is(example(2).Write(w), os.ErrClosed))
}
