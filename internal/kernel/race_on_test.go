//go:build race

package kernel

// The race detector slows the loops of the tests tenfold, so they thin out.
const (
	raceEnabled = true
	smallStep   = 7
)
