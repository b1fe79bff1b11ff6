package runpage

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/frondml/frond/treelstm/internal/confusion"
	"github.com/frondml/frond/treelstm/internal/curve"
)

// Page is what there is to tell about a run.
type Page struct {
	Title    string
	Summary  []string // sentences
	Charts   []*curve.Chart
	Epochs   Table
	Settings []Setting
	// Confusion is what the model takes for what on a set of trees, whose name comes
	// before it; nil as long as that is not known.
	Confusion     *confusion.Table
	ConfusionName string
}

// Setting is a setting of the run.
type Setting struct{ Name, Value string }

// Table is a table of texts.
type Table struct {
	Head []string
	Rows []Row
}

// Row is a line of a table.
type Row struct {
	Cells []string
	Best  bool // it is emphasised
}

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	drawn := make([]template.HTML, len(p.Charts))
	for i, c := range p.Charts {
		drawn[i] = template.HTML(c.SVG()) // texts are escaped there
	}
	return page.Execute(w, struct {
		*Page
		Drawn []template.HTML
		Table [][]cell
	}{p, drawn, p.confusionTable()})
}

// cell is a field of a confusion table.
type cell struct {
	Text  string
	Head  bool
	Right bool // label and prediction agree
	Share int  // of the label's trees, in percent: how dark the field is
}

// confusionTable lays the confusions out: all of them, or the most frequent mistakes
// where there are too many classes.
func (p *Page) confusionTable() [][]cell {
	if p.Confusion == nil {
		return nil
	}
	classes := p.Confusion.Classes()
	if !confusion.Square(classes) {
		return mistakes(p.Confusion)
	}
	head := []cell{{Text: "label \\ predicted", Head: true}}
	for _, c := range classes {
		head = append(head, cell{Text: fmt.Sprint(c.Class), Head: true})
	}
	for _, name := range []string{"precision", "recall", "F1"} {
		head = append(head, cell{Text: name, Head: true})
	}
	table := [][]cell{head}
	for _, row := range classes {
		cells := []cell{{Text: fmt.Sprint(row.Class), Head: true}}
		for _, column := range classes {
			n := p.Confusion.Count(row.Class, column.Class)
			cells = append(cells, cell{Text: fmt.Sprint(n), Right: row.Class == column.Class, Share: 100 * n / max(1, row.Labelled)})
		}
		for _, x := range []float64{row.Precision(), row.Recall(), row.F1()} {
			cells = append(cells, cell{Text: fmt.Sprintf("%.1f%%", 100*x)})
		}
		table = append(table, cells)
	}
	return table
}

// mistakes lists the most frequent mistakes.
func mistakes(t *confusion.Table) [][]cell {
	const most = 20
	table := [][]cell{{{Text: "label", Head: true}, {Text: "predicted", Head: true}, {Text: "times", Head: true}}}
	pairs := t.Errors()
	for _, pair := range pairs[:min(most, len(pairs))] {
		table = append(table, []cell{
			{Text: fmt.Sprint(pair.Label), Head: true}, {Text: fmt.Sprint(pair.Predicted)}, {Text: fmt.Sprint(t.Count(pair.Label, pair.Predicted))},
		})
	}
	return table
}
