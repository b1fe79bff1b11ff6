// Package optest is the conformance suite of operators: every operator of
// package ops, and every operator added to it, must pass it.
//
// A [Case] wraps one use of an operator, or of a composition of operators, in a
// graph whose parameters are the operator's inputs. [Run] then checks that
//
//   - Eval accepts the inputs and returns what Infer promised;
//   - the gradient rules agree with central differences in float64, element by
//     element and along a random direction, for random cotangents;
//   - every node, forward and adjoint, has a batching rule that agrees with Eval
//     in batches of 1, 2, 3 and 7 frames, for contiguous, strided, indexed and
//     shared operands and for ragged lists, that gives a row the same bits in
//     any batch, and that writes its rows, all of them and nothing else, without
//     allocating;
//   - the registry reproduces the operator from its attributes.
//
// Operators of other modules are checked in the same way: a case names what makes
// them in Case.Registry.
//
// [Check] and [CheckGradient] return what [Run] reports, so that the suite can be
// tested on operators that are known to be wrong.
//
// The package also has a small evaluator in float64, [Eval] and [Grad]. It knows
// neither variables nor invocations: it is not the interpreter of programs, only
// as much of one as operators need.
//
// Inputs are random but depend only on the name of the case. Nothing in the
// package is safe for concurrent use with the same Case. Errors name the node,
// the batch and the layout of the operands that failed.
package optest
