package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/internal/randprog"
)

// seedCount is the number of random programs to try: FROND_SEEDS, or fallback, or a
// fifth of it with -short.
func seedCount(t testing.TB, fallback int) uint64 {
	t.Helper()
	s := os.Getenv("FROND_SEEDS")
	if s == "" && testing.Short() {
		return uint64(fallback / 5)
	}
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
				t.Fatal(smallest(seed, configs, err))
			}
		})
	}
}

// smallest returns the error of the smallest program that begins like that of
// the seed and fails.
func smallest(seed uint64, configs func(uint64) []config, err error) error {
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
		return w.update(oracle.Parameters(), ways[0].Device)
	}
	return nil
}
