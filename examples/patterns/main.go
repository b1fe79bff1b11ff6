// Patterns holds the programs of docs/patterns.md: ways to recurse, each a graph of a
// few lines, on numbers small enough to be checked by hand.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/recursion"
)

// call builds a program, runs its graph on all inputs at once, and returns the results
// and what it took.
func call[Out, In, I, O any](build func(*graph.Module) *recursion.SubGraph[I, O], in ...In) ([]Out, exec.Stats, error) {
	m := graph.NewModule("pattern")
	f := build(m)
	program, err := m.Build()
	if err != nil {
		return nil, exec.Stats{}, err
	}
	session, err := exec.New(program, exec.Options{Workers: 1})
	if err != nil {
		return nil, exec.Stats{}, err
	}
	defer session.Close()
	run, err := exec.BindBatch[In, Out](session, f)
	if err != nil {
		return nil, exec.Stats{}, err
	}
	out, err := run(context.Background(), in)
	return out, session.Stats(), err
}

// show runs a pattern and prints its results.
func show[Out, In, I, O any](w io.Writer, name string, build func(*graph.Module) *recursion.SubGraph[I, O], in ...In) error {
	out, stats, err := call[Out](build, in...)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Fprintf(w, "%s: %v, %d invocations in %d batches\n", name, out, stats.Calls, stats.Batches)
	return nil
}

func run(w io.Writer) error {
	for _, pattern := range []func(io.Writer) error{
		showStructural, showArity, showDispatch, showMutual, showDecisions, showTail, showShared, showInherited,
	} {
		if err := pattern(w); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
