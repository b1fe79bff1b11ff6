package train

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/recursion"
)

// Outcome is what the model gave for one example.
type Outcome struct {
	Outputs []exec.Array
	Loss    float64
	Tables  map[string]*exec.Table
}

// Evaluate runs f without dropout over the examples, batch of them at a time, hands
// what came out to visit, example by example and in their order, and returns the mean
// loss.
func Evaluate[E, I, O any](ctx context.Context, s *exec.Session, f *recursion.SubGraph[I, O], examples iter.Seq[E], batch int, visit func(E, Outcome)) (float64, error) {
	encode, err := encoder[E](s, f)
	err = errors.Join(err, given("sequence of examples", examples), given("function visit", visit), checkSettings("evaluate", positive("batch", float64(batch))))
	if err != nil {
		return 0, fmt.Errorf("train: evaluate: %w", err)
	}
	sum, count := 0.0, 0
	for some := range batches(examples, 0, batch) {
		inputs := make([][]exec.Array, len(some))
		for i, e := range some {
			if inputs[i], err = encode(e); err != nil {
				return 0, fmt.Errorf("example %d: %w", count+i, err)
			}
		}
		r, err := s.Run(ctx, f.Graph(), inputs)
		if err != nil {
			return 0, fmt.Errorf("examples from %d on: %w", count, err)
		}
		for i, e := range some {
			visit(e, Outcome{r.Outputs[i], r.Losses[i], r.Tables[i]})
		}
		sum, count = sum+r.Loss, count+len(some)
	}
	if count == 0 {
		return 0, ErrNoExamples
	}
	return sum / float64(count), nil
}
