package console

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
)

// state is what a line tells.
type state struct {
	label, note  string
	count, total int
}

// line returns the line for work that has taken elapsed so far, or altogether if
// final.
func (s state) line(elapsed time.Duration, final bool) string {
	var parts []string
	if s.label != "" {
		parts = append(parts, s.label)
	}
	if s.total > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d (%d%%)", s.count, s.total, s.percent()))
	} else {
		parts = append(parts, fmt.Sprint(s.count))
	}
	if rate := s.rate(elapsed); rate > 0 {
		parts = append(parts, formatRate(rate))
	}
	if final {
		parts = append(parts, "in "+formatDuration(elapsed))
	} else if left, ok := s.left(elapsed); ok {
		parts = append(parts, "ETA "+formatDuration(left))
	}
	if s.note != "" {
		parts = append(parts, s.note)
	}
	return strings.Join(parts, "  ")
}

// percent rounds down, so that 100 % means done.
func (s state) percent() int {
	return int(math.Floor(100 * float64(s.count) / float64(s.total)))
}

// soon is the time before which a rate would say more about the clock and the start of
// the work than about the work.
const soon = 100 * time.Millisecond

// rate returns items per second, 0 while unknown. It is the mean since the start:
// it calms down as the work goes on, and so does the time to go.
func (s state) rate(elapsed time.Duration) float64 {
	if s.count <= 0 || elapsed < soon {
		return 0
	}
	return float64(s.count) / elapsed.Seconds()
}

// left estimates the time to go, if there is something to go by.
func (s state) left(elapsed time.Duration) (time.Duration, bool) {
	rate := s.rate(elapsed)
	if rate == 0 || s.count > s.total {
		return 0, false
	}
	seconds := float64(s.total-s.count) / rate
	if seconds > math.MaxInt64/float64(time.Second) {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// formatRate keeps three digits or the whole part; slow work is told in time per
// item.
func formatRate(perSecond float64) string {
	switch {
	case perSecond >= 100:
		return fmt.Sprintf("%.0f/s", perSecond)
	case perSecond >= 10:
		return fmt.Sprintf("%.1f/s", perSecond)
	case perSecond >= 1:
		return fmt.Sprintf("%.2f/s", perSecond)
	default:
		return formatDuration(time.Duration(float64(time.Second)/perSecond)) + " each"
	}
}

// formatDuration rounds to what one looks at: tenths below ten seconds, then
// seconds, and minutes from an hour on.
func formatDuration(d time.Duration) string {
	tenths, seconds := d.Round(time.Second/10), d.Round(time.Second)
	switch {
	case tenths < 10*time.Second:
		return fmt.Sprintf("%.1fs", tenths.Seconds())
	case seconds < time.Hour:
		return seconds.String()
	default:
		minutes := int64(d.Round(time.Minute) / time.Minute)
		return fmt.Sprintf("%dh%02dm", minutes/60, minutes%60)
	}
}

// printable makes s safe to put in a line: no line breaks, no control codes that
// would move the cursor, no broken UTF-8.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
