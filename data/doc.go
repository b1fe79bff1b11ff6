// Package data reads, builds and writes labelled trees for recursive models.
//
// It covers these sources:
//
//   - bracketed treebanks in the style of the Penn Treebank, the Stanford Sentiment
//     Treebank among them: [PTBReader];
//   - the same as parent pointers, which is how that treebank was published:
//     [PhraseReader];
//   - dependency trees, as parent pointers (the SICK files of the TreeLSTM paper:
//     [SICKReader]) or in CoNLL-U (Universal Dependencies: [CoNLLUReader]);
//   - expressions whose answers the readers compute again: ListOps, read or generated
//     from a seed ([ListOpsReader], [ListOpsTextReader], [GenerateListOps]), arithmetic ([ArithmeticReader]),
//     and pairs of statements of propositional logic ([LogicReader], [GenerateLogic]);
//   - pairs of sentences of the SNLI corpus with their binary parses: [SNLIReader];
//   - any JSON, one document or one line after the other: [JSONReader], and [JSONIDs]
//     for the nodes;
//   - the syntax of Go programs, a tree per function or file: [GoTrees], [ParseGo];
//   - trees that a program makes itself with a [Builder].
//
// A [Vocabulary] turns their words into dense ids, and [ReadEmbedding] gives these ids
// initial vectors from the files of GloVe, word2vec and fastText.
//
// # What it is not
//
// The package holds no tensors, makes no mini-batches and fetches nothing from
// anywhere. It is not a general S-expression reader either: a bracket holds an
// optional label, then one token or subtrees.
//
// # Trees
//
// A [Tree] is a set of arrays with one entry per node, in post-order: children
// come before their parent, every subtree is a contiguous range, the root is the
// last node. No function here recurses, so the depth of a tree costs memory and
// never stack; only Go source goes through go/parser and go/ast, which recurse, and
// the parser refuses what nests more than 100,000 levels.
//
// # Streams and limits
//
// Readers of trees work on an io.Reader and hold one tree, or one line, at a time;
// [GoTrees] holds one file. What it may take is bounded: by options for brackets, JSON
// and Go, and by [MaxLineBytes] for formats that go by lines. Exceeding a limit is an
// error that wraps [ErrLimit].
//
// # Errors
//
// Malformed input gives a [*SyntaxError]: file, line and column, what was expected
// there and what was found. It wraps [ErrSyntax]. A reader goes on behind the
// broken part, so a caller may stop at the first error, collect all of them, or
// skip and count ([Collect]). Errors of the underlying io.Reader end the stream. Nothing
// panics on account of its input.
//
// # Ownership and concurrency
//
// A returned tree belongs to the caller and shares no memory with its reader. A
// reader or builder is for one goroutine; trees and vocabularies may be shared as
// long as nobody changes them.
package data
