// Package recursion makes graphs invoke graphs, also themselves.
//
// # The one construct
//
// Everything dynamic is an [InvokeOp]: an operator whose node starts
// invocations of other graphs. [SubGraph.Invoke] starts one; [If] and [Switch]
// start one of several that a value selects; [Map] starts one per element of a
// list; [Fold] and [Loop] are subgraphs that invoke themselves in tail
// position. There is one execution path, one gradient rule and one batching
// rule for all of them. Nodes that do not depend on each other's results,
// invocations among them, run in any order and together.
//
// # Subgraphs
//
// A [SubGraph] has inputs and results that are structs of graph.Value, nested
// structs, arrays and slices of them, or a single Value. Declare gives the
// signature, Define the body; a body may invoke what is declared and not yet
// defined, so recursion may be mutual. Bodies may use values of the bodies that
// enclose them; such captured values are passed along by every invocation.
//
// # Gradients
//
// Invocations need no rule of their own: the cotangents of the results are
// handed to the callee, whose adjoint adds to the cotangents of the arguments.
// No gradient flows through the value that selects a branch.
//
// # Results beside the results
//
// [Loss] adds a scalar to the objective of the run, wherever in the recursion
// it is computed. [Collect] adds a row to a table of the run.
//
// # Errors and concurrency
//
// Mistakes are recorded in the module with the caller's position, as in package
// graph. Building belongs to one goroutine.
package recursion
