package train

import (
	"cmp"
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
	// SnapshotEvery is how many steps on a device may be lost with it: after so many the
	// trainer copies parameters and optimiser to the host. 0 stands for
	// DefaultSnapshotEvery.
	SnapshotEvery int
}

// Defaults of Options.
const (
	DefaultBatch         = 32
	DefaultSnapshotEvery = 100
)

// Trainer fits the variables of a session to examples of type E.
type Trainer[E any] struct {
	session   *exec.Session
	graph     *graph.Graph
	encode    func(E) ([]exec.Array, error)
	optimizer Optimizer
	options   Options
	progress  Progress
	inputs    [][]exec.Array

	onDevice DeviceOptimizer // the optimiser if it makes its steps on the session's device, else nil
	kept     *snapshot       // from which training goes on when the device is lost; nil before the first step
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
	err = errors.Join(err, checkOptimizer(opt), checkSettings("trainer", notNegative("Batch", float64(o.Batch)), notNegative("ClipNorm", o.ClipNorm),
		notNegative("SnapshotEvery", float64(o.SnapshotEvery))))
	if err != nil {
		return nil, fmt.Errorf("train: new trainer: %w", err)
	}
	o.Batch, o.SnapshotEvery = cmp.Or(o.Batch, DefaultBatch), cmp.Or(o.SnapshotEvery, DefaultSnapshotEvery)
	t := &Trainer[E]{session: s, graph: f.Graph(), encode: encode, optimizer: opt, options: o, progress: Progress{Seed: o.Seed}}
	if s.Options().Device != nil {
		t.onDevice = onDevice(opt)
	}
	return t, nil
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
	t.progress, t.kept = p, nil
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
// an error, also one of ctx, nothing has changed, except that training goes back to its
// last snapshot when the device is lost, see the package's documentation.
func (t *Trainer[E]) Step(ctx context.Context, batch []E) (StepStats, error) {
	number := t.progress.Steps + 1
	stats, err := t.step(ctx, batch)
	if err != nil {
		return StepStats{}, fmt.Errorf("step %d: %w", number, t.goBackAfter(err))
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
	if err := t.snapshotIfDue(); err != nil {
		return StepStats{}, err
	}
	r, err := t.session.Gradients(ctx, t.graph, t.inputs, exec.GradOptions{
		Seed: dropoutSeed(t.progress.Seed), Key: uint32(t.progress.Seen), OnDevice: t.onDevice != nil,
	})
	if err != nil {
		return StepStats{}, err
	}
	norm, err := t.update(r, 1/float64(len(batch)))
	if err != nil {
		return StepStats{}, err
	}
	t.progress.Steps++
	t.progress.Seen += int64(len(batch))
	return StepStats{Step: t.progress.Steps, Examples: len(batch), Loss: r.Loss, Norm: norm}, nil
}

// update changes the variables by the mean gradient, and returns its norm before
// clipping.
func (t *Trainer[E]) update(r *exec.Result, mean float64) (float64, error) {
	g := t.gradientsOf(r)
	norm, err := g.norm()
	if err != nil {
		return 0, err
	}
	norm *= mean
	if !finite(r.Loss) || !finite(norm) {
		return 0, fmt.Errorf("%w: the loss is %v and the norm of its gradient %v (a lower learning rate or clipping may help; exec.Options.CheckFinite finds the operator)",
			exec.ErrNonFinite, r.Loss, norm)
	}
	scale := mean
	if limit := t.options.ClipNorm; limit > 0 && norm > limit {
		scale *= limit / norm
	}
	if err := g.scale(scale); err != nil {
		return 0, err
	}
	return norm, g.step()
}

// gradients are those of a step, wherever they are.
type gradients struct {
	norm  func() (float64, error)
	scale func(factor float64) error
	step  func() error
}

func (t *Trainer[E]) gradientsOf(r *exec.Result) gradients {
	if g := r.DeviceGradients; t.onDevice != nil {
		return gradients{g.Norm, g.Scale, func() error { return t.onDevice.StepOnDevice(g) }}
	}
	return gradients{
		func() (float64, error) { return Norm(r.Gradients), nil },
		func(factor float64) error { Scale(r.Gradients, factor); return nil },
		func() error { return t.optimizer.Step(t.session.Parameters(), r.Gradients) },
	}
}

// dropoutSeed spreads the seed, which people choose small, over all bits. A run whose
// seed is 0 would have no dropout.
func dropoutSeed(seed uint64) uint64 {
	seed = (seed + 1) * 0x9e3779b97f4a7c15
	return max(1, seed^seed>>32)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
