// Package console shows on a terminal, or in a log, how far a long piece of work
// has come: count, percentage, rate, time to go and a note.
//
// On a terminal one line is redrawn in place, a few times a second, cut to the
// width of the window. Elsewhere (a pipe, a file, TERM=dumb) plain lines are
// written, one every few seconds and one at the end, without control codes.
//
// It is not a logger and not a set of bars: one Progress owns the current line of
// its writer until Done, and whatever else is written there meanwhile gets mixed
// with it.
//
// A Progress starts no goroutine, so it is drawn only when work is reported. It is
// safe for concurrent use. Progress is not worth failing for: errors of the writer
// are ignored.
package console
