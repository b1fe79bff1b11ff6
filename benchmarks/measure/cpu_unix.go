//go:build unix

package measure

import (
	"time"

	"golang.org/x/sys/unix"
)

// processTime returns the processor time that all threads have used. How long they
// were kept waiting for a processor is not in it.
func processTime() time.Duration {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
