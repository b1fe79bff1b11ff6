package exec

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

// Session executes a program with one set of parameters. It is safe for
// concurrent use: inference runs of several goroutines are batched together,
// gradient runs follow one another.
type Session struct {
	plan   *plan
	prog   *graph.Program
	opts   Options
	params *Parameters
	lanes  []*lane
	groups []*productGroup
	trace  *tracer
	// What only timed sessions have; nil otherwise.
	activity *activity
	profile  *sessionProfile

	device      *sessionDevice // nil on the processor
	deviceGrads DeviceGradients

	packing packing
	packed  []*kernel.Packed // the plan's weights
	biases  [][]float32      // of weights that are made of others

	training sync.Mutex // held by a gradient run; guards the fields below
	engines  []*engine
	unpacked []float32
	grads    Gradients
	total    *gradients

	driven atomic.Int32 // engines at work

	mu     sync.Mutex // guards the fields below
	counts counters
	next   int // lane for the next single input
	closed bool
	active sync.WaitGroup
}

// New plans the program and returns a session for it.
func New(prog *graph.Program, opts Options) (*Session, error) {
	if prog == nil {
		return nil, fmt.Errorf("%w: no program", ErrInput)
	}
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	params := opts.Parameters
	if params == nil {
		params = NewParameters(prog, opts.Seed)
	} else if params.prog != prog {
		return nil, fmt.Errorf("%w: the parameters are those of another program, %q", ErrInput, params.prog.Name)
	}
	p, err := newPlan(prog)
	if err != nil {
		return nil, err
	}
	s := &Session{plan: p, prog: prog, opts: opts, params: params, grads: Gradients{workers: opts.Workers}, groups: groupProducts(p, params.layouts), counts: newCounters(p)}
	s.trace = newTracer(opts.Trace, p)
	s.profile = opts.Profile.session(p)
	if opts.timed() {
		s.activity = &activity{workers: opts.Workers, trace: s.trace}
	}
	for i := range opts.Workers {
		s.lanes = append(s.lanes, &lane{s: s, id: i})
	}
	s.packed, s.biases = make([]*kernel.Packed, len(p.weights)), make([][]float32, len(p.weights))
	s.packing.init(p)
	if opts.Device != nil {
		if s.device, err = newSessionDevice(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Parameters returns the variables' values.
func (s *Session) Parameters() *Parameters { return s.params }

// Program returns the program.
func (s *Session) Program() *graph.Program { return s.prog }

// Options returns the session's options with defaults filled in.
func (s *Session) Options() Options { return s.opts }

// Stats returns what the session has executed.
func (s *Session) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.counts.stats(s.plan)
	st.Idle = s.activity.idle(st.Busy)
	return st
}

// ResetStats starts counting anew.
func (s *Session) ResetStats() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts = newCounters(s.plan)
	s.activity.reset()
}

// addCounts adds what the engine has counted; a part that it executes has ended.
func (s *Session) addCounts(x *engine, p *part) {
	x.counts.peak = x.bytes()
	if x.meter != nil {
		s.profile.add(x.meter)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.chains != nil {
		x.counts.lowerBound, x.counts.work = x.chains.take()
		for _, r := range p.roots {
			p.result.span.join(x.chains.takeSpan(r))
		}
	}
	s.counts.add(&x.counts)
}

// beginRun notes, for timed sessions, that a run of a graph begins; the function
// that it returns notes its end.
func (s *Session) beginRun(sub *subPlan, r *Result) (end func()) {
	if s.activity == nil {
		return func() {}
	}
	s.profile.entry(sub)
	s.activity.run(1)
	return func() {
		s.activity.run(-1)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.counts.span.add(r.span)
	}
}

// Close waits for runs in progress and releases the session's memory. Later
// runs, and a second Close, return ErrClosed.
func (s *Session) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	s.closed = true
	s.mu.Unlock()
	s.active.Wait()
	err := s.closeDevice()
	s.lanes, s.engines, s.packed, s.biases, s.total = nil, nil, nil, nil, nil
	return errors.Join(err, s.trace.close())
}

// readParameters takes the parameters' lock for reading, for a run.
func (s *Session) readParameters() error {
	if s.device == nil {
		return s.params.read(nil)
	}
	return s.device.failed(s.params.read(s.device.replica))
}

// prepare brings what runs make of the parameters up to date.
func (s *Session) prepare(gradients bool) error {
	if s.device != nil {
		return s.device.prepare()
	}
	s.pack(gradients)
	return nil
}

// closeDevice gives back what the session holds on its device.
func (s *Session) closeDevice() error {
	if s.device == nil {
		return nil
	}
	err := s.deviceGrads.release()
	for _, l := range s.lanes {
		if l.x != nil {
			err = errors.Join(err, l.x.dev.close())
		}
	}
	for _, x := range s.engines {
		err = errors.Join(err, x.dev.close())
	}
	return lacksMemory(errors.Join(named(s.device.dev, err), s.device.close()))
}

// begin registers a run.
func (s *Session) begin(ctx context.Context) error {
	if ctx == nil {
		return fmt.Errorf("%w: the context is nil", ErrInput)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.active.Add(1)
	return nil
}

// RunOptions modify an inference run.
type RunOptions struct {
	// Tables asks for Result.Tables.
	Tables bool
}

// Run executes graph g once per input, tables included, and returns when all
// runs have ended. When some inputs fail, the result holds what the others gave.
func (s *Session) Run(ctx context.Context, g *graph.Graph, inputs [][]Array) (*Result, error) {
	return s.RunWith(ctx, g, inputs, RunOptions{Tables: true})
}

// RunWith is Run with options.
func (s *Session) RunWith(ctx context.Context, g *graph.Graph, inputs [][]Array, o RunOptions) (*Result, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.active.Done()
	sub, err := s.check(g, inputs)
	if err != nil {
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
		return s.runReference(ctx, g, inputs, GradOptions{}, false)
	}
	if err := s.prepare(false); err != nil {
		return nil, err
	}
	res := newResult(len(inputs))
	defer s.beginRun(sub, res)()
	parts := s.split(ctx, sub, inputs, res, len(s.lanes))
	for _, p := range parts {
		p.tables = o.Tables
	}
	first := s.firstLane(len(parts))
	var others errgroup.Group
	for i, p := range parts {
		l := s.lanes[(first+i)%len(s.lanes)]
		p.ended, p.lead = make(chan struct{}), make(chan struct{}, 1)
		stop := context.AfterFunc(ctx, func() { p.stopped.Store(true) })
		defer stop()
		if i < len(parts)-1 {
			others.Go(func() error { l.do(p); return nil })
		} else {
			l.do(p)
		}
	}
	others.Wait() // lanes report errors in the parts
	for _, p := range parts {
		if p.err != nil {
			return res, p.err
		}
	}
	err = res.finish()
	s.log(ctx, g, res, err)
	return res, err
}

// idle reports whether a single engine is at work although there are more workers.
func (s *Session) idle() bool { return s.opts.Workers > 1 && s.driven.Load() == 1 }

// firstLane spreads single inputs over the lanes.
func (s *Session) firstLane(parts int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next += parts
	return (s.next - parts) % len(s.lanes)
}
