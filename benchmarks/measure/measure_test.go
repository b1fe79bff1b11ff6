package measure

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestQuantile(t *testing.T) {
	x := []float64{5, 1, 4, 2, 3}
	for q, want := range map[float64]float64{0: 1, 0.1: 1.4, 0.25: 2, 0.5: 3, 0.9: 4.6, 1: 5} {
		require.InDelta(t, want, Quantile(x, q), 1e-12)
	}
	require.Equal(t, []float64{5, 1, 4, 2, 3}, x, "left as it was")
	require.Equal(t, 2.5, Quantile([]float64{3, 2}, 0.5))
	require.Equal(t, Spread{7, 7, 7}, SpreadOf([]float64{7}))
	require.True(t, math.IsNaN(SpreadOf(nil).Median))
}

func TestRatiosArePaired(t *testing.T) {
	// The second round was three times as slow for both.
	r := Ratios([]float64{2, 6, 2}, []float64{1, 3, 1})
	require.Equal(t, []float64{2, 2, 2}, r)
	require.Equal(t, []float64{5, 20}, PerSecond(10, []float64{2, 0.5}))
}

func TestRace(t *testing.T) {
	var log []string
	record := func(name string) Case {
		return Case{Name: name, Run: func() error { log = append(log, name); return nil }}
	}
	s, err := Race([]Case{record("a"), record("b"), record("c")}, Options{Rounds: 20, Budget: time.Minute, Seed: 1})
	require.NoError(t, err)
	require.Len(t, s, 3)
	orders := map[string]bool{}
	for round := range slices.Chunk(log, 3) {
		orders[strings.Join(round, "")] = true
		slices.Sort(round)
		require.Equal(t, []string{"a", "b", "c"}, round, "every case once per round")
	}
	require.Greater(t, len(orders), 3)
	for _, c := range s {
		require.Len(t, c.Wall, 20)
		require.Len(t, c.CPU, 20)
	}
}

func TestRaceMeasures(t *testing.T) {
	var keep [][]byte
	s, err := Race([]Case{
		{Name: "sleep", Run: func() error { time.Sleep(5 * time.Millisecond); return nil }},
		{Name: "allocate", Run: func() error {
			for range 1000 {
				keep = append(keep, make([]byte, 64))
			}
			return nil
		}},
	}, Options{Rounds: MinRounds})
	require.NoError(t, err)
	require.Len(t, s[0].Wall, MinRounds, "without a budget, the least number of rounds")
	require.GreaterOrEqual(t, slices.Min(s[0].Wall), 0.005)
	require.Less(t, Quantile(s[0].CPU, 0), 0.005, "sleeping takes no processor time")
	require.GreaterOrEqual(t, slices.Min(s[1].Mallocs), 1000.0)
	require.Less(t, Quantile(s[0].Mallocs, 0), 500.0)
	require.NotEmpty(t, keep)
}

func TestUndisturbed(t *testing.T) {
	s := Samples{Wall: []float64{3, 4}, CPU: []float64{1, 2}}
	require.Equal(t, s.CPU, s.Undisturbed())
	s.CPU[1] = 0
	require.Equal(t, s.Wall, s.Undisturbed(), "the clock of the processor is too coarse, or there is none")
}

func TestProcessorTimeElsewhere(t *testing.T) {
	elsewhere := time.Duration(0)
	s, err := Race([]Case{{
		Name: "peer", Run: func() error { elsewhere += 2 * time.Second; return nil },
		CPU: func() time.Duration { return elsewhere },
	}}, Options{Rounds: MinRounds})
	require.NoError(t, err)
	for i, used := range s[0].CPU {
		require.InDelta(t, 2, used, 0.5)
		require.Less(t, s[0].Wall[i], 1.0)
	}
}

func TestRaceErrors(t *testing.T) {
	sentinel := errors.New("broken")
	_, err := Race([]Case{{Name: "ok", Run: func() error { return nil }}, {Name: "bad", Run: func() error { return sentinel }}}, Options{Rounds: 3})
	require.ErrorIs(t, err, sentinel)
	require.ErrorContains(t, err, "bad: ")
	_, err = Race(nil, Options{Rounds: 3})
	require.Error(t, err)
	_, err = Race([]Case{{Name: "ok", Run: func() error { return nil }}}, Options{Rounds: 1})
	require.Error(t, err)
}

func TestRepeat(t *testing.T) {
	runs := 0
	n, err := Repeat(func() error { runs++; time.Sleep(time.Millisecond); return nil }, 20*time.Millisecond)
	require.NoError(t, err)
	require.True(t, n >= 2 && n <= 20, "%d", n)
	require.Greater(t, runs, 1)
	sentinel := errors.New("broken")
	_, err = Repeat(func() error { return sentinel }, time.Second)
	require.ErrorIs(t, err, sentinel)
}
