package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/frondml/frond/exec/device"
)

// comparison compares ways to execute a program.
type comparison struct {
	c            *programCase
	plain, noisy *Result // the oracle's

	bits, gradBits *Result // forward values of the first way
	deterministic  map[Batching]*gradientBits
}

// gradientBits are the gradients of a deterministic session.
type gradientBits struct {
	vars   [][]float32
	inputs [][]Array
}

// session compares what a session gives.
func (w *comparison) session(cfg config) error {
	s, err := New(w.c.Built, cfg.Options)
	if err != nil {
		return err
	}
	if err := w.run(s, cfg); err != nil {
		return err
	}
	if err := w.gradients(s, cfg); err != nil {
		return fmt.Errorf("gradients: %w", err)
	}
	if err := w.run(s, cfg); err != nil {
		return fmt.Errorf("run again: %w", err)
	}
	return s.Close()
}

// update compares a session that knew other values of the variables with a new one.
func (w *comparison) update(p *Parameters, on device.Device) error {
	ctx := context.Background()
	old, err := New(w.c.Built, Options{Workers: 1, Parameters: p, Device: on})
	if err != nil {
		return err
	}
	defer old.Close()
	if err := w.run(old, config{runs: 1}); err != nil {
		return err
	}
	p.Update(func(values [][]float32) {
		for _, v := range values {
			for i := range v {
				v[i] *= 0.5
			}
		}
	})
	fresh, err := New(w.c.Built, Options{Workers: 1, Parameters: p, Device: on})
	if err != nil {
		return err
	}
	defer fresh.Close()
	var results [2]*Result
	var grads [2]*gradientBits
	for i, s := range []*Session{old, fresh} {
		if results[i], err = s.Run(ctx, w.c.Main, w.c.inputs); err != nil {
			return err
		}
		r, err := s.Gradients(ctx, w.c.Main, w.c.inputs, w.c.grad)
		if err != nil {
			return err
		}
		grads[i] = w.c.bitsOf(r)
	}
	return errors.Join(differ("after an update", results[1], results[0], 0), grads[1].differ(grads[0], 0))
}

// run compares concurrent inference runs.
func (w *comparison) run(s *Session, cfg config) error {
	results := make([]*Result, cfg.runs)
	var group errgroup.Group
	for i := range results {
		group.Go(func() (err error) {
			results[i], err = s.Run(context.Background(), w.c.Main, w.c.inputs)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, r := range results {
		if w.bits == nil {
			w.bits = r
			if err := differ("against the reference", w.plain, r, 1e-4); err != nil {
				return err
			}
		}
		if err := differ("against the first way", w.bits, r, 0); err != nil {
			return err
		}
	}
	return nil
}

// gradients compares two gradient runs: the second one finds memory that the
// first has used.
func (w *comparison) gradients(s *Session, cfg config) error {
	for range 2 {
		r, err := s.Gradients(context.Background(), w.c.Main, w.c.inputs, w.c.grad)
		if err != nil {
			return err
		}
		if w.gradBits == nil {
			w.gradBits = &Result{Outputs: r.Outputs, Losses: r.Losses, Loss: r.Loss, Tables: r.Tables}
			if err := differ("against the reference", w.noisy, r, 1e-4); err != nil {
				return err
			}
		}
		if err := differ("against the first way", w.gradBits, r, 0); err != nil {
			return err
		}
		if w.c.grad.Seed == 0 {
			if err := differ("against inference", w.bits, r, 0); err != nil {
				return err
			}
		}
		got := w.c.bitsOf(r)
		if err := w.c.bitsOf(w.noisy).differ(got, 2e-4); err != nil {
			return err
		}
		if !cfg.Deterministic {
			continue
		}
		if w.deterministic[cfg.Batching] == nil {
			w.deterministic[cfg.Batching] = got
		}
		if err := w.deterministic[cfg.Batching].differ(got, 0); err != nil {
			return fmt.Errorf("with another number of workers: %w", err)
		}
	}
	return nil
}

// bitsOf copies the gradients of a result.
func (c *programCase) bitsOf(r *Result) *gradientBits {
	b := &gradientBits{inputs: r.InputGrads}
	for i, v := range c.Built.Variables {
		full := r.Gradients.vars[i].Full()
		if v.Frozen {
			full = nil
		}
		b.vars = append(b.vars, slices.Clone(full))
	}
	return b
}

func (b *gradientBits) differ(o *gradientBits, tol float64) error {
	for i := range b.vars {
		if d := differFloats(b.vars[i], o.vars[i], tol); d != "" {
			return fmt.Errorf("gradient of variable %d: %s", i, d)
		}
	}
	for i := range b.inputs {
		for k := range b.inputs[i] {
			if d := differArray(b.inputs[i][k], o.inputs[i][k], tol); d != "" {
				return fmt.Errorf("gradient of value %d of input %d: %s", k, i, d)
			}
		}
	}
	return nil
}
