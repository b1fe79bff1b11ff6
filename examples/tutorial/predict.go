package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train"
)

// predict loads a model and evaluates an expression with it.
func predict(ctx context.Context, w io.Writer, path, expression string) error {
	file, err := train.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var vocabulary data.Vocabulary
	if err := vocabulary.UnmarshalText(file.Vocabulary()); err != nil {
		return err
	}
	session, model, err := newSession(&vocabulary)
	if err != nil {
		return err
	}
	defer session.Close()
	if err := file.Load(&train.Checkpoint{Params: session.Parameters()}); err != nil {
		return err
	}

	parsed, err := data.NewPTBReader(strings.NewReader(expression), "expression", data.PTBOptions{Unlabelled: true, Binary: true}).Next()
	if err != nil {
		return err
	}
	evaluate, err := exec.Bind[tree, []float32](session, model)
	if err != nil {
		return err
	}
	scores, err := evaluate(ctx, newTree(parsed, &vocabulary))
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "value:", slices.Index(scores, slices.Max(scores)))
	return nil
}
