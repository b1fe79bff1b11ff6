package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/recursion"
)

// Options configure a trainer. The zero value is good for a start.
type Options struct {
	Batch    int     // examples per step; 0 stands for DefaultBatch
	ClipNorm float64 // limit of the norm of the gradient of a step; 0 for none
	Seed     uint64  // of shuffling and dropout
}

// DefaultBatch is the number of examples per step unless Options say otherwise.
const DefaultBatch = 32

// Trainer fits the variables of a session to examples of type E.
type Trainer[E any] struct {
	session   *exec.Session
	graph     *graph.Graph
	encode    func(E) ([]exec.Array, error)
	optimizer Optimizer
	options   Options
	progress  Progress
	inputs    [][]exec.Array
}

// NewTrainer returns a trainer of the graph f, whose losses are to become small. The
// fields of E are matched with the inputs of f by the rules of exec.Bind.
//
// The graph must be one that the session can run, or the error wraps exec.ErrInput, and
// have a loss, in its body or in one that it leads to: else it wraps ErrNoLoss. Settings
// are checked here and, as they may change, in every step.
func NewTrainer[E, I, O any](s *exec.Session, f *recursion.SubGraph[I, O], opt Optimizer, o Options) (*Trainer[E], error) {
	encode, err := encoder[E](s, f)
	if err == nil {
		err = checkGraph(s.Program(), f.Graph())
	}
	err = errors.Join(err, checkOptimizer(opt), checkSettings("trainer", notNegative("Batch", float64(o.Batch)), notNegative("ClipNorm", o.ClipNorm)))
	if err != nil {
		return nil, fmt.Errorf("train: new trainer: %w", err)
	}
	if o.Batch == 0 {
		o.Batch = DefaultBatch
	}
	return &Trainer[E]{session: s, graph: f.Graph(), encode: encode, optimizer: opt, options: o, progress: Progress{Seed: o.Seed}}, nil
}

// encoder is exec.Encoder for a session and a subgraph that a caller may have forgotten.
func encoder[E, I, O any](s *exec.Session, f *recursion.SubGraph[I, O]) (func(E) ([]exec.Array, error), error) {
	err := errors.Join(given("session", s), given("subgraph", f))
	if err == nil {
		err = errors.Join(given("program of the session", s.Program()), given("graph of the subgraph", f.Graph()))
	}
	if err != nil {
		return nil, err
	}
	return exec.Encoder[E](f)
}

// checkOptimizer reports an optimiser that is nil, and one whose settings are wrong if
// it can tell without a step.
func checkOptimizer(o Optimizer) error {
	if err := given("optimiser", o); err != nil {
		return err
	}
	if o, ok := o.(interface{ check() error }); ok {
		return o.check()
	}
	return nil
}

// checkGraph reports a graph that the program cannot run, or that has no loss.
func checkGraph(p *graph.Program, g *graph.Graph) error {
	if !slices.Contains(p.Entries(), g) {
		return fmt.Errorf("%w: %s (declared at %v) is not a graph that program %q declares at module level", exec.ErrInput, g.Name, g.Pos, p.Name)
	}
	if !hasLoss(g, map[*graph.Graph]bool{}) {
		return fmt.Errorf("%w: neither %s (declared at %v) nor what it invokes has a recursion.Loss", ErrNoLoss, g.Name, g.Pos)
	}
	return nil
}

// hasLoss reports whether g, or a graph that is invoked on the way, has a loss.
func hasLoss(g *graph.Graph, seen map[*graph.Graph]bool) bool {
	seen[g] = true
	return slices.ContainsFunc(g.Nodes, func(n *graph.Node) bool {
		if _, ok := n.Op.(recursion.LossOp); ok {
			return true
		}
		call, ok := n.Op.(graph.Invoker)
		return ok && slices.ContainsFunc(call.Callees(), func(callee *graph.Graph) bool {
			return !seen[callee] && hasLoss(callee, seen)
		})
	})
}

// Progress returns how far training has come.
func (t *Trainer[E]) Progress() Progress { return t.progress }

// Resume makes training go on from where p was taken, with the seed of p. Parameters
// and optimiser must be in the state that they had there.
func (t *Trainer[E]) Resume(p Progress) error {
	if err := p.check(); err != nil {
		return err
	}
	t.progress = p
	return nil
}

// StepStats describes one update.
type StepStats struct {
	Step     int64   // counted from 1
	Examples int     // of the mini-batch
	Loss     float64 // sum over the mini-batch
	Norm     float64 // of the gradient of the mean loss, before clipping
}

// Step updates the variables by the gradient of the mean loss of a mini-batch. After
// an error, also one of ctx, nothing has changed.
func (t *Trainer[E]) Step(ctx context.Context, batch []E) (StepStats, error) {
	stats, err := t.step(ctx, batch)
	if err != nil {
		return StepStats{}, fmt.Errorf("step %d: %w", t.progress.Steps+1, err)
	}
	return stats, nil
}

func (t *Trainer[E]) step(ctx context.Context, batch []E) (StepStats, error) {
	if len(batch) == 0 {
		return StepStats{}, ErrNoExamples
	}
	t.inputs = t.inputs[:0]
	for i, e := range batch {
		in, err := t.encode(e)
		if err != nil {
			return StepStats{}, fmt.Errorf("example %d of the batch: %w", i, err)
		}
		t.inputs = append(t.inputs, in)
	}
	r, err := t.session.Gradients(ctx, t.graph, t.inputs, exec.GradOptions{Seed: dropoutSeed(t.progress.Seed), Key: uint32(t.progress.Seen)})
	if err != nil {
		return StepStats{}, err
	}
	mean := 1 / float64(len(batch))
	norm := mean * Norm(r.Gradients)
	if !finite(r.Loss) || !finite(norm) {
		return StepStats{}, fmt.Errorf("%w: the loss is %v and the norm of its gradient %v (a lower learning rate or clipping may help; exec.Options.CheckFinite finds the operator)",
			exec.ErrNonFinite, r.Loss, norm)
	}
	scale := mean
	if limit := t.options.ClipNorm; limit > 0 && norm > limit {
		scale *= limit / norm
	}
	Scale(r.Gradients, scale)
	if err := t.optimizer.Step(t.session.Parameters(), r.Gradients); err != nil {
		return StepStats{}, err
	}
	t.progress.Steps++
	t.progress.Seen += int64(len(batch))
	return StepStats{Step: t.progress.Steps, Examples: len(batch), Loss: r.Loss, Norm: norm}, nil
}

// dropoutSeed spreads the seed, which people choose small, over all bits. A run whose
// seed is 0 would have no dropout.
func dropoutSeed(seed uint64) uint64 {
	seed = (seed + 1) * 0x9e3779b97f4a7c15
	return max(1, seed^seed>>32)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
