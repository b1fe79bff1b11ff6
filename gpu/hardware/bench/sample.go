package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// subject is something to be measured.
type subject struct {
	name, setting string
	// run does it n times and returns what this took.
	run func(n int) (time.Duration, error)
	// unit and amount say what a figure is: amount units per second for one time, or
	// microseconds if there is no unit.
	unit   string
	amount float64
	most   int // the largest n, 0 for no limit
}

// timed is a run that is measured from begin to end.
func timed(run func(n int) error) func(int) (time.Duration, error) {
	return func(n int) (time.Duration, error) {
		start := time.Now()
		err := run(n)
		return time.Since(start), err
	}
}

// maxRepeats bounds how often a subject is repeated in a sample.
const maxRepeats = 1 << 16

// repeats returns how often a subject must be repeated for a sample. It warms up.
func (b *bench) repeats(s *subject) (int, error) {
	most := maxRepeats
	if s.most > 0 {
		most = s.most
	}
	// What takes long enough the first time will do so again, or nearly.
	if d, err := s.run(1); err != nil || d >= 10*b.sample {
		return 1, err
	}
	for n := 1; ; n = min(2*n, most) {
		d, err := s.run(n)
		if err != nil || d >= b.sample || n == most || time.Now().After(b.deadline) {
			return n, err
		}
	}
}

// measure takes samples of all subjects in turns until there are enough or the time is
// over, and adds their figures. Every subject gets one at least, but those that fail,
// which do not keep the others from going on.
func (b *bench) measure(subjects []subject) error {
	count := make([]int, len(subjects))
	samples := make([][]float64, len(subjects))
	failed := make([]error, len(subjects))
	for i := range subjects {
		count[i], failed[i] = b.repeats(&subjects[i])
	}
	random := rand.New(rand.NewPCG(1, uint64(len(subjects))))
	for round := 0; round < b.rounds && (round == 0 || time.Now().Before(b.deadline)); round++ {
		for _, i := range random.Perm(len(subjects)) {
			if failed[i] != nil {
				continue
			}
			d, err := subjects[i].run(count[i])
			if err != nil {
				failed[i] = err
				continue
			}
			samples[i] = append(samples[i], max(d, 1).Seconds()/float64(count[i]))
		}
	}
	for i, s := range subjects {
		if failed[i] != nil {
			failed[i] = fmt.Errorf("%s %s: %w", s.name, s.setting, failed[i])
			continue
		}
		b.add(s.name, s.setting, s.figure(samples[i]), samples[i])
	}
	return errors.Join(append(failed, b.save())...)
}

// figure turns seconds into figures, and returns their unit.
func (s *subject) figure(seconds []float64) (unit string) {
	for i, t := range seconds {
		if s.unit == "" {
			seconds[i] = 1e6 * t
		} else {
			seconds[i] = s.amount / t
		}
	}
	if s.unit == "" {
		return "us"
	}
	return s.unit
}
