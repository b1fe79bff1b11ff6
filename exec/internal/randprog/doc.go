// Package randprog generates random well-typed recursive programs, with which
// executors are compared.
//
// # Programs
//
// A [Program] follows from its seed alone. It has a graph called main and a few
// recursive functions, at module level and nested in bodies, whose bodies apply
// operators of every kind, invoke, branch on integers and on computed floats,
// map, fold and loop, capture values of enclosing bodies, share variables and
// hand inputs, constants and variables through. Recursion ends because every
// function has an integer, its fuel, that each invocation decreases.
//
// Floats stay within [-2, 2], integers within [0, 8) and lists below 8
// elements, so that nothing overflows and float32 suffices to tell a wrong
// result from a rounded one.
//
// # Decisions
//
// A program that jumps where two executions differ by a rounding cannot be
// compared. Every point where something jumps therefore has a margin, which a
// twin of the program, made from the same seed, collects: [Program.Probe] runs it
// in the reference interpreter. Thresholds of branches on computed floats are
// calibrated on sample inputs so that both sides are taken.
//
// # What it is not
//
// It does not run programs for comparison and makes no ill-typed programs. It cannot
// reduce a given program either, but makes smaller ones that begin alike.
//
// # Ownership, concurrency, errors
//
// Programs are immutable. New fails only when the generator itself is wrong: its
// programs must build.
package randprog
