package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPredict(t *testing.T) {
	file, _ := trained(t)
	r := treelstm(t, "predict", "-model", file, "(0 (2 the) (0 (2 film) (0 awful)))", "( ( great) ( unheard))")
	require.Zero(t, r.status, r.err)
	trees := strings.Split(r.out, "\n\n")
	require.Len(t, trees, 2)

	// Parents come first, children are indented.
	var texts []string
	rows := regexp.MustCompile(`(?m)^([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) +(\d) +([\d-])  (.*)$`).FindAllStringSubmatch(trees[0], -1)
	require.Len(t, rows, 5, trees[0])
	for _, row := range rows {
		texts = append(texts, row[7]+" "+row[8])
		sum, largest, class := 0.0, -1.0, ""
		for i, text := range row[1:6] {
			p, err := strconv.ParseFloat(text, 64)
			require.NoError(t, err)
			sum += p
			if p > largest {
				largest, class = p, strconv.Itoa(i)
			}
		}
		assert.InDelta(t, 1, sum, 0.003, row[0])
		assert.Equal(t, class, row[6], "the class shown is the most probable one")
	}
	assert.Equal(t, []string{"0 the film awful", "2   the", "0   film awful", "2     film", "0     awful"}, texts)
	assert.Equal(t, "0", rows[0][6], "it has learnt this")

	assert.Contains(t, trees[1], "-  great unheard(?)")
	assert.Contains(t, trees[1], "-    unheard(?)", "a word that is not known is marked")
}

func TestPredictReadsStandardInput(t *testing.T) {
	file, _ := trained(t)
	r := commandWith(t.Context(), "(4 (4 good) (2 film))\n(0 (0 bad)\n (2 film))\n", "predict", "-model", file)
	require.Zero(t, r.status, r.err)
	assert.Equal(t, 2, strings.Count(r.out, " is  label"))
	assert.Contains(t, r.out, "bad film")
}

// A terminal may never end: Ctrl-C must not wait for it.
func TestPredictCanBeInterruptedWhileItReads(t *testing.T) {
	file, _ := trained(t)
	in, _ := io.Pipe()
	defer in.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	assert.Equal(t, exitInterrupted, run(ctx, []string{"predict", "-model", file}, streams{in, &out, &errs}))
	assert.Contains(t, errs.String(), "standard input: context canceled")
}

func TestPredictRefuses(t *testing.T) {
	file, _ := trained(t)
	for in, want := range map[string]string{
		"":                          "standard input: data: no data",
		"(3 (2 It) (4 works)":       "standard input:1:1: expected ')'",
		"(3 (2 It) (9 works))":      `standard input:1:1: label 9 at "works"; the model has the classes 0 to 4`,
		"(3 (2 It) (2 is) (4 fun))": "standard input:1:1: expected a node with two subtrees",
	} {
		r := commandWith(t.Context(), in, "predict", "-model", file)
		assert.Equal(t, exitFailure, r.status, in)
		assert.Contains(t, r.err, want)
		assert.Empty(t, r.out)
	}
}

// A tree of another kind than the model's is often one meant for another model.
func TestPredictTellsWhatTheModelReads(t *testing.T) {
	sentiment, dir := trained(t)
	listOps := filepath.Join(t.TempDir(), "m.safetensors")
	require.Zero(t, treelstm(t, small("-examples=8", "-epochs=1", "-out", listOps)...).status)
	for _, c := range []struct{ model, tree, want string }{
		{listOps, "(3 (2 It) (4 works))", "the model was trained on ListOps: it reads expressions such as [MAX 2 9 ]"},
		{sentiment, "[MAX 2 9 ]", "the model was trained on the trees of " + dir + ": it reads brackets"},
	} {
		r := treelstm(t, "predict", "-model", c.model, c.tree)
		assert.Equal(t, exitFailure, r.status, c.tree)
		assert.Contains(t, r.err, c.want)
	}
	r := treelstm(t, "predict", "-model", sentiment, "(3 (2 It) (9 works))")
	assert.NotContains(t, r.err, "was trained on", "the kind of tree is right")
}

func TestLongPhrasesAreCut(t *testing.T) {
	file, _ := trained(t)
	tree := "(2 the)"
	for range 40 {
		tree = "(2 " + tree + " (2 film))"
	}
	r := treelstm(t, "predict", "-model", file, tree)
	require.Zero(t, r.status, r.err)
	first := strings.Split(r.out, "\n")[1]
	assert.True(t, strings.HasSuffix(first, " film ..."), first)
	assert.Less(t, len(first), 130)
}

// Words are text, whatever is in them.
func TestPredictEscapesControlCharacters(t *testing.T) {
	file, _ := trained(t)
	r := treelstm(t, "predict", "-model", file, "(2 (2 a\x1b[2Jb) (2 \u202ec))")
	require.Zero(t, r.status, r.err)
	assert.Contains(t, r.out, `a\x1b[2Jb(?) \u202ec(?)`)
	assert.NotContains(t, r.out, "\x1b")
}

func TestListOpsExpressions(t *testing.T) {
	trees, err := parseListOps(strings.NewReader("[MAX 2 9]\n\n( ( ( [MAX 2 ) 9 ) ] )\n7\n"), "x")
	require.NoError(t, err)
	require.Len(t, trees, 3)
	assert.Equal(t, trees[0].String(), trees[1].String())
	assert.EqualValues(t, 9, trees[0].Label[trees[0].Root()], "the answer is known")
	_, err = parseListOps(strings.NewReader("\n[MAX 2 9\n1 2\nten\n]\n"), "x")
	for _, want := range []string{"x:2:9: ", "x:3:3: ", "x:4:1: ", `found "ten"`, "x:5:1: "} {
		assert.ErrorContains(t, err, want)
	}
	_, err = parseListOps(strings.NewReader(" \n"), "x")
	assert.ErrorContains(t, err, "x: data: no data")
}

// A model of two classes that was trained on grades reads grades.
func TestPredictFoldsGrades(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.safetensors")
	dir := write(t, map[string]string{"train.txt": sentiment(1, 60) + "(1 (1 bad) (3 (3 good) (2 film)))\n", "dev.txt": sentiment(2, 20)})
	r := treelstm(t, small("-data", dir, "-out", file, "-epochs=1", "-dropout=0", "-min-count=1", "-classes=2")...)
	require.Zero(t, r.status, r.err)
	r = treelstm(t, "predict", "-model", file, "(4 (2 the) (1 bad))")
	require.Zero(t, r.status, r.err)
	assert.Regexp(t, `(?m)^[\d.]+ [\d.]+ +\d +1  the bad\n[\d.]+ [\d.]+ +\d +-    the\n[\d.]+ [\d.]+ +\d +0    bad$`, r.out)
	r = treelstm(t, "predict", "-model", file, "(5 (2 the) (1 bad))")
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, `label 5 at "the bad"; the model was trained on the grades 0 to 4`)
}
