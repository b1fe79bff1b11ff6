package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/frondml/frond/graph"
)

// check compares the inputs with the graph's signature.
func (s *Session) check(g *graph.Graph, inputs [][]Array) (*subPlan, error) {
	if g == nil {
		return nil, fmt.Errorf("%w: no graph", ErrInput)
	}
	sub := s.plan.subOf[g]
	if err := s.runnable(g); err != nil {
		return nil, err
	}
	var errs []error
	for i, in := range inputs {
		if len(in) != len(g.In) {
			errs = append(errs, fmt.Errorf("input %d: %w: %d values, %s takes %d", i, ErrInput, len(in), g.Name, len(g.In)))
			continue
		}
		for k := range in {
			if err := in[k].fits(g.In[k]); err != nil {
				errs = append(errs, fmt.Errorf("input %d: %w: %s: %w", i, ErrInput, inputName(g, k), err))
			}
		}
		if len(errs) > 10 {
			break
		}
	}
	return sub, errors.Join(errs...)
}

// runnable reports why a graph cannot be run by the session.
func (s *Session) runnable(g *graph.Graph) error {
	switch {
	case s.plan.subOf[g] == nil:
		return fmt.Errorf("%w: %s (declared at %v) belongs to another program", ErrInput, g.Name, g.Pos)
	case g.Parent != nil:
		return fmt.Errorf("%w: %s (declared at %v) lies inside %s; only graphs declared at module level can be run", ErrInput, g.Name, g.Pos, g.Parent.Name)
	}
	return nil
}

func inputName(g *graph.Graph, k int) string {
	if p, ok := g.Params[k].Node().Op.(graph.Param); ok && p.Label != "" {
		return p.Label
	}
	return fmt.Sprintf("value %d", k)
}

// split deals consecutive inputs to at most n parts of about equal size.
func (s *Session) split(ctx context.Context, sub *subPlan, inputs [][]Array, res *Result, n int) []*part {
	weights := make([]int, len(inputs))
	total := 0
	for i, in := range inputs {
		weights[i] = 1
		for k := range in {
			weights[i] += len(in[k].I) + len(in[k].F)
		}
		total += weights[i]
	}
	var parts []*part
	sum, from := 0, 0
	for i, w := range weights {
		sum += w
		if sum*n >= total*(len(parts)+1) || i == len(inputs)-1 {
			parts = append(parts, &part{ctx: ctx, sub: sub, inputs: inputs, from: from, to: i + 1, result: res})
			from = i + 1
		}
	}
	return parts
}
