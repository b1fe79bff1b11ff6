// Package ops holds the operators, one file each: documentation with shapes,
// shape rule, gradient rule, batching rule (kernel) and reference semantics.
//
// # Shapes
//
// Functions give shapes as x [n d], w [d h] -> [n h]. Ranks are exact: no
// function reshapes silently. A value whose first extent is known only when the
// program runs is a list, written [? d]; its rows may lie anywhere in memory
// and each has a name, so picking elements of a list copies nothing.
//
// # Broadcasting
//
// Element-wise operators align shapes at the last axis. Two extents fit when
// they are equal or when one is 1 or missing; the result has the larger one.
//
//	[25 150] and [150] -> [25 150]
//	[25 150] and [25 1] -> [25 150]
//	[? 150]  and [150] -> [? 150]
//	[? 150]  and [? 1] -> [? 150]   lists of equal length
//	[? 150]  and []    -> [? 150]
//	[25]     and [25 150]           error: 25 is not 150
//
// An unknown extent fits only another unknown extent (whether the lengths agree
// is checked when the program runs) or a missing one. Gradients of broadcast
// operands are summed over the broadcast axes.
//
// # Batching
//
// The executor runs one operator for many frames at once. Every operator
// therefore supplies a [Lowering]: a kernel over N independent rows, a window
// into its input's row, a kernel over segments of a list, or a function on list
// handles. A kernel's result for a row must not depend, in any bit, on the
// other rows.
//
// # Reference semantics
//
// Eval computes the same operator on whole tensors in float64, naively. It is
// the oracle for kernels, and what gradient checks differentiate numerically.
//
// # Errors
//
// Building mistakes are recorded in the module (see package graph). Kernels
// report bad data, such as an index out of range, as a [*RowError].
package ops
