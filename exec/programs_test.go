package exec

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

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
func newProgramCase(t testing.TB, seed uint64, inputs int) (*programCase, bool) {
	t.Helper()
	p, err := randprog.New(seed)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(seed, 7))
	c := &programCase{Program: p, grad: GradOptions{Key: rng.Uint32()}}
	if seed%2 == 1 {
		c.grad.Seed = seed
	}
	for range 4 * inputs {
		in := p.Inputs(rng)
		key := c.grad.Key + uint32(len(c.inputs))
		plain, err := p.Probe(in, 0, 0)
		require.NoError(t, err, "seed %d\n%v", seed, p.Built)
		noisy, err := p.Probe(in, c.grad.Seed, key)
		require.NoError(t, err, "seed %d\n%v", seed, p.Built)
		if min(plain.Margin, noisy.Margin) < safeMargin {
			continue
		}
		arrays := make([]Array, len(in))
		for k := range in {
			arrays[k] = fromTensor(in[k])
		}
		if c.inputs = append(c.inputs, arrays); len(c.inputs) == inputs {
			return c, true
		}
	}
	return nil, false
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

// configs are the ways of execution that must agree.
func configs() []config {
	var all []config
	for _, workers := range []int{1, 2, 8} {
		for _, batching := range []Batching{BatchAll, BatchOff, 3} {
			all = append(all,
				config{Options{Workers: workers, Batching: batching}, 4},
				config{Options{Workers: workers, Batching: batching, Deterministic: true}, 1})
		}
	}
	return append(all,
		config{Options{Workers: 1, Memory: 1 << 30}, 1},
		config{Options{Workers: 1, Analyse: true, CheckFinite: true}, 1})
}

// TestRandomPrograms executes random programs in all ways and compares them with
// the reference interpreter: forward values must not differ among the ways in any
// bit, nor gradients of deterministic sessions in the number of workers.
func TestRandomPrograms(t *testing.T) {
	for seed := range seedCount(t, 150) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { checkProgram(t, seed) })
	}
}

func checkProgram(t *testing.T, seed uint64) {
	c, ok := newProgramCase(t, seed, 5)
	if !ok {
		t.Skip("the inputs do not keep away from where the program jumps")
	}
	ctx := context.Background()
	oracle, err := New(c.Built, Options{Reference: true, Float64: true, Seed: seed})
	require.NoError(t, err)
	plain, err := oracle.Run(ctx, c.Main, c.inputs)
	require.NoError(t, err, "%v", c.Built)
	c.drawCotangents(plain.Outputs)
	noisy, err := oracle.Gradients(ctx, c.Main, c.inputs, c.grad)
	require.NoError(t, err, "%v", c.Built)

	w := &ways{t: t, c: c, plain: plain, noisy: noisy, deterministic: map[Batching]*gradientBits{}}
	for _, cfg := range configs() {
		cfg.Parameters = oracle.Parameters()
		w.check(cfg)
	}
}

// ways compares ways to execute a program.
type ways struct {
	t            *testing.T
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

func (w *ways) failed(cfg config, what, difference string) {
	w.t.Helper()
	if difference != "" {
		w.t.Fatalf("seed %d, %v\n%s: %s\n\n%v", w.c.Seed, cfg, what, difference, w.c.Built)
	}
}

func (w *ways) check(cfg config) {
	ctx := context.Background()
	s, err := New(w.c.Built, cfg.Options)
	require.NoError(w.t, err)
	defer s.Close()
	results := make([]*Result, cfg.runs)
	errs := make([]error, cfg.runs)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() { results[i], errs[i] = s.Run(ctx, w.c.Main, w.c.inputs) })
	}
	group.Wait()
	for i, r := range results {
		w.failed(cfg, "run", message(errs[i]))
		if w.bits == nil {
			w.failed(cfg, "run against the reference", differ(w.plain, r, 1e-4))
			w.bits = r
		}
		w.failed(cfg, "run against the first way", differ(w.bits, r, 0))
	}
	for range 2 { // the second run finds memory that the first has used
		r, err := s.Gradients(ctx, w.c.Main, w.c.inputs, w.c.grad)
		w.failed(cfg, "gradient run", message(err))
		w.gradients(cfg, r)
	}
}

func (w *ways) gradients(cfg config, r *Result) {
	if w.gradBits == nil {
		w.failed(cfg, "gradient run against the reference", differ(w.noisy, r, 1e-4))
		w.gradBits = &Result{Outputs: r.Outputs, Losses: r.Losses, Loss: r.Loss, Tables: r.Tables}
	}
	w.failed(cfg, "gradient run against the first way", differ(w.gradBits, r, 0))
	if w.c.grad.Seed == 0 {
		w.failed(cfg, "gradient run against inference", differ(w.bits, r, 0))
	}
	var b gradientBits
	for i, v := range w.c.Built.Variables {
		full := r.Gradients.vars[i].Full()
		if !v.Frozen {
			w.failed(cfg, "gradient of "+v.Name, differFloats(w.noisy.Gradients.vars[i].Full(), full, 2e-4))
		}
		b.vars = append(b.vars, slices.Clone(full))
	}
	for i := range r.InputGrads {
		for k := range r.InputGrads[i] {
			w.failed(cfg, fmt.Sprintf("gradient of value %d of input %d", k, i),
				differArray(w.noisy.InputGrads[i][k], r.InputGrads[i][k], 2e-4))
		}
	}
	b.inputs = r.InputGrads
	if cfg.Deterministic {
		first := w.deterministic[cfg.Batching]
		if first == nil {
			w.deterministic[cfg.Batching] = &b
			return
		}
		w.failed(cfg, "deterministic gradients", first.differ(&b))
	}
}

func (b *gradientBits) differ(o *gradientBits) string {
	for i := range b.vars {
		if d := differFloats(b.vars[i], o.vars[i], 0); d != "" {
			return fmt.Sprintf("variable %d: %s", i, d)
		}
	}
	for i := range b.inputs {
		for k := range b.inputs[i] {
			if d := differArray(b.inputs[i][k], o.inputs[i][k], 0); d != "" {
				return fmt.Sprintf("value %d of input %d: %s", k, i, d)
			}
		}
	}
	return ""
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// differ describes the first difference of the forward values of two results,
// beyond a relative tolerance, or in any bit when that is 0.
func differ(want, got *Result, tol float64) string {
	for i := range want.Outputs {
		for k := range want.Outputs[i] {
			if d := differArray(want.Outputs[i][k], got.Outputs[i][k], tol); d != "" {
				return fmt.Sprintf("result %d of input %d: %s", k, i, d)
			}
		}
		if !close64(want.Losses[i], got.Losses[i], tol) {
			return fmt.Sprintf("loss of input %d: want %v, got %v", i, want.Losses[i], got.Losses[i])
		}
		if d := differTables(want.Tables[i], got.Tables[i], tol); d != "" {
			return fmt.Sprintf("input %d: %s", i, d)
		}
	}
	if !close64(want.Loss, got.Loss, tol) {
		return fmt.Sprintf("loss: want %v, got %v", want.Loss, got.Loss)
	}
	return ""
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
