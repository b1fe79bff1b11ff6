// Tutorial holds the programs of docs/tutorial.md, in its order: a first graph, a
// graph that invokes itself, trees, a recursive network that is trained, saved, loaded
// and used, and mistakes.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
)

func run(ctx context.Context, w io.Writer) error {
	for _, step := range []func(context.Context, io.Writer) error{first, count, own, learn, mistakes} {
		if err := step(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// learn trains a model, saves it, and uses what was saved.
func learn(ctx context.Context, w io.Writer) error {
	dir, err := os.MkdirTemp("", "frond-tutorial-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	if err := trainModel(ctx, w, path); err != nil {
		return fmt.Errorf("training: %w", err)
	}
	return predict(ctx, w, path, "( ( ( [MAX ( ( ( [MIN 8 ) 4 ) ] ) ) 2 ) ] )")
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}
