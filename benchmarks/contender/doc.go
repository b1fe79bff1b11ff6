// Package contender holds programs that compute the same binary Tree-LSTM in
// different ways, behind one interface, so that they can be raced.
//
// It is not a race; package measure is. All contenders of a race start from the
// parameters that a [Setting] determines and must report equal losses for equal
// mini-batches, which [Agree] checks.
//
// # Ownership, concurrency, errors
//
// A contender owns its parameters and is for one goroutine; a [Batch] is read only
// and may be shared. Errors are those of the runtime, with the contender's name.
package contender
