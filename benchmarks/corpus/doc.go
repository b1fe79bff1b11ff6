// Package corpus provides the labelled binary trees that benchmarks run on: those
// of the Stanford Sentiment Treebank where it is at hand, and generated ones of
// several shapes.
//
// It is not a reader of anybody's data; package data is. What it returns depends
// on its arguments only, so two programs that name the same corpus see the same
// trees.
//
// # Ownership, concurrency, errors
//
// Trees belong to the caller and share no memory. All functions may be called
// concurrently. Errors come from reading the treebank and name the file.
package corpus
