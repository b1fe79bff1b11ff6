//go:build !noasm

package peak

import (
	"time"

	"golang.org/x/sys/cpu"
)

// GFLOPS returns the rate of independent fused multiply-adds on registers in
// 10⁹ operations per second on one core: the best of several short runs.
func GFLOPS() float64 {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return 0
	}
	const loops = 2000 // some 10 µs
	best := 0.0
	for range 200 {
		start := time.Now()
		fmaLoop(loops)
		if s := time.Since(start).Seconds(); s > 0 {
			best = max(best, loops*flopsPerLoop/s/1e9)
		}
	}
	return best
}

// flopsPerLoop is 24 instructions of 8 lanes, a multiplication and an addition
// each.
const flopsPerLoop = 24 * 8 * 2
