package exec

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// tracer writes batches in the Trace Event Format that chrome://tracing and
// Perfetto read: one line per batch on its engine's row, where gaps are idle time,
// and a counter of the workers that are at work and those that are idle while there
// is a run. The methods of a nil tracer do nothing.
type tracer struct {
	mu    sync.Mutex
	w     io.Writer
	start time.Time
	err   error // of the first failed write; later events are dropped
	names []string
}

func newTracer(w io.Writer, p *plan) *tracer {
	if w == nil {
		return nil
	}
	t := &tracer{w: w, start: time.Now()}
	for _, st := range p.stages {
		t.names = append(t.names, st.name())
	}
	t.printf("[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":%s}}", strconv.Quote("frond "+p.prog.Name))
	return t
}

// name is the graph's with the number of the stage in it.
func (st *stage) name() string {
	for i, q := range st.sub.stages {
		if q == st {
			return fmt.Sprintf("%s/%d", st.sub.g.Name, i)
		}
	}
	return st.sub.g.Name
}

func (t *tracer) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

// batch writes one batch on an engine's row.
func (t *tracer) batch(st *stage, backward bool, rows, engine int, from time.Time, took time.Duration) {
	if t == nil {
		return
	}
	category := "forward"
	if backward {
		category = "backward"
	}
	t.event(t.names[st.id], category, engine, from, took, fmt.Sprintf(`{"rows":%d,"role":"%v"}`, rows, st.role))
}

// span writes other work, which ends now.
func (t *tracer) span(name string, engine int, from time.Time) {
	if t != nil {
		t.event(name, "step", engine, from, time.Since(from), "{}")
	}
}

// workers writes how many workers are at work and how many are idle from now on.
func (t *tracer) workers(working, idle int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.printf(",\n{\"name\":\"workers\",\"ph\":\"C\",\"pid\":1,\"ts\":%.3f,\"args\":{\"at work\":%d,\"idle\":%d}}",
		micros(time.Since(t.start)), working, idle)
}

func (t *tracer) event(name, category string, engine int, from time.Time, took time.Duration, args string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.printf(",\n{\"name\":%s,\"cat\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":%s}",
		strconv.Quote(name), category, engine, micros(from.Sub(t.start)), micros(took), args)
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// close ends the file and returns the first error of writing it.
func (t *tracer) close() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.printf("\n]\n")
	if t.err != nil {
		return fmt.Errorf("exec: writing the trace: %w", t.err)
	}
	return nil
}
