// Performance shows where the time of a training step goes: the counts of a session,
// its plan, a trace and a profile. See docs/performance.md.
//
//	go run ./performance -trace trace.json -profile ops.pb.gz
//	go tool pprof -top ops.pb.gz
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
)

// tree is what the model takes, field by field.
type tree struct{ Word, Left, Right, Label []int32 }

// corpus generates expressions of ListOps.
func corpus(n int) ([]tree, *data.Vocabulary, error) {
	expressions, err := data.GenerateListOps(1, n, data.ListOpsOptions{MaxLength: 40})
	if err != nil {
		return nil, nil, err
	}
	words := data.BuildVocabulary(data.Tokens(expressions), data.VocabularyOptions{})
	trees := make([]tree, n)
	for i, e := range expressions {
		trees[i] = tree{words.IDs(e), e.Left, e.Right, e.Label}
	}
	return trees, words, nil
}

// newSession returns a session of a Tree-LSTM with the given options.
func newSession(words int, o exec.Options) (*exec.Session, *recursion.SubGraph[models.BinaryTree, models.Scores], error) {
	m := graph.NewModule("performance")
	model := models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: words, Embed: 64, Hidden: 64, Classes: data.ListOpsClasses})
	program, err := m.Build()
	if err != nil {
		return nil, nil, err
	}
	session, err := exec.New(program, o)
	return session, model, err
}

// step trains on the trees, 25 at a time, and returns what was executed.
func step(trees []tree, words int, o exec.Options) (exec.Stats, error) {
	session, model, err := newSession(words, o)
	if err != nil {
		return exec.Stats{}, err
	}
	defer session.Close()
	trainer, err := train.NewTrainer[tree](session, model, train.NewAdagrad(0.05), train.Options{Batch: 25})
	if err != nil {
		return exec.Stats{}, err
	}
	if err := trainer.Fit(context.Background(), trainer.Shuffled(trees), train.Plan{Epochs: 1}); err != nil {
		return exec.Stats{}, err
	}
	return session.Stats(), nil
}

// compare prints counts of the same step, with batches and without.
func compare(w io.Writer, trees []tree, words int) error {
	for _, batching := range []exec.Batching{exec.BatchAll, exec.BatchOff} {
		stats, err := step(trees, words, exec.Options{Workers: 1, Batching: batching, Analyse: true})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%d batches of %.1f frames, %d at least; parallelism %.0f\n",
			stats.Batches, stats.RowsPerBatch(), stats.LowerBound, stats.Parallelism())
	}
	return nil
}

// plan returns what becomes of the leaves of a tree.
func plan(words int) (string, error) {
	session, _, err := newSession(words, exec.Options{})
	if err != nil {
		return "", err
	}
	defer session.Close()
	return excerpt(session.Plan(), "subtree.then:"), nil
}

// excerpt returns the part of a plan that begins with a line and ends before the next
// one that is not indented.
func excerpt(plan, first string) string {
	var b strings.Builder
	for line := range strings.Lines(plan) {
		switch {
		case strings.HasPrefix(line, first) || b.Len() > 0 && strings.HasPrefix(line, " "):
			b.WriteString(line)
		case b.Len() > 0:
			return b.String()
		}
	}
	return b.String()
}

// record trains with a trace and a profile and writes them to files; "" is for none.
func record(trees []tree, words int, trace, profile string) error {
	var o exec.Options
	if trace != "" {
		f, err := os.Create(trace)
		if err != nil {
			return err
		}
		defer f.Close()
		o.Trace = f
	}
	if profile != "" {
		o.Profile = new(exec.Profile)
	}
	if _, err := step(trees, words, o); err != nil || profile == "" {
		return err
	}
	f, err := os.Create(profile)
	if err != nil {
		return err
	}
	if err := o.Profile.Write(f); err != nil {
		return err
	}
	return f.Close()
}

func main() {
	trace := flag.String("trace", "", "`file` for a trace")
	profile := flag.String("profile", "", "`file` for a profile")
	flag.Parse()
	if err := run(os.Stdout, *trace, *profile); err != nil {
		log.Fatal(err)
	}
}

// run prints counts and the plan, and writes a trace and a profile where they are
// wanted.
func run(w io.Writer, trace, profile string) error {
	trees, words, err := corpus(100)
	if err != nil {
		return err
	}
	if err := compare(w, trees, words.Len()); err != nil {
		return err
	}
	leaves, err := plan(words.Len())
	if err != nil {
		return err
	}
	fmt.Fprint(w, leaves)
	return record(trees, words.Len(), trace, profile)
}
