package console

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestLine(t *testing.T) {
	for _, c := range []struct {
		state   state
		elapsed time.Duration
		final   bool
		want    string
	}{
		{state{label: "x", total: 10}, 0, false, "x  0/10 (0%)"},
		{state{label: "x", total: 10}, time.Second, false, "x  0/10 (0%)"},
		{state{label: "x", total: 10, count: 1}, 0, false, "x  1/10 (10%)"},
		{state{label: "x", total: 10, count: 10}, soon - 1, true, "x  10/10 (100%)  in 0.1s"},
		{state{label: "x", total: 10, count: 10}, soon, true, "x  10/10 (100%)  100/s  in 0.1s"},
		{state{total: 3, count: 2}, time.Second, false, "2/3 (66%)  2.00/s  ETA 0.5s"},
		{state{total: 1000, count: 999}, 999 * time.Second, false, "999/1000 (99%)  1.00/s  ETA 1.0s"},
		{state{total: 10, count: 12}, 6 * time.Second, false, "12/10 (120%)  2.00/s"},
		{state{label: "x", count: 12}, 6 * time.Second, false, "x  12  2.00/s"},
		{state{label: "x", count: 12, note: "n"}, 6 * time.Second, true, "x  12  2.00/s  in 6.0s  n"},
		{state{total: 10, count: 1}, time.Hour, false, "1/10 (10%)  1h00m each  ETA 9h00m"},
		{state{total: math.MaxInt, count: 1}, 24 * time.Hour, false, fmt.Sprintf("1/%d (0%%)  24h00m each", math.MaxInt)},
		{state{total: 10, count: -1}, time.Second, false, "-1/10 (-10%)"},
		{state{total: 10, count: 1}, -time.Second, false, "1/10 (10%)"},
	} {
		assert.Equal(t, c.want, c.state.line(c.elapsed, c.final), "%+v after %v", c.state, c.elapsed)
	}
}

func TestFormatRate(t *testing.T) {
	for rate, want := range map[float64]string{1234.5: "1234/s", 100: "100/s", 99.94: "99.9/s", 1.234: "1.23/s", 0.5: "2.0s each", 0.3: "3.3s each", 1. / 5400: "1h30m each"} {
		assert.Equal(t, want, formatRate(rate))
	}
}

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0s", 1234 * time.Millisecond: "1.2s", 9949 * time.Millisecond: "9.9s", 9960 * time.Millisecond: "10s",
		59600 * time.Millisecond: "1m0s", 90 * time.Second: "1m30s", time.Hour - time.Millisecond: "1h00m",
		time.Hour: "1h00m", 25*time.Hour + 5*time.Minute + 29*time.Second: "25h05m",
	} {
		assert.Equal(t, want, formatDuration(d), "%v", d)
	}
}
