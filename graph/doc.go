// Package graph is the intermediate representation of Frond: dataflow graphs
// whose nodes apply operators to values, gathered in a module, checked and
// frozen into a program.
//
// # Building
//
// A [Module] collects variables and graphs. Operators are applied by the
// functions of package ops and the control constructs by those of package
// recursion; both end in [Apply]. A graph is declared with a signature before
// it is defined, so that bodies may invoke graphs that have no body yet. A body
// may use any value of an enclosing body; [Module.Build] turns such captured
// values into parameters that invocations pass along.
//
// # Errors
//
// Building never panics on a user's mistake and no operator returns an error.
// A mistake is recorded with the position of the caller's line, the result is
// a poisoned [Value] that silences follow-up mistakes, and Build returns every
// recorded mistake joined. The sentinels ([ErrShape], [ErrDType], ...) work
// with errors.Is. What panics in a shape rule or a gradient rule is such a
// mistake; what panics in a body is the body's affair.
//
// A mistake is recorded in the module of the body in which it is made, also when
// its operands belong to another module or, as the zero Value, to none. Outside
// of bodies such operands name no module; then nothing is recorded until a body
// uses the result.
//
// # Identity, ownership, concurrency
//
// Nodes, variables and graphs are identified by pointer, never by name. A
// Module belongs to one goroutine. A [Program] is immutable and may be shared.
//
// # Gradients
//
// [Differentiate] builds, for one graph, the adjoint graph by reverse
// accumulation over the gradient rules of its operators. Invocations have no
// rule: whoever executes the program hands their cotangents to the callee.
//
// # What it is not
//
// The package neither executes anything nor knows any operator besides
// constants, variables, parameters and cotangents.
package graph
