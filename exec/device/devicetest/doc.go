// Package devicetest is the conformance suite of devices: every implementation of
// device.Device must pass it.
//
// [Run] compares every method of a stream with loops in float64: for contiguous,
// strided, indexed and repeated rows behind offsets, for no rows, one and odd numbers
// of them, and for the words around a result, which must stay as they were. It checks
// that streams wait for events, that memory that is not there is device.ErrMemory, and
// that mistakes are errors.
//
// The suite measures nothing. A run is a few thousand small calls; Options.Small leaves
// out the larger shapes for devices that are interpreted.
package devicetest
