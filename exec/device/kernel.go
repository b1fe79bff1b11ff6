package device

import "github.com/frondml/frond/graph"

// Operator says what a kernel computes, as a node of a graph does. Its meaning is that of
// the batching rule which the operator's Lower returns for the types, ops.Lowering, for
// Segments that of Lowering.Segments and else that of Lowering.Rows.
type Operator struct {
	Op       graph.Op
	In       []graph.Type
	Out      graph.Type
	Segments bool
}

// Chain is a sequence of element-wise steps, of which each is executed for all rows
// before the next. A step may read what earlier ones wrote to the same row number, and
// nothing that any step writes to another: devices execute rows in any order.
type Chain struct {
	Operands int // of a call: Call.In
	Steps    []Step
}

// StepKind says what a step does with a row.
type StepKind uint8

// Kinds of steps.
const (
	Apply StepKind = iota // To = Op(From...), or To += Op(From...) if Add is set
	Copy                  // To = From[0], or To += From[0]
	Zero                  // To = 0, without Add; From does not count
)

// Step works on Size elements of every row. In a row, what it reads and what it writes
// are the same words or do not overlap; if Add is set they do not overlap.
type Step struct {
	Kind StepKind
	// Op is an operator of which Lower(In, Out).Elements has Map or Zip.
	Op   graph.Op
	In   []graph.Type
	Out  graph.Type
	Add  bool
	Size int
	// Operands by number. From[1] counts for operators of two operands only.
	To   int
	From [2]int
}

// Call is what a kernel works on.
type Call struct {
	N  int    // rows of the result; for Segments frames
	In []Rows // operands; those of integers have int32 or truth values (0 or 1)
	// Out are the rows of the result, without an index. A Chain writes to its operands
	// instead, which may have one: no two of the rows that a step writes overlap.
	Out Rows
	// Of Segments: N+1 offsets, and the number of rows of the lists. Input rows
	// Segments[i] up to Segments[i+1] of the lists belong to frame i.
	Segments Index
	Length   int
	// Of random choices: a key per row, as uint32, and the run's seed, 0 for none.
	Keys Index
	Seed uint64
}
