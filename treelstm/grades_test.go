package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
)

func TestFoldLabels(t *testing.T) {
	tree := &data.Tree{Label: []int32{0, 1, 2, 3, 4, data.NoLabel}}
	foldLabels(tree)
	assert.Equal(t, []int32{0, 0, data.NoLabel, 1, 1, data.NoLabel}, tree.Label)
}

const gradedTrain = "(4 (3 good) (2 film))\n(2 (2 the) (2 film))\n(0 (1 bad) (2 film))\n"

func TestTwoClassesOfGrades(t *testing.T) {
	dir := write(t, map[string]string{"train.txt": gradedTrain, "dev.txt": "(3 (4 good) (3 film))\n(2 (2 a) (2 film))\n", "test.txt": "(1 (2 bad) (2 film))\n"})
	out := filepath.Join(dir, "m.safetensors")
	r := treelstm(t, small("-data", dir, "-out", out, "-classes=2", "-epochs=2", "-min-count=1")...)
	require.Zero(t, r.status, r.err)
	assert.Contains(t, r.out, "train.txt: 2 trees (1 with neutral roots left out), 6 nodes")
	assert.Contains(t, r.out, "dev.txt: 1 tree (1 with neutral roots left out), 3 nodes")
	assert.Contains(t, r.out, "labels are grades from 0 to 4: those below 2 are class 0, those above class 1")

	// The file knows that labels are grades, also where not all of them occur.
	r = treelstm(t, "eval", "-model", out)
	require.Zero(t, r.status, r.err)
	assert.Contains(t, r.out, "test.txt: 1 tree, 3 nodes")
	assert.Contains(t, r.out, "2 classes")
	m, err := loadModel(out, exec.Options{})
	require.NoError(t, err)
	defer m.session.Close()
	assert.Equal(t, sentimentClasses, m.config.Grades)
}

// Neutral nodes add nothing to the loss.
func TestNeutralNodesCarryNoLoss(t *testing.T) {
	one := write(t, map[string]string{"train.txt": gradedTrain, "dev.txt": "(4 (2 good) (2 film))\n"})
	out := filepath.Join(one, "m.safetensors")
	require.Zero(t, treelstm(t, small("-data", one, "-out", out, "-classes=2", "-epochs=1", "-min-count=1")...).status)
	m, err := loadModel(out, exec.Options{})
	require.NoError(t, err)
	defer m.session.Close()
	loss := func(tree string) float64 {
		c, err := m.config.set(write(t, map[string]string{"test.txt": tree}), "test", os.Stderr)
		require.NoError(t, err)
		a, err := m.measure(t.Context(), examples(c.trees, m.vocabulary))
		require.NoError(t, err)
		return a.loss
	}
	root := loss("(4 (2 good) (2 film))")
	leaf := loss("(4 (4 good) (2 film))") - root
	assert.InDelta(t, loss("(4 (3 good) (2 film))"), root+leaf, 1e-6, "grades 3 and 4 are one class")
	assert.Positive(t, root)
	assert.Positive(t, leaf)
}

func TestTwoClassesThatAreNoGrades(t *testing.T) {
	dir := write(t, map[string]string{"train.txt": "(1 (1 good) (0 film))\n(0 (0 bad) (0 film))\n", "dev.txt": "(1 (1 good) (0 film))\n"})
	r := treelstm(t, small("-data", dir, "-out", filepath.Join(dir, "m.safetensors"), "-classes=2", "-epochs=1")...)
	require.Zero(t, r.status, r.err)
	assert.NotContains(t, r.out, "grades")
	assert.Contains(t, r.out, "train.txt: 2 trees, 6 nodes")
}

func TestWrongLabelSets(t *testing.T) {
	for name, c := range map[string]struct {
		train string
		args  []string
		want  []string
	}{
		"three of five grades": {"(1 (1 good) (2 film))\n(0 (0 bad) (3 film))\n", []string{"-classes=2"},
			[]string{"train.txt:1:14", "train.txt:2:13", "-classes 2 wants labels 0 and 1, or all of the grades 0 to 4, which not all occur"}},
		"six":         {gradedTrain + "(5 (5 x) (5 y))\n", []string{"-classes=2"}, []string{"train.txt:4:2", "-classes 2 wants"}},
		"too few":     {gradedTrain, []string{"-classes=3"}, []string{`train.txt:1:2: expected a label 0..2, found "4"`}},
		"all neutral": {"(2 (0 a) (1 b))\n(2 (3 a) (4 b))\n", []string{"-classes=2"}, []string{"train.txt: ", "expected a tree whose root is not neutral (2), found none among 2"}},
	} {
		dir := write(t, map[string]string{"train.txt": c.train, "dev.txt": gradedTrain})
		r := treelstm(t, small(append(c.args, "-data", dir, "-out", filepath.Join(dir, "m.safetensors"))...)...)
		assert.Equal(t, exitFailure, r.status, name)
		for _, want := range c.want {
			assert.Contains(t, r.err, want, name)
		}
	}
	r := treelstm(t, small("-data", filepath.Join(t.TempDir(), "none"), "-classes=2")...)
	assert.NotContains(t, r.err, "wants labels", "the file is missing, its labels are not wrong")
	assert.Contains(t, r.err, "no such file")
}

// A model is only measured on the labels that it knows.
func TestModelOfOtherLabels(t *testing.T) {
	file, _ := trained(t)
	r := treelstm(t, "eval", "-model", file, "-data", write(t, map[string]string{"test.txt": "(4 (7 good) (2 film))\n"}))
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, `test.txt:1:5: expected a label 0..4, found "7"`)
	assert.Contains(t, r.err, "(the model was trained on trees with labels from 0 to 4)")
}
