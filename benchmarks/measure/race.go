package measure

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"
)

// Case is something to be timed.
type Case struct {
	Name string
	Run  func() error
	// CPU returns the processor time that Run has used so far in other processes;
	// nil if there are none.
	CPU func() time.Duration
}

// processors returns the processor time that was used here and elsewhere.
func (c *Case) processors() time.Duration {
	used := processTime()
	if c.CPU != nil {
		used += c.CPU()
	}
	return used
}

// Options bound a race. Every case gets at least MinRounds samples.
type Options struct {
	Rounds int           // at most
	Budget time.Duration // no round starts after it
	Seed   uint64        // of the order
}

// MinRounds is what makes a median.
const MinRounds = 3

// Samples are what a case took in each round.
type Samples struct {
	Wall, CPU []float64 // seconds; CPU is of all threads, 0 where unknown
	Mallocs   []float64 // heap allocations
}

// Undisturbed returns the processor time where it is known and the time by the clock
// elsewhere: of work that one thread does alone, it is what remains the same when
// other programs run.
func (s *Samples) Undisturbed() []float64 {
	for _, used := range s.CPU {
		if used <= 0 {
			return s.Wall
		}
	}
	return s.CPU
}

// Race runs all cases once per round, in an order that changes from round to round,
// and returns their samples in the order of the cases.
func Race(cases []Case, o Options) ([]Samples, error) {
	if len(cases) == 0 || o.Rounds < MinRounds {
		return nil, fmt.Errorf("measure: %d cases and %d rounds, want at least 1 and %d", len(cases), o.Rounds, MinRounds)
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	samples := make([]Samples, len(cases))
	start := time.Now()
	for round := range o.Rounds {
		if round >= MinRounds && time.Since(start) >= o.Budget {
			break
		}
		for _, i := range rng.Perm(len(cases)) {
			if err := samples[i].take(cases[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", cases[i].Name, err)
			}
		}
	}
	return samples, nil
}

// take adds one sample. The heap is cleaned first, so that nobody pays for the
// garbage of another.
func (s *Samples) take(c Case) error {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cpu, wall := c.processors(), time.Now()
	err := c.Run()
	elapsed, used := time.Since(wall), c.processors()-cpu
	runtime.ReadMemStats(&after)
	s.Wall = append(s.Wall, elapsed.Seconds())
	s.CPU = append(s.CPU, used.Seconds())
	s.Mallocs = append(s.Mallocs, float64(after.Mallocs-before.Mallocs))
	return err
}

// Repeat returns how often run must be repeated to take at least the given time. It
// runs it once before, to warm up.
func Repeat(run func() error, least time.Duration) (int, error) {
	const most = 1 << 20
	if err := run(); err != nil {
		return 0, err
	}
	for n := 1; ; n *= 2 {
		start := time.Now()
		for range n {
			if err := run(); err != nil {
				return 0, err
			}
		}
		if d := time.Since(start); d*2 >= least || n >= most {
			if d <= 0 {
				return 0, errors.New("measure: the clock stands still")
			}
			return max(1, int(float64(n)*float64(least)/float64(d)+0.999)), nil
		}
	}
}
