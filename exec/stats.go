package exec

import (
	"fmt"
	"strings"
	"time"
)

// Stats counts what a session has executed since it was made or since
// ResetStats. The numbers of engines are added.
type Stats struct {
	Runs         int64 // inputs executed
	Calls        int64 // invocations of subgraphs, without branches
	Frames       int64 // frames made: invocations, branches and inputs
	Batches      int64 // batches of frames
	Rows         int64 // frames in all batches: the work, in stage executions
	FloatBatches int64 // batches of stages with kernels
	FloatRows    int64
	KernelCalls  int64
	KernelRows   int64
	SharedRows   int64 // frames whose rows another frame had computed
	KeptRows     int64 // those of them whose rows were kept from earlier runs
	PeakBytes    int64 // largest memory held by one engine

	// Analysis of the forward computation, with Options.Analyse. LowerBound is the
	// sum over stages of the longest chain of that stage, the least number of batches.
	// Work is the number of stage executions. Span is the length of the longest chain
	// of executions that waited for one another, those of a frame included, per run and
	// added over runs: workers are at most Work per Span times as fast as one. WorkTime
	// and SpanTime are the same in time, an execution taking an equal share of its batch.
	LowerBound         int64
	Work, Span         int64
	WorkTime, SpanTime time.Duration

	// Time, with Options.Analyse, Trace or Profile. Busy is what all engines spent in
	// batches, their adjoints, and products for gradients of variables. Idle is the
	// rest of the time of all workers while there was a run: waiting for work or for
	// each other, and what is done between batches, such as reading inputs and joining
	// gradients. Only an engine's goroutine is observed: half of a large instruction
	// that another worker does for the engine of a single input counts as idle.
	Busy, Idle time.Duration

	// NeverBatched lists the operators all of whose kernel calls had one row.
	NeverBatched []string
}

// counters are an engine's own counts, added to the session's between runs.
type counters struct {
	subs          []int64 // frames per graph
	batches, rows []int64 // per stage
	calls, width  []int64 // kernel calls and their rows, per operator
	shared, kept  int64
	peak          int64
	runs          int64
	lowerBound    int64
	work          chain
	span          chain // of runs that have ended; the session's only
	busy          time.Duration
}

func newCounters(p *plan) counters {
	return counters{
		subs: make([]int64, len(p.subs)), batches: make([]int64, len(p.stages)), rows: make([]int64, len(p.stages)),
		calls: make([]int64, len(p.operators)), width: make([]int64, len(p.operators)),
	}
}

func (c *counters) kernel(in *instr, n int) {
	c.calls[in.operator]++
	c.width[in.operator] += int64(n)
}

// add adds o and clears it.
func (c *counters) add(o *counters) {
	for _, pair := range [][2][]int64{{c.subs, o.subs}, {c.batches, o.batches}, {c.rows, o.rows}, {c.calls, o.calls}, {c.width, o.width}} {
		for i, n := range pair[1] {
			pair[0][i] += n
		}
		clear(pair[1])
	}
	c.peak = max(c.peak, o.peak)
	c.runs += o.runs
	c.shared += o.shared
	c.kept += o.kept
	c.lowerBound += o.lowerBound
	c.work.add(o.work)
	c.busy += o.busy
	o.runs, o.shared, o.kept, o.lowerBound, o.work, o.busy = 0, 0, 0, 0, chain{}, 0
}

// stats makes the public form.
func (c *counters) stats(p *plan) Stats {
	s := Stats{Runs: c.runs, SharedRows: c.shared, KeptRows: c.kept, PeakBytes: c.peak, LowerBound: c.lowerBound,
		Work: c.work.length, WorkTime: c.work.time, Span: c.span.length, SpanTime: c.span.time, Busy: c.busy}
	for i, n := range c.subs {
		s.Frames += n
		if !p.subs[i].branch {
			s.Calls += n
		}
	}
	for i, st := range p.stages {
		s.Batches += c.batches[i]
		s.Rows += c.rows[i]
		if st.hasKernels() {
			s.FloatBatches += c.batches[i]
			s.FloatRows += c.rows[i]
		}
	}
	for i, name := range p.operators {
		s.KernelCalls += c.calls[i]
		s.KernelRows += c.width[i]
		if c.calls[i] > 0 && c.calls[i] == c.width[i] {
			s.NeverBatched = append(s.NeverBatched, name)
		}
	}
	return s
}

// hasKernels reports whether the stage computes rows of floats.
func (st *stage) hasKernels() bool {
	for i := range st.infer.instrs {
		in := &st.infer.instrs[i]
		if in.kind == doFused || (in.kind == doRows || in.kind == doSegments || in.kind == doGemm) && in.out.kind != inReg {
			return true
		}
	}
	return false
}

// RowsPerBatch is the mean number of frames that were executed together.
func (s *Stats) RowsPerBatch() float64 { return ratio(s.Rows, s.Batches) }

// FloatRowsPerBatch is RowsPerBatch over the stages that run kernels.
func (s *Stats) FloatRowsPerBatch() float64 { return ratio(s.FloatRows, s.FloatBatches) }

// Parallelism is Work per Span: how many workers the forward computation could keep
// busy on average; 0 without Options.Analyse.
func (s *Stats) Parallelism() float64 { return ratio(s.Work, s.Span) }

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// String prints the counts on one line.
func (s Stats) String() string {
	return fmt.Sprintf("runs=%d calls=%d frames=%d batches=%d rows/batch=%.1f float batches=%d rows/float batch=%.1f kernels=%d shared rows=%d (%d kept) peak=%.1fMB",
		s.Runs, s.Calls, s.Frames, s.Batches, s.RowsPerBatch(), s.FloatBatches, s.FloatRowsPerBatch(), s.KernelCalls, s.SharedRows, s.KeptRows, float64(s.PeakBytes)/1e6) +
		s.analysis()
}

func (s Stats) analysis() string {
	var b strings.Builder
	if s.Span > 0 {
		fmt.Fprintf(&b, " lower bound=%d work=%d (%v) span=%d (%v) parallelism=%.1f", s.LowerBound,
			s.Work, s.WorkTime.Round(time.Microsecond), s.Span, s.SpanTime.Round(time.Microsecond), s.Parallelism())
	}
	if s.Busy > 0 {
		fmt.Fprintf(&b, " busy=%v idle=%v", s.Busy.Round(time.Microsecond), s.Idle.Round(time.Microsecond))
	}
	if len(s.NeverBatched) > 0 {
		fmt.Fprintf(&b, " never batched=%s", strings.Join(s.NeverBatched, ","))
	}
	return b.String()
}
