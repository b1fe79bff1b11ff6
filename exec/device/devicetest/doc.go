// Package devicetest is the conformance suite of devices: every implementation of
// device.Device must pass it.
//
// [Run] compares every method of a stream with loops in float64: for contiguous,
// strided, indexed and repeated rows behind offsets, for no rows, one and odd numbers
// of them, and for the words around a result, which must stay as they were. It checks
// that streams wait for events, that memory that is not there is device.ErrMemory, and
// that mistakes are errors.
//
// [Operators] runs every operator that touches floats, those of gradients among them,
// on random values and compares with the operator's batching rule executed in Go.
// Integers and truth values must be equal. [Chains] does the same for random chains of
// element-wise operators, whose operands are parts of the same rows.
//
// The suite measures nothing. A run is a few thousand small calls; Options.Small leaves
// out the larger shapes for devices that are interpreted.
package devicetest
