package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
)

func TestDefaultsSuitTheModel(t *testing.T) {
	f, err := parseTrain([]string{"-model=rntn", "-data=x"}, nil, nil)
	require.NoError(t, err)
	require.NoError(t, f.resolveWidths(0))
	assert.Equal(t, 12, f.Hidden)
	assert.Equal(t, 12, f.Embedding, "a word vector is a state")
	assert.Zero(t, f.Dropout)

	f, err = parseTrain([]string{"-model=treernn", "-hidden=7"}, nil, nil)
	require.NoError(t, err, "ListOps")
	require.NoError(t, f.resolveWidths(0))
	assert.Equal(t, []int{7, 7}, []int{f.Embedding, f.Hidden})

	f, err = parseTrain([]string{"-data=x", "-vectors=v"}, nil, nil)
	require.NoError(t, err)
	require.NoError(t, f.resolveWidths(50))
	assert.Equal(t, []int{50, 150}, []int{f.Embedding, f.Hidden})

	f, err = parseTrain([]string{"-data=x", "-vectors=v", "-model=treernn"}, nil, nil)
	require.NoError(t, err)
	require.NoError(t, f.resolveWidths(50))
	assert.Equal(t, []int{50, 50}, []int{f.Embedding, f.Hidden})
}

func TestWidthsThatContradict(t *testing.T) {
	for _, c := range []struct {
		config  config
		vectors int
		want    []string
	}{
		{config{Model: "treelstm", Vectors: "v.txt", Embedding: 300, Hidden: 150}, 50, []string{"-vectors v.txt: vectors have 50 elements, -embedding wants 300"}},
		{config{Model: "rntn", Embedding: 20, Hidden: 30}, 0, []string{"-hidden 30: in rntn word vectors, which have 20 elements, are states"}},
		{config{Model: "treernn", Vectors: "v.txt", Embedding: 20, Hidden: 30}, 50, []string{"want as many", "-embedding wants 20"}},
	} {
		err := c.config.resolveWidths(c.vectors)
		require.Error(t, err)
		for _, want := range c.want {
			assert.ErrorContains(t, err, want)
		}
	}
}

func TestSettingsThatDoNotFitTheModel(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-model=gpt"}, `-model "gpt": want treelstm, treernn, rntn or mvrnn`},
		{[]string{"-model=treernn", "-dropout=0.5"}, "-dropout 0.5: want 0: treernn has none"},
		{[]string{"-model=rntn", "-hidden=5000"}, "-hidden 5000: want 1 to 400"},
		{[]string{"-embedding=0"}, "-embedding 0: want 1 to 16384"},
		{[]string{"-hidden=0", "-data=x", "-vectors=v"}, "-hidden 0: want 1 to 16384"},
		{[]string{"-model=treernn", "-hidden=0", "-embedding=0"}, "-hidden 0: want 1 to 16384"},
		{[]string{"-vectors=v"}, "-vectors v: want a treebank (-data)"},
		{[]string{"-save-every=soon"}, "want a number of steps, or a time such as 30s"},
		{[]string{"-save-every=-5"}, "want a number of steps, or a time such as 30s"},
	} {
		r := treelstm(t, append([]string{"train"}, c.args...)...)
		assert.Equal(t, exitUsage, r.status, "%q", c.args)
		assert.Contains(t, r.err, c.want)
	}
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	return filepath.Join(write(t, map[string]string{"c.json": text}), "c.json")
}

// Flags replace what the file says, and the file what is good for the model it names.
func TestConfigFile(t *testing.T) {
	file := writeConfig(t, `{"model": "rntn", "data": "d", "hidden": 11, "epochs": 3}`)
	f, err := parseTrain([]string{"-config", file, "-epochs=4"}, nil, nil)
	require.NoError(t, err)
	want := treebank()
	networks()[2].treebank(&want)
	want.Model, want.Data, want.Hidden, want.Embedding, want.Epochs = "rntn", "d", 11, 0, 4
	assert.Equal(t, want, f.config)

	f, err = parseTrain([]string{"-config", file, "-model=treelstm"}, nil, nil)
	require.NoError(t, err)
	assert.Equal(t, 300, f.Embedding, "defaults are those of the model that the flag names")
	assert.Equal(t, 11, f.Hidden)

	saved := treebank()
	saved.Data, saved.Classes = "e", 3
	f, err = parseTrain([]string{"-config", writeConfig(t, `{"epochs": 30}`), "-resume"}, &saved, nil)
	require.NoError(t, err)
	want = saved
	want.Epochs = 30
	assert.Equal(t, want, f.config)
}

// What -print-config prints is what -config reads, and what the model's file keeps.
func TestPrintedConfig(t *testing.T) {
	dir := sentimentData(t)
	args := small("-data", dir, "-out", filepath.Join(dir, "m.safetensors"), "-model=treernn", "-embedding=0", "-epochs=1")
	printed := treelstm(t, append(args, "-print-config")...)
	require.Zero(t, printed.status, printed.err)
	assert.NoFileExists(t, filepath.Join(dir, "m.safetensors"))

	again := treelstm(t, "train", "-config", writeConfig(t, printed.out), "-print-config")
	assert.Equal(t, printed, again)

	require.Zero(t, treelstm(t, args...).status)
	m, err := loadModel(filepath.Join(dir, "m.safetensors"), exec.Options{})
	require.NoError(t, err)
	defer m.session.Close()
	var want config
	require.NoError(t, json.Unmarshal([]byte(printed.out), &want))
	want.Embedding = want.Hidden // what was left open is known now
	assert.Equal(t, want, m.config)
}

func TestMistakesInTheConfigFile(t *testing.T) {
	file := writeConfig(t, "{\n  \"hiden\": 3,\n  \"seed\": -1\n}")
	r := treelstm(t, "train", "-config", file)
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, file+`:2:3: not a valid configuration: there is no setting "hiden"; there are batch, classes`)
	assert.Contains(t, r.err, file+`:3:11: not a valid configuration: "seed" is -1`)
	assert.Equal(t, 1, strings.Count(r.err, "hiden"), "it is said once")

	r = treelstm(t, "train", "-config", file+"x")
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, "no such file")

	r = treelstm(t, "train", "-config", writeConfig(t, `{"hidden": -3, "grades": 7}`))
	assert.Equal(t, exitUsage, r.status)
	assert.Contains(t, r.err, "-hidden -3: want 1 to 16384")
	assert.Contains(t, r.err, "the setting grades is 7: want 0, or 5 with a treebank and -classes 2")
}
