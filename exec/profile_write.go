package exec

import (
	"compress/gzip"
	"fmt"
	"io"
	"time"

	"github.com/google/pprof/profile"

	"github.com/frondml/frond/graph"
)

// Write writes what has been collected as a gzip-compressed profile for
// "go tool pprof". A stack leads from the graph of a run by its invocations to the
// operator, each with the line of the program that invokes or applies; a graph that
// many paths reach is under the shortest one. Products for gradients of variables are
// called "gradient of W"; "[schedule]" is what a stage takes beyond its instructions.
//
// The values of a sample are calls, rows (of the results, or list elements), time,
// flop and bytes; labels are pass, forward or backward, and stage, as Session.Plan
// names it.
func (p *Profile) Write(w io.Writer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := newProfileBuilder()
	for _, s := range p.sessions {
		b.session(s)
	}
	zip := gzip.NewWriter(w)
	if err := b.out.WriteUncompressed(zip); err != nil {
		return fmt.Errorf("exec: writing the profile: %w", err)
	}
	if err := zip.Close(); err != nil {
		return fmt.Errorf("exec: writing the profile: %w", err)
	}
	return nil
}

// profileBuilder makes the form that pprof reads.
type profileBuilder struct {
	out       *profile.Profile
	mapping   *profile.Mapping // stands for the program
	functions map[[2]string]*profile.Function
	locations map[frameOfStack]*profile.Location
	samples   map[sampleKey]*profile.Sample
	paths     callPaths
}

// sampleKey tells samples apart. Equal instructions of the codes for inference and for
// training are one.
type sampleKey struct {
	op       string
	pos      graph.Pos
	stage    *stage
	backward bool
}

func newProfileBuilder() *profileBuilder {
	return &profileBuilder{
		out: &profile.Profile{
			SampleType: []*profile.ValueType{{Type: "calls", Unit: "count"}, {Type: "rows", Unit: "count"},
				{Type: "time", Unit: "nanoseconds"}, {Type: "flop", Unit: "count"}, {Type: "bytes", Unit: "bytes"}},
			DefaultSampleType: "time",
			PeriodType:        &profile.ValueType{Type: "time", Unit: "nanoseconds"},
			Period:            1,
		},
		functions: map[[2]string]*profile.Function{}, locations: map[frameOfStack]*profile.Location{},
	}
}

// session adds the counts of one session.
func (b *profileBuilder) session(s *sessionProfile) {
	if b.out.TimeNanos == 0 {
		b.out.TimeNanos, b.out.DurationNanos = s.began.UnixNano(), time.Since(s.began).Nanoseconds()
	}
	b.mapping = &profile.Mapping{ID: uint64(len(b.out.Mapping) + 1), File: s.plan.prog.Name,
		HasFunctions: true, HasFilenames: true, HasLineNumbers: true}
	b.out.Mapping = append(b.out.Mapping, b.mapping)
	clear(b.locations) // they belong to a mapping
	b.samples = map[sampleKey]*profile.Sample{}
	b.paths = s.plan.findPaths(s.entries)
	for _, st := range s.plan.stages {
		b.stage(s, st)
	}
	for use, at := range s.plan.useSites() {
		if c := &s.products[use]; c.calls > 0 {
			b.add(sampleKey{"gradient of " + s.plan.prog.Variables[s.plan.uses[use].variable].Name, at.pos, at.stage, true}, &c.instrCount, c.cost)
		}
	}
}

// stage adds the instructions of a stage, and what the stage took beyond them.
func (b *profileBuilder) stage(s *sessionProfile, st *stage) {
	rest := [2]instrCount{s.counts.batches[0][st.id], s.counts.batches[1][st.id]}
	for _, q := range st.sequences() {
		if len(q.instrs) == 0 {
			continue
		}
		pass := 0
		if q.backward {
			pass = 1
		}
		counts := s.counts.code[&q.instrs[0]]
		if counts == nil {
			continue
		}
		for i := range q.instrs {
			leaves := q.instrs[i].leaves()
			for k := range leaves {
				in, n := &leaves[k], &counts[k]
				rest[pass].time -= n.time
				if n.calls > 0 {
					b.add(sampleKey{in.name(), in.pos(), st, q.backward}, n, s.plan.costOf(in).of(n))
				}
			}
			counts = counts[len(leaves):]
		}
	}
	for pass, n := range rest {
		if n.calls > 0 {
			n.time = max(n.time, 0)
			b.add(sampleKey{"[schedule]", graph.Pos{}, st, pass == 1}, &n, work{})
		}
	}
}

// add adds to a sample.
func (b *profileBuilder) add(k sampleKey, n *instrCount, w work) {
	q := b.samples[k]
	if q == nil {
		pass := "forward"
		if k.backward {
			pass = "backward"
		}
		q = &profile.Sample{Value: make([]int64, len(b.out.SampleType)),
			Label: map[string][]string{"pass": {pass}, "stage": {k.stage.name()}}}
		for _, f := range b.paths.stack(k.op, k.stage.sub, k.pos) {
			q.Location = append(q.Location, b.location(f))
		}
		b.samples[k] = q
		b.out.Sample = append(b.out.Sample, q)
	}
	for i, v := range []int64{n.calls, n.rows, n.time.Nanoseconds(), w.flops, w.bytes} {
		q.Value[i] += v
	}
}

func (b *profileBuilder) location(f frameOfStack) *profile.Location {
	if l := b.locations[f]; l != nil {
		return l
	}
	file, line := fileLine(f.pos)
	key := [2]string{f.function, file}
	fn := b.functions[key]
	if fn == nil {
		fn = &profile.Function{ID: uint64(len(b.out.Function) + 1), Name: f.function, SystemName: f.function, Filename: file}
		b.functions[key] = fn
		b.out.Function = append(b.out.Function, fn)
	}
	l := &profile.Location{ID: uint64(len(b.out.Location) + 1), Mapping: b.mapping, Line: []profile.Line{{Function: fn, Line: line}}}
	b.locations[f] = l
	b.out.Location = append(b.out.Location, l)
	return l
}

// sequence is code that is executed in a row.
type sequence struct {
	instrs   []instr
	backward bool
}

// sequences lists all code of the stage.
func (st *stage) sequences() []sequence {
	var all []sequence
	for _, code := range []*stageCode{st.infer, st.train} {
		all = append(all, sequence{code.instrs, false}, sequence{code.back, true})
		if s := code.share; s != nil {
			all = append(all, sequence{s.words, false}, sequence{s.floats, false})
		}
	}
	return all
}

// useSite is where a product with a variable is.
type useSite struct {
	stage *stage
	pos   graph.Pos
}

// useSites lists the products in the order of plan.uses.
func (p *plan) useSites() []useSite {
	sites := make([]useSite, len(p.uses))
	for _, st := range p.stages {
		for i := range st.train.back {
			if in := &st.train.back[i]; in.kind == doKeep {
				sites[in.index] = useSite{st, in.pos()}
			}
		}
	}
	return sites
}

// name says what the instruction does: the operator, or what is done for it.
func (in *instr) name() string {
	switch name, ok := instrNames[in.kind]; {
	case ok:
		return name
	case in.kind == doReserve:
		return "reserve rows"
	}
	return in.node.Op.Name()
}

// pos is where the operator was applied, unknown for what serves several.
func (in *instr) pos() graph.Pos {
	if in.node == nil {
		return graph.Pos{}
	}
	return in.node.Pos
}
