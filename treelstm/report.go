package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/frondml/frond/treelstm/internal/confusion"
	"github.com/frondml/frond/treelstm/internal/curve"
	"github.com/frondml/frond/treelstm/internal/runpage"
)

// print writes the settings in the form that -config reads.
func (c config) print(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(c)
}

// charts draws the epochs.
func charts(history []epochRecord) []*curve.Chart {
	line := func(name string, value func(epochRecord) float64) curve.Line {
		l := curve.Line{Name: name}
		for _, e := range history {
			l.X, l.Y = append(l.X, float64(e.Epoch)), append(l.Y, value(e))
		}
		return l
	}
	loss := &curve.Chart{Title: "Loss per tree", X: "epoch", Y: "loss", WholeX: true, Lines: []curve.Line{
		line("training", func(e epochRecord) float64 { return e.Loss }),
		line("development", func(e epochRecord) float64 { return e.Dev.Loss }),
	}}
	accuracy := &curve.Chart{Title: "Accuracy on the development set", X: "epoch", Y: "%", WholeX: true, Lines: []curve.Line{
		line("roots", func(e epochRecord) float64 { return 100 * e.Dev.Root }),
		line("all nodes", func(e epochRecord) float64 { return 100 * e.Dev.Nodes }),
	}}
	if len(history) > 0 && history[0].Dev.BinaryRoot != nil {
		accuracy.Lines = append(accuracy.Lines, line("roots, binary", func(e epochRecord) float64 { return percent(e.Dev.BinaryRoot) }))
	}
	return []*curve.Chart{loss, accuracy}
}

// percent is not a number for what was not measured.
func percent(share *float64) float64 {
	if share == nil {
		return math.NaN()
	}
	return 100 * *share
}

// draw writes -curves and -report. The confusions are nil before the end.
func (t *training) draw(confusions *confusion.Table) error {
	drawn := charts(t.history)
	if t.curves != "" {
		if err := replaceFile(t.curves, []byte(curve.Stack(drawn...))); err != nil {
			return fmt.Errorf("-curves: %w", err)
		}
	}
	if t.report == "" {
		return nil
	}
	var b bytes.Buffer
	if err := t.page(drawn, confusions).Write(&b); err != nil {
		return fmt.Errorf("-report: %w", err)
	}
	if err := replaceFile(t.report, b.Bytes()); err != nil {
		return fmt.Errorf("-report: %w", err)
	}
	return nil
}

// page is what -report shows.
func (t *training) page(drawn []*curve.Chart, confusions *confusion.Table) *runpage.Page {
	p := t.trainer.Progress()
	return &runpage.Page{
		Title: "Training of " + filepath.Base(t.out),
		Summary: []string{
			t.model.String() + ".",
			fmt.Sprintf("After %s and %s the best model is that of epoch %d: %.2f%% at the roots of the development set.",
				count(p.Epoch, "epoch"), count(int(p.Steps), "step"), p.BestEpoch, 100*p.Best),
		},
		Charts: drawn, Epochs: epochTable(t.history), Settings: t.config.settings(),
		Confusion: confusions, ConfusionName: "the best model at the roots of the development set",
	}
}

func epochTable(history []epochRecord) runpage.Table {
	table := runpage.Table{Head: []string{"epoch", "steps", "loss", "dev: loss", "roots", "nodes"}}
	binary := len(history) > 0 && history[0].Dev.BinaryRoot != nil
	if binary {
		table.Head = append(table.Head, "roots, binary", "nodes, binary")
	}
	best := 0
	for i, e := range history {
		if e.Best {
			best = i
		}
	}
	for i, e := range history {
		cells := []string{
			fmt.Sprint(e.Epoch), fmt.Sprint(e.Step), fmt.Sprintf("%.3f", e.Loss), fmt.Sprintf("%.3f", e.Dev.Loss),
			fmt.Sprintf("%.2f%%", 100*e.Dev.Root), fmt.Sprintf("%.2f%%", 100*e.Dev.Nodes),
		}
		if binary {
			cells = append(cells, fmt.Sprintf("%.2f%%", percent(e.Dev.BinaryRoot)), fmt.Sprintf("%.2f%%", percent(e.Dev.BinaryNodes)))
		}
		table.Rows = append(table.Rows, runpage.Row{Cells: cells, Best: i == best})
	}
	return table
}

// settings lists the settings by the names that they have in files.
func (c config) settings() []runpage.Setting {
	var list []runpage.Setting
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		list = append(list, runpage.Setting{Name: name, Value: fmt.Sprint(v.Field(i).Interface())})
	}
	return list
}

// replaceFile writes a file in such a way that a reader sees the old one or the new one.
func replaceFile(path string, content []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".treelstm-*.tmp")
	if err != nil {
		return err
	}
	_, err = temp.Write(content)
	if e := temp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(temp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // the error before counts
	}
	return err
}

// writable reports why replaceFile could not write a file.
func writable(path string) error {
	if path == "" {
		return nil
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a directory, want a file", path)
	case err == nil && !info.Mode().IsRegular(): // such as a device, which a file would replace
		return fmt.Errorf("%s is %v, want a regular file", path, info.Mode())
	}
	_, err := os.Stat(filepath.Dir(path))
	return err
}
