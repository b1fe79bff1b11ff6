package exec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/frondml/frond/exec/internal/randprog"
)

// seedCount is the number of random programs to try: FROND_SEEDS, or fallback.
func seedCount(t testing.TB, fallback int) uint64 {
	t.Helper()
	s := os.Getenv("FROND_SEEDS")
	if s == "" {
		return uint64(fallback)
	}
	n, err := strconv.ParseUint(s, 10, 32)
	require.NoError(t, err, "FROND_SEEDS is the number of random programs to try")
	return n
}

// safeMargin is how far a run must stay from where something jumps, so that
// float32 and float64 agree on which side they are.
const safeMargin = 1e-4

// programCase is a random program with inputs that keep the margin.
type programCase struct {
	*randprog.Program
	inputs [][]Array
	grad   GradOptions
}

// newProgramCase returns false when too few inputs of the program keep the margin.
func newProgramCase(seed uint64, steps, inputs int) (*programCase, bool, error) {
	p, err := randprog.New(seed, steps)
	if err != nil {
		return nil, false, err
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	c := &programCase{Program: p, grad: GradOptions{Key: rng.Uint32(), Tables: true}}
	dropouts := []uint64{0} // inference has none
	if seed%2 == 1 {
		c.grad.Seed = seed
		dropouts = append(dropouts, seed)
	}
	for range 4 * inputs {
		in := p.Inputs(rng)
		safe := true
		for _, dropout := range dropouts {
			probe, err := p.Probe(in, dropout, c.grad.Key+uint32(len(c.inputs)))
			if err != nil {
				return nil, false, fmt.Errorf("%w\n%v", err, p.Built)
			}
			safe = safe && probe.Margin >= safeMargin
		}
		if !safe {
			continue
		}
		arrays := make([]Array, len(in))
		for k := range in {
			arrays[k] = fromTensor(in[k])
		}
		if c.inputs = append(c.inputs, arrays); len(c.inputs) == inputs {
			return c, true, nil
		}
	}
	return nil, false, nil
}

// drawCotangents makes cotangents of the float results, all elements different.
func (c *programCase) drawCotangents(outputs [][]Array) {
	rng := rand.New(rand.NewPCG(c.Seed, 11))
	for _, out := range outputs {
		cts := make([]Array, len(out))
		for k := range out {
			if out[k].F == nil {
				continue
			}
			cts[k] = Array{Shape: out[k].Shape, F: make([]float32, len(out[k].F))}
			for j := range cts[k].F {
				cts[k].F[j] = 2*rng.Float32() - 1
			}
		}
		c.grad.Cotangents = append(c.grad.Cotangents, cts)
	}
}

// config is one way to execute a program.
type config struct {
	Options
	runs int // concurrent runs
}

func (c config) String() string { return fmt.Sprintf("%v, %d runs", c.Options, c.runs) }

// configs are the ways of execution that must agree. Of two alternatives, seeds
// take turns.
func configs(seed uint64) []config {
	var all []config
	for i, batching := range []Batching{BatchAll, BatchOff, 3} {
		turn := seed>>i&1 == 1
		workers := []int{1, 2, 8}
		if i > 0 {
			workers = []int{1, oneOf(seed>>3, 2, 8)}
		}
		for _, workers := range workers {
			c := config{Options{Workers: workers, Batching: batching, Deterministic: turn}, 1}
			if !turn {
				c.runs = 4
			}
			all = append(all, c)
		}
	}
	return append(all,
		config{Options{Workers: 1, Memory: 1 << 30, NoSharing: seed%2 == 0}, 1},
		config{Options{Workers: 1, Analyse: true, CheckFinite: true, NoSharing: seed%2 == 1}, 4})
}

func oneOf[T any](turn uint64, all ...T) T { return all[turn%uint64(len(all))] }

// TestRandomPrograms executes random programs in all ways and compares them with
// the reference interpreter: forward values must not differ among the ways in any
// bit, nor gradients of deterministic sessions in the number of workers.
func TestRandomPrograms(t *testing.T) {
	for seed := range seedCount(t, 150) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			c, ok, err := newProgramCase(seed, randprog.Unlimited, 5)
			require.NoError(t, err)
			if !ok {
				t.Skip("the inputs do not keep away from where the program jumps")
			}
			if err := c.check(configs(seed)); err != nil {
				t.Fatal(smallest(seed, err))
			}
		})
	}
}

// smallest returns the error of the smallest program that begins like that of
// the seed and fails.
func smallest(seed uint64, err error) error {
	for steps := range 80 {
		if c, ok, err := newProgramCase(seed, steps, 5); ok && err == nil {
			if small := c.check(configs(seed)); small != nil {
				return fmt.Errorf("seed %d, %d steps: %w\n\n%v", seed, steps, small, c.Built)
			}
		}
	}
	return err
}

