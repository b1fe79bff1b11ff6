package exec

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// stageCode is the compiled form of a stage, for inference or for training.
type stageCode struct {
	loads  []load  // frame words into registers
	instrs []instr // forward
	stores []store // values that later stages of the frame read
	calls  []callCode
	outs   []wordSource // results, for the return stage

	regs    int // number of registers
	buffers []buffer
	spaces  []space
	own     []ownRows // rows that each batch appends to stores
	check   bool      // some instruction can fail

	// Training: the registers that backward reads are kept on the tape.
	tape  []int
	back  []instr
	share *sharing // nil when frames are not compared
	// slots is the memory behind the buffers.
	slots []slot
}

type load struct{ reg, offset int }

type store struct {
	src    wordSource
	offset int
}

// callCode is how a stage starts the invocations of one call site.
type callCode struct {
	site     *callSite
	selector wordSource
	args     []wordSource
}

// wordSource is where a word comes from.
type wordSource struct {
	kind  sourceKind
	index int // register, frame offset or the word itself
}

type sourceKind uint8

const (
	fromReg sourceKind = iota
	fromFrame
	fromConst
)

// space is a set of rows: space 0 has one row per frame; the others one row per
// element of the list whose handles are in a register.
type space struct{ reg int }

const frameSpace = 0

// buffer is temporary memory for the rows of one batch.
type buffer struct {
	size  int // elements per row
	ints  bool
	space int
	slot  int
}

// slot is memory that buffers share one after the other.
type slot struct {
	size  int // elements per row
	ints  bool
	space int
	free  bool
}

// ownRows are the rows that a batch appends to a store.
type ownRows struct {
	store int
	space int
}

// operandKind says where the rows of an operand lie.
type operandKind uint8

const (
	nowhere       operandKind = iota
	inReg                     // an integer per row, in a register
	inFlat                    // an integer per list element: the list's words
	inBuffer                  // temporary memory
	inOwn                     // rows of this batch in a store
	inStore                   // named rows: names in a register
	inStoreFlat               // named rows: names are the words of a list
	inGlobal                  // a constant or variable, the same for all rows
	inTable                   // rows of a constant or variable, chosen by a register
	inTableFlat               // the same, chosen by the words of a list
	inTableBuffer             // the same, chosen by integers in temporary memory
	inOwnAdj                  // adjoints of rows of this batch
	inStoreAdj                // adjoints of named rows
	inStoreFlatAdj
	inUse  // adjoint of a product with a variable, kept until the step's end
	inTemp // temporary memory of a device, for one phase
)

// operand is a value as an instruction sees it.
type operand struct {
	kind   operandKind
	index  int // register, buffer, own, use: by kind
	store  int // store of named rows
	global graph.Value
	offset int  // elements from the row's start
	stride int  // elements between rows of a table
	space  int  // of the operand's rows
	expand bool // rows are per frame, the instruction's per list element
}

type instrKind uint8

const (
	doRows       instrKind = iota // a kernel over rows
	doSegments                    // a kernel over the segments of a space
	doNames                       // a function on words
	doGemm                        // rows times a matrix that all rows share
	doReserve                     // append own rows to their store
	doIota                        // names of own rows into a register
	doListNames                   // lists of the names of own rows into a register
	doConst                       // a constant word into a register
	doFlatten                     // rows of a space and their offsets from list handles
	doSameLength                  // check that two spaces have equal lists
	doBounds                      // check integers against a bound
	doCopy
	doAdd
	doZero
	doLoss
	doCollect
	doScatter    // add rows to named rows (adjoints)
	doScatterAt  // add rows at a computed offset
	doSumRows    // add all rows to a variable's gradient
	doSparseRows // add rows to rows of a variable's gradient
	doKeep       // note rows for the gradient of a product
	doAdvance    // the rows of dY of this batch are complete
	doFused      // several of doRows, doCopy, doAdd, doZero and doScatter, element by element
)

// instr is one step of a stage's code, executed for all rows of a batch.
type instr struct {
	kind     instrKind
	space    int
	node     *graph.Node // what it computes, for messages and statistics
	run      func(*ops.Batch) error
	names    func(*ops.Words) error
	in       []operand
	out      operand
	size     int // elements per row of out
	index    int // own, use, variable, bound, table: by kind
	bias     graph.Value
	reps     int // doGemm, doKeep: rows of the matrix per row of the operand
	width    int // doScatterAt: elements between the places
	keys     int // register with the frames' keys, -1
	operator int // in plan.operators

	elem   *ops.Elements // of an element-wise doRows
	add    bool          // doRows, doGemm: add to out
	floats bool          // doCopy: of floats

	parts  []instr // doFused
	chunk  int     // doFused: rows at a time
	splits bool    // doFused: rows may be executed at the same time
	work   int     // doFused: elements per row, over all instructions
	// In a part of doFused: what is applied to a row, and which of the operands of
	// the whole it reads and writes.
	mapRow func(dst, x []float32)
	zipRow func(dst, x, y []float32)
	from   [2]int
	to     int
}
