package models_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
)

// The table of docs/models.md has a row for every model, with the numbers of its
// parameters and, about, of the lines of its code.
func TestDocumentedModels(t *testing.T) {
	text, err := os.ReadFile("../docs/models.md")
	require.NoError(t, err)
	for _, l := range listedModels {
		t.Logf("| `%s` | %s | %d |", l.name, thousands(l.parameters(t)), l.lines(t))
		_, row, ok := strings.Cut(string(text), "| `"+l.name+"` |")
		if !assert.True(t, ok, "%s has no row", l.name) {
			continue
		}
		row, _, _ = strings.Cut(row, "\n")
		cells := strings.Split(row, "|")
		require.Len(t, cells, 9, l.name)
		assert.Equal(t, thousands(l.parameters(t)), strings.TrimSpace(cells[2]), "parameters of %s", l.name)
		lines, err := strconv.Atoi(strings.TrimSpace(cells[3]))
		require.NoError(t, err)
		assert.InEpsilon(t, l.lines(t), lines, 0.2, "lines of %s", l.name)
	}
}

// parameters counts all but the tables that have a row for each word.
func (l *listed) parameters(t *testing.T) (n int) {
	t.Helper()
	m := graph.NewModule(l.name)
	l.build(m)
	p, err := m.Build()
	require.NoError(t, err)
	for _, v := range p.Variables {
		if v.Name != "E" && v.Name != "D" && !(len(v.Type.Shape) > 0 && v.Type.Shape[0] == listedVocab) {
			n += v.Type.Size()
		}
	}
	return n
}

// lines counts the lines of code, without comments and empty lines, of the file of the
// model and of those whose names begin like it.
func (l *listed) lines(t *testing.T) int {
	t.Helper()
	files, err := filepath.Glob(strings.TrimSuffix(l.file, ".go") + "*.go")
	require.NoError(t, err)
	n := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		n += linesOfCode(text)
	}
	return n
}

func linesOfCode(text []byte) int {
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(text))
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if literal != "\n" { // a semicolon that is not written
			lines[file.Line(pos)] = true
		}
	}
}

// thousands writes a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
