// Gosource learns the first word of a function's name, such as "read" or "is", from the
// syntax tree of the function with its names hidden. What it learns from is the source
// of the Go standard library and tools that is installed with Go: nothing is downloaded.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/frondml/frond/graph"
)

type config struct {
	seed          uint64
	under         string // the part of the source that is read
	classes       int    // words to tell apart, at most
	packages      int    // in which a word must be used
	giant         int    // nodes of a function that is run by itself, too
	embed, hidden int
	dropout       float64
	rate          float64 // of learning in the first epoch
	linearRate    float64 // the same, of the linear model
	epochs        int
}

func full(seed uint64) config {
	return config{
		seed: seed, under: ".", classes: 20, packages: 30, giant: 20_000,
		embed: 32, hidden: 64, dropout: 0.3, rate: 0.003, linearRate: 0.005, epochs: 8,
	}
}

func quick(seed uint64) config {
	return config{seed: seed, under: "internal", classes: 5, packages: 8, giant: 1_500, embed: 16, hidden: 16, rate: 0.005, linearRate: 0.01, epochs: 3}
}

// row is a line of the result: the share of the test's words that is told.
type row struct {
	name  string
	right float64
}

// compare trains both models and runs the largest functions.
func compare(ctx context.Context, w io.Writer, data *corpus, c config) ([]row, error) {
	m := graph.NewModule("linear")
	counts, err := newLearner(m, linear(m, data.terms.Len(), len(data.classes)), c.seed, c.linearRate)
	if err != nil {
		return nil, err
	}
	defer counts.session.Close()
	linearRight, err := counts.fit(ctx, w, data, c.epochs)
	if err != nil {
		return nil, err
	}
	m = graph.NewModule("gosource")
	trees, err := newLearner(m, namer(m, data.terms.Len(), len(data.classes), c), c.seed, c.rate)
	if err != nil {
		return nil, err
	}
	defer trees.session.Close()
	treeRight, err := trees.fit(ctx, w, data, c.epochs)
	if err != nil {
		return nil, err
	}
	rows := []row{
		{"always the same word", data.majority()},
		{"counts of terms, linear", linearRight},
		{"Child-Sum Tree-LSTM", treeRight},
	}
	return rows, trees.weigh(ctx, w, data.giants)
}

func run(ctx context.Context, w io.Writer, fsys fs.FS, c config) error {
	part, err := fs.Sub(fsys, c.under)
	if err != nil {
		return err
	}
	corpus, err := read(part, c)
	if err != nil {
		return err
	}
	corpus.describe(w)
	rows, err := compare(ctx, w, corpus, c)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "words of the test that are told:")
	for _, r := range rows {
		fmt.Fprintf(w, "%-24s %5.1f%%\n", r.name, 100*r.right)
	}
	return nil
}

// source returns a directory, by default that of the source of Go itself.
func source(dir string) (fs.FS, error) {
	if dir == "" {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return nil, fmt.Errorf("asking go for its source: %w", err)
		}
		dir = filepath.Join(strings.TrimSpace(string(root)), "src")
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	return os.DirFS(dir), nil
}

func main() {
	seed := flag.Uint64("seed", 1, "of the initial weights, the order of the functions and dropout")
	dir := flag.String("dir", "", "directory of Go source (default: that of Go itself)")
	isQuick := flag.Bool("quick", false, "only the packages in internal, and less of everything")
	flag.Parse()
	c := full(*seed)
	if *isQuick {
		c = quick(*seed)
	}
	start := time.Now()
	fsys, err := source(*dir)
	if err == nil {
		err = run(context.Background(), os.Stdout, fsys, c)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f s\n", time.Since(start).Seconds())
}
