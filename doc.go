// Package frond is the front page of Frond, a library and runtime for deep
// learning on recursive structure: parse trees, program and JSON trees,
// expressions, molecules, DAGs. It holds no code; the example below is a whole
// model with its training.
//
// Build a program with packages graph (values, variables, modules), ops
// (operators) and recursion (subgraphs that invoke each other and themselves, If,
// Map, Fold, Loop). Run it with package exec, which executes all live invocations
// together, in batches and on all processors, and differentiates through them.
// Train it with package train. Package models holds networks of the literature,
// package data readers of treebanks; the program treelstm puts them together.
//
// A module belongs to one goroutine, a built program is immutable, and a session
// is safe for concurrent use. Mistakes are returned as errors that name the line
// of the caller, and errors of a running program name the path of invocations.
package frond
