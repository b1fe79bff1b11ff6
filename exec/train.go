package exec

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/frondml/frond/graph"
)

// GradOptions modify a gradient run.
type GradOptions struct {
	// Seed makes random choices, such as those of dropout; 0 switches them off.
	Seed uint64
	// Key distinguishes the inputs of different runs with the same seed: input i
	// draws its random numbers from Key+i.
	Key uint32
	// Tables asks for Result.Tables, which gradient runs leave out otherwise.
	Tables bool
	// OnDevice leaves the gradients of variables on the session's device: the result has
	// DeviceGradients instead of Gradients.
	OnDevice bool
	// Cotangents, per input and result, are added to the gradient of the
	// objective; an Array without elements stands for zeros.
	Cotangents [][]Array
}

// deterministicShards is the number of engines among which Deterministic deals
// inputs, whatever the number of workers.
const deterministicShards = 4

// Gradients executes graph g once per input and computes the gradient of the sum
// of all losses with respect to the variables and to the float inputs. When an
// input fails there is no gradient.
func (s *Session) Gradients(ctx context.Context, g *graph.Graph, inputs [][]Array, o GradOptions) (r *Result, err error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.active.Done()
	sub, err := s.check(g, inputs)
	if err != nil {
		return nil, err
	}
	if err := s.checkGradient(g, inputs, o); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.readParameters(); err != nil {
		return nil, err
	}
	defer s.params.mu.RUnlock()
	if s.opts.Reference {
		return s.runReference(ctx, g, inputs, o, true)
	}
	s.training.Lock()
	defer s.training.Unlock()
	if err := s.prepare(true); err != nil {
		return nil, err
	}
	shards := s.opts.Workers
	if s.opts.Deterministic {
		shards = deterministicShards
	}
	res := newResult(len(inputs))
	defer s.beginRun(sub, res)()
	res.InputGrads = make([][]Array, len(inputs))
	parts := s.split(ctx, sub, inputs, res, shards)
	if len(parts) == 0 { // no inputs: the gradient is zero
		parts = append(parts, &part{ctx: ctx, sub: sub, result: res})
	}
	for _, p := range parts {
		p.cotangents, p.key, p.tables = o.Cotangents, o.Key, o.Tables
	}
	defer func() {
		if ended := s.endDeviceRun(len(parts)); err == nil {
			err = ended
		}
	}()
	err = s.runParts(ctx, parts, o)
	defer s.stopHelpers(len(parts))
	if err != nil {
		return res, err
	}
	err = res.finish()
	s.log(ctx, g, res, err)
	if err != nil {
		return res, err
	}
	if err := s.backwardParts(ctx, parts); err != nil {
		return res, err
	}
	if s.device != nil {
		return res, s.deviceResult(res, s.engines[:len(parts)], o)
	}
	res.Gradients = &s.grads
	return res, nil
}

// stopHelpers ends the helpers of the first n engines.
func (s *Session) stopHelpers(n int) {
	for _, x := range s.engines[:min(n, len(s.engines))] {
		x.team.stop()
	}
}

// checkGradient reports operators without a gradient rule and cotangents that do
// not fit.
func (s *Session) checkGradient(g *graph.Graph, inputs [][]Array, o GradOptions) error {
	var errs []error
	for _, sub := range s.plan.subs {
		for _, n := range sub.g.Adjoint.Missing {
			errs = append(errs, fmt.Errorf("%w: %s (%v) in %s", ErrNoGradient, n.Op.Name(), n.Pos, sub.g.Name))
		}
	}
	if o.OnDevice && s.device == nil {
		return fmt.Errorf("%w: GradOptions.OnDevice, but the session computes on the processor", ErrDevice)
	}
	if o.Cotangents != nil && len(o.Cotangents) != len(inputs) {
		return fmt.Errorf("%w: cotangents for %d inputs, got %d inputs", ErrInput, len(o.Cotangents), len(inputs))
	}
	for i, cts := range o.Cotangents {
		if len(cts) != len(g.Out) {
			errs = append(errs, fmt.Errorf("input %d: %w: %d cotangents, %s has %d results", i, ErrInput, len(cts), g.Name, len(g.Out)))
			continue
		}
		for k := range cts {
			if len(cts[k].F) == 0 && len(cts[k].I) == 0 {
				continue
			}
			if err := cts[k].fits(g.Out[k]); err != nil {
				errs = append(errs, fmt.Errorf("input %d: %w: cotangent %d: %w", i, ErrInput, k, err))
			}
		}
	}
	return errors.Join(errs...)
}

// runParts executes the parts forward, each on an engine of its own.
func (s *Session) runParts(ctx context.Context, parts []*part, o GradOptions) error {
	for len(s.engines) < len(parts) {
		x, err := newEngine(s, len(s.engines), true)
		if err != nil {
			return err
		}
		x.grads = newGradients(s.prog)
		s.engines = append(s.engines, x)
	}
	return s.eachPart(parts, func(i int) error {
		x, p := s.engines[i], parts[i]
		x.helped = len(parts) == 1 && s.opts.Workers > 1 && x.dev == nil
		x.packed, x.biases, x.seed = s.packed, s.biases, o.Seed
		if err := x.reset(); err != nil {
			return err
		}
		x.grads.reset()
		p.admit(x)
		for p.remaining > 0 {
			if err := ctx.Err(); err != nil {
				x.abort(p, err)
				break
			}
			if !x.step() {
				x.abortStuck(parts[i : i+1])
				break
			}
		}
		err := p.collect(x)
		s.addCounts(x, p)
		if p.err != nil {
			return p.err
		}
		return err
	})
}

// eachPart calls f for every part on as many goroutines as there are workers.
func (s *Session) eachPart(parts []*part, f func(i int) error) error {
	if len(parts) == 1 {
		s.activity.work(1)
		defer s.activity.work(-1)
		return f(0)
	}
	var next atomic.Int32
	var group errgroup.Group
	for range min(s.opts.Workers, len(parts)) {
		group.Go(func() error {
			s.activity.work(1)
			defer s.activity.work(-1)
			var errs []error
			for {
				i := int(next.Add(1)) - 1
				if i >= len(parts) {
					return errors.Join(errs...)
				}
				errs = append(errs, f(i))
			}
		})
	}
	return group.Wait()
}

// backwardParts runs the tapes backward and joins the gradients, in the order of
// the parts.
func (s *Session) backwardParts(ctx context.Context, parts []*part) error {
	if err := s.deviceGrads.part(); err != nil {
		return s.device.failed(err)
	}
	err := s.eachPart(parts, func(i int) error {
		err := s.engines[i].backward(ctx.Err)
		s.addCounts(s.engines[i], parts[i])
		if err != nil {
			return err
		}
		return parts[i].collectGradients(s.engines[i])
	})
	if err != nil || s.device != nil {
		return err
	}
	engines := s.engines[:len(parts)]
	s.total = engines[0].grads
	for _, x := range engines[1:] {
		s.total.merge(x.grads)
	}
	began := s.now()
	s.products(engines, s.total)
	s.trace.span("weight gradients", 0, began)
	s.total.result(s.params, &s.grads, s.opts.Deterministic)
	return nil
}
