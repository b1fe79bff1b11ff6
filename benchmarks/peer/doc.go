// Package peer talks to programs that compute the same as this module with other
// libraries, so that they can take part in races without being linked.
//
// A peer is a process that reads one [Request] per line on its standard input and
// answers each with one [Reply] per line on its standard output, both as JSON. It
// reports the processor time that it used, since its parent cannot ask the system
// for that of a running child. Trees and initial parameters lie in a folder that
// [WriteJob] writes: job.json, a [Job], and parameters.bin, float32, little-endian.
//
// It is no remote procedure call: there is one peer on the same machine, and one
// request at a time.
//
// # Ownership, concurrency, errors
//
// A [Process] is for one goroutine and must be closed. What a peer reports as wrong,
// and a peer that ends, hangs or does not speak the protocol, are errors that wrap
// [ErrPeer] and quote the end of what it wrote to standard error.
package peer
