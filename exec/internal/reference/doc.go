// Package reference is the reference interpreter of programs: what a program
// means, written down as naively as possible. Every scheduler, batching policy,
// kernel and device must agree with it.
//
// # Semantics
//
// A frame is one invocation of a graph. Its nodes are evaluated in order, each
// by its operator's Eval on whole tensors; a list is a tensor whose first extent
// is its length. A node that invokes graphs runs the frames of its callees to
// their end, one after the other, before the next node. Gradients are computed
// by walking the frames in reverse order of execution and evaluating the steps
// of their graphs' adjoints.
//
// Numbers are float64. With [Options.Float32] every result is rounded to
// float32 after each operator, which bounds what a correct execution in float32
// can lose.
//
// # What it is not
//
// It is not fast, it does not batch, and it keeps every value of every frame
// when gradients are asked for. It never uses the Go stack for invocations, so
// the depth of a recursion is limited by memory and [Options.MaxDepth] alone.
//
// # Ownership and concurrency
//
// Programs are only read, and inputs are neither changed nor kept, but results
// may share memory with inputs and with each other. Runs are independent and may
// be concurrent.
//
// # Errors
//
// Run returns a [*RunError], which wraps the cause ([ops.ErrIndex], [ErrDepth],
// a context's error, ...) and tells the path of calls and the position of the
// node.
package reference
