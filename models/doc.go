// Package models holds recursive networks, written the way Frond means them to be
// written: a model is a graph that invokes itself along the structure of its input.
//
// # Models
//
//   - [NewTreeRNN], [NewRNTN], [NewMVRNN] and [NewTreeLSTM] classify every node of
//     binary trees. They differ in a [Cell] alone; [Classify] is the recursion around
//     it. [NewAttentiveTreeLSTM] classifies trees by looking at all of their nodes.
//   - [NewNaryTreeLSTM] and [NewTreeGRU] classify the nodes of trees of any arity, by a
//     [NodeCell] each; [ClassifyTree] is the recursion around it. [NewChildSum]
//     compares two sentences by such trees.
//   - [NewLSTM] and [NewGRU] run along a sequence, written as a recursion.
//   - [NewSPINN] parses while it reads, [NewTDTreeLSTM] scores and grows dependency
//     trees, [NewTreeToSequence] turns trees into sequences.
//   - [NewTopDown] grows a tree whose shape depends on the numbers it computes.
//   - [NewDAG] evaluates expressions with shared parts, unfolded or each part once.
//
// What they are made of is there for other models: [Linear], [Gate], [Embedding],
// [Attention], [Dropout], and a cell for each kind of recurrent unit. docs/models.md
// compares the models.
//
// # Conventions
//
// A matrix W is [out in] and y = W x + b. Gates that are computed together are
// consecutive blocks of the result, in the order in which the documentation lists
// them. Variables have the names that the documentation gives them, so a module
// holds at most one model of this package. σ is the logistic function, ⊙ the product
// of elements, [a b] concatenation.
//
// # Inputs
//
// Trees are lists of integers, [?] each, with an entry per node and children before
// their parents; the root is the last node. The structs of this package name them as
// plain Go structs of slices do, so they can be fed by name. A negative label says that
// there is none: that node has no part in the loss.
//
// # Losses
//
// A model adds its losses to the objective of the run wherever they arise, with
// recursion.Loss. Its results are what one wants from it otherwise.
//
// # What it is not, ownership, errors
//
// The package neither executes nor trains anything and holds no state. A constructor
// adds variables and graphs to the caller's module. Mistakes, such as an impossible
// size, are reported by graph.Module.Build.
package models
