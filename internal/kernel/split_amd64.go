//go:build !noasm

package kernel

// callElements is how many elements one call of a vector kernel works on: with
// five streams from cold memory that stays within some tens of microseconds.
const callElements = 8 << 10
