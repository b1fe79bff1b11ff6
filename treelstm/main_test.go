package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"-h"}, {"--help"}} {
		r := treelstm(t, args...)
		assert.Equal(t, result{exitOK, usage(), ""}, r, "%q", args)
	}
	for name, want := range map[string]string{"train": "-resume", "eval": "-split", "predict": "[MAX 2 9"} {
		r := treelstm(t, name, "-h")
		assert.Equal(t, exitOK, r.status, name)
		assert.Contains(t, r.out, "Usage: treelstm "+name)
		assert.Contains(t, r.out, want)
		assert.Empty(t, r.err)
	}
}

func TestHelpNamesEveryFlagOfTrainWithItsDefaults(t *testing.T) {
	help := treelstm(t, "train", "-h").out
	(&trainFlags{}).flagSet().VisitAll(func(f *flag.Flag) { assert.Contains(t, help, "  -"+f.Name) })
	assert.Contains(t, help, "in such a network (default 96, with -data 150)")
}

func TestMistakesInTheCommandLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{nil, []string{"no command", "Usage:"}},
		{[]string{"fit"}, []string{`unknown command "fit"`}},
		{[]string{"train", "-hiden", "3"}, []string{"train: flag provided but not defined: -hiden", `run "treelstm train -h"`}},
		{[]string{"train", "-hidden", "big"}, []string{`invalid value "big" for flag -hidden`}},
		{[]string{"train", "trees.txt"}, []string{`unexpected argument "trees.txt"`}},
		{[]string{"train", "-hidden=0", "-batch=-1", "-lr=-1", "-dropout=1", "-optimizer=magic", "-classes=5", "-workers=-2", "-out="}, []string{
			"-hidden 0: want 1 to 16384", "-batch -1: want at least 1", "-lr -1: want at least 0", "-dropout 1: want at least 0 and below 1",
			`-optimizer "magic": want sgd, momentum, adagrad or adam`, "-classes 5: want at least 10", "-workers -2: want at least 0", `-out "": want the name of a file`,
		}},
		{[]string{"train", "-data", ""}, []string{`train: -data "": want the name of a place`}},
		{[]string{"eval", "-data="}, []string{`eval: -data "": want the name of a place`}},
		{[]string{"eval", "trees.txt"}, []string{`unexpected argument "trees.txt"; trees are read with -data`}},
		{[]string{"eval", "-split=tset"}, []string{`-split "tset": want train, dev or test`}},
		{[]string{"eval", "-workers=-1"}, []string{"-workers: want at least 0"}},
		{[]string{"predict", "-modl=x"}, []string{"flag provided but not defined"}},
	} {
		r := treelstm(t, c.args...)
		assert.Equal(t, exitUsage, r.status, "%q", c.args)
		assert.Empty(t, r.out, "%q", c.args)
		for _, want := range c.want {
			assert.Contains(t, r.err, want, "%q", c.args)
		}
	}
}

// What the data do not say is as suits them.
func TestDefaultsSuitTheData(t *testing.T) {
	f, err := parseTrain([]string{"-seed=7"}, nil, nil)
	require.NoError(t, err)
	want := listOps()
	want.Seed = 7
	assert.Equal(t, trainFlags{config: want, out: defaultModel}, f)

	f, err = parseTrain([]string{"-data=x", "-lr=0.5"}, nil, nil)
	require.NoError(t, err)
	want = treebank()
	want.Data, want.LearningRate = "x", 0.5
	assert.Equal(t, trainFlags{config: want, out: defaultModel}, f)

	saved := config{Model: "rntn", Data: "y", Classes: 3, Embedding: 2, Hidden: 2, Optimizer: "sgd", Batch: 1, Epochs: 4, Seed: 9}
	f, err = parseTrain([]string{"-epochs=8"}, &saved, nil)
	require.NoError(t, err)
	want = saved
	want.Epochs = 8
	assert.Equal(t, want, f.config, "in a resumed run what was saved is the default")
}

func TestMissingFiles(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"train", "-data", dir}, filepath.Join(dir, "train.txt")},
		{[]string{"train", "-out", filepath.Join(dir, "none", "x")}, filepath.Join(dir, "none")},
		{[]string{"train", "-resume", "-out", filepath.Join(dir, "x.safetensors")}, "there is nothing to resume"},
		{[]string{"eval", "-model", filepath.Join(dir, "x.safetensors")}, "x.safetensors"},
		{[]string{"predict", "-model", filepath.Join(dir, "x.safetensors")}, "x.safetensors"},
	} {
		r := treelstm(t, c.args...)
		assert.Equal(t, exitFailure, r.status, "%q", c.args)
		assert.Contains(t, r.err, c.want)
		assert.Contains(t, r.err, "no such file or directory")
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}