// check executes the program in the given ways.
func (c *programCase) check(ways []config) error {
	ctx := context.Background()
	oracle, err := New(c.Built, Options{Reference: true, Float64: true, Seed: c.Seed})
	if err != nil {
		return err
	}
	w := &comparison{c: c, deterministic: map[Batching]*gradientBits{}}
	if w.plain, err = oracle.Run(ctx, c.Main, c.inputs); err != nil {
		return err
	}
	c.drawCotangents(w.plain.Outputs)
	if w.noisy, err = oracle.Gradients(ctx, c.Main, c.inputs, c.grad); err != nil {
		return err
	}
	for _, cfg := range ways {
		cfg.Parameters = oracle.Parameters()
		if err := w.session(cfg); err != nil {
			return fmt.Errorf("%v: %w", cfg, err)
		}
	}
	if c.Seed%4 == 0 {
		return w.update(oracle.Parameters())
	}
	return nil
}

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
func (w *comparison) update(p *Parameters) error {
	ctx := context.Background()
	old, err := New(w.c.Built, Options{Workers: 1, Parameters: p})
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
	fresh, err := New(w.c.Built, Options{Workers: 1, Parameters: p})
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

// differ describes the first difference of the forward values of two results,
// beyond a relative tolerance, or in any bit when that is 0.
func differ(what string, want, got *Result, tol float64) error {
	for i := range want.Outputs {
		for k := range want.Outputs[i] {
			if d := differArray(want.Outputs[i][k], got.Outputs[i][k], tol); d != "" {
				return fmt.Errorf(what+": result %d of input %d: %s", k, i, d)
			}
		}
		if !close64(want.Losses[i], got.Losses[i], tol) {
			return fmt.Errorf(what+": loss of input %d: want %v, got %v", i, want.Losses[i], got.Losses[i])
		}
		if d := differTables(want.Tables[i], got.Tables[i], tol); d != "" {
			return fmt.Errorf(what+": input %d: %s", i, d)
		}
	}
	if !close64(want.Loss, got.Loss, tol) {
		return fmt.Errorf(what+": loss: want %v, got %v", want.Loss, got.Loss)
	}
	return nil
}

func close64(want, got, tol float64) bool { return math.Abs(got-want) <= tol*(1+math.Abs(want)) }

func differArray(want, got Array, tol float64) string {
	if !slices.Equal(want.Shape, got.Shape) || (want.F == nil) != (got.F == nil) {
		return fmt.Sprintf("want shape %v of %v, got shape %v of %v", want.Shape, want, got.Shape, got)
	}
	if !slices.Equal(want.I, got.I) {
		return fmt.Sprintf("want %v, got %v", want, got)
	}
	return differFloats(want.F, got.F, tol)
}

// differFloats compares with a tolerance relative to the largest element.
func differFloats(want, got []float32, tol float64) string {
	if len(want) != len(got) {
		return fmt.Sprintf("want %d elements, got %d", len(want), len(got))
	}
	scale := 1.0
	for _, x := range want {
		scale = max(scale, math.Abs(float64(x)))
	}
	for j := range want {
		w, g := float64(want[j]), float64(got[j])
		if tol == 0 && math.Float32bits(want[j]) != math.Float32bits(got[j]) || !(math.Abs(w-g) <= tol*scale) {
			return fmt.Sprintf("element %d: want %v, got %v\nwant %v\ngot  %v", j, w, g, want, got)
		}
	}
	return ""
}

func differTables(want, got map[string]*Table, tol float64) string {
	if len(want) != len(got) {
		return fmt.Sprintf("want %d tables, got %d", len(want), len(got))
	}
	for name, w := range want {
		g := got[name]
		if g == nil {
			return fmt.Sprintf("no table %q", name)
		}
		if !slices.Equal(w.Keys, g.Keys) || w.Width != g.Width {
			return fmt.Sprintf("%q: want keys %v and width %d, got %v and %d", name, w.Keys, w.Width, g.Keys, g.Width)
		}
		if !slices.Equal(w.Ints, g.Ints) {
			return fmt.Sprintf("%q: want %v, got %v", name, w.Ints, g.Ints)
		}
		if d := differRows(w, g, tol); d != "" {
			return fmt.Sprintf("%q: %s", name, d)
		}
	}
	return ""
}

// differRows compares float rows. Rows of one key are ordered by value, so that
// those that nearly agree may change places: each needs a counterpart.
func differRows(want, got *Table, tol float64) string {
	if len(want.Values) != len(got.Values) {
		return fmt.Sprintf("want %d values, got %d", len(want.Values), len(got.Values))
	}
	if len(want.Values) == 0 {
		return ""
	}
	taken := make([]bool, len(got.Keys))
next:
	for i, key := range want.Keys {
		for j := range got.Keys {
			if !taken[j] && got.Keys[j] == key && differFloats(want.Row(i), got.Row(j), tol) == "" && (tol > 0 || i == j) {
				taken[j] = true
				continue next
			}
		}
		return fmt.Sprintf("no row like %v of key %d\nwant %v %v\ngot  %v %v", want.Row(i), key, want.Keys, want.Values, got.Keys, got.Values)
	}
	return ""
}
