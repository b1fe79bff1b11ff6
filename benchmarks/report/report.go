package report

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/frondml/frond/benchmarks/measure"
)

// Report is what a run of the benchmarks found.
type Report struct {
	Machine Machine
	Started time.Time
	Took    time.Duration // in JSON in nanoseconds
	Command string
	Notes   []string // on contenders: versions of libraries, or why one did not take part
	Races   []Race
	Kernels []Kernel
	// Measurements are of what did not race.
	Measurements []Measurement
	Figures      []Figure
}

// Note adds notes and prints them.
func (r *Report) Note(w io.Writer, notes ...string) error {
	for _, n := range notes {
		r.Notes = append(r.Notes, n)
		if _, err := fmt.Fprintln(w, n); err != nil {
			return err
		}
	}
	return nil
}

// Measurement is a single quantity.
type Measurement struct {
	Name  string
	Unit  string
	Value measure.Spread
	Note  string // what to compare it with
}

// Machine says where the benchmarks ran.
type Machine struct {
	CPU     string
	CPUs    int
	OS      string
	Arch    string
	Go      string
	Commit  string  // of the working tree, "+" if it was changed; "" if unknown
	Load    string  // average load before and after the run; "" if unknown
	PeakGFs float64 // of fused multiply-adds on one core, 10⁹ operations per second
}

// Race is one setting in which contenders were timed.
type Race struct {
	Field         string // of contenders; "" for the ways to execute with this library
	Model         string
	Mode          string // "infer" or "train"
	Trees         string
	Batch         int
	Workers       int
	Embed, Hidden int
	Sentences     int     // per sample
	Nodes         int     // per sample
	GFLOP         float64 // per sample, of the products of the model
	Clock         string  // "cpu" or "wall"
	Results       []Result
}

// Result is how a contender did in a race. The first contender is the one that
// others are compared with.
type Result struct {
	Contender string
	Rounds    int
	PerSecond measure.Spread // sentences
	Ratio     measure.Spread // speed relative to the first contender, of paired rounds
	// WallPerSecond is the median of the rate by the wall clock.
	WallPerSecond float64
	// Cores is the median of processor time by time: how many processors were at
	// work. Less than there are workers means that others had them.
	Cores          float64
	MallocsPerNode float64   // median
	Elsewhere      bool      // in a process of its own, whose allocations are not known
	Seconds        []float64 // by the clock of the race, per round
}

// mallocs is the text of MallocsPerNode.
func (r *Result) mallocs() string {
	if r.Elsewhere {
		return "-"
	}
	return fmt.Sprintf("%.3f", r.MallocsPerNode)
}

// Find returns the result of a contender, nil if it did not take part.
func (r *Race) Find(contender string) *Result {
	for i := range r.Results {
		if r.Results[i].Contender == contender {
			return &r.Results[i]
		}
	}
	return nil
}

// Kernel is the speed of a matrix product [Rows Depth]·[Depth Columns] on one core.
type Kernel struct {
	Name                 string
	Rows, Depth, Columns int
	GFLOPS               measure.Spread
	OfPeak               float64 // median, as a part of Machine.PeakGFs
}

// Figure is a claim with what it takes for it to hold.
type Figure struct {
	Claim    string
	Where    string   // the setting with the least value
	Least    float64  // what is required
	Most     bool     // Least is the most that is allowed instead
	Measured *float64 // the least value found, nil if nothing was measured
}

// Met reports whether the claim holds; something that was not measured does not.
func (f *Figure) Met() bool {
	switch {
	case f.Measured == nil:
		return false
	case f.Most:
		return *f.Measured <= f.Least
	}
	return *f.Measured >= f.Least
}

// WriteJSON writes the report, indented.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// ReadJSON reads what WriteJSON wrote.
func ReadJSON(rd io.Reader) (*Report, error) {
	r := new(Report)
	return r, json.NewDecoder(rd).Decode(r)
}
