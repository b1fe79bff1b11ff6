// Package report holds the results of the benchmarks and writes them as JSON, as
// Markdown and as a table for the terminal.
//
// It neither measures nor judges: what is in a [Report] was computed elsewhere.
//
// # Ownership, concurrency, errors
//
// A Report is a plain value without hidden state; nothing here keeps or changes it.
// Errors are those of the writers.
package report
