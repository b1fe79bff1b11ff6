// Package callkey names invocations by numbers that do not depend on the order
// in which they are executed.
//
// The key of an invocation follows from the key of the frame that makes it and
// from which of its invocations it is. Operators that need random numbers, such
// as dropout, draw them from the key, so that a run gives the same numbers in
// any schedule, in any batch and in the reference interpreter.
//
// Keys have 32 bits: two frames of a run may share one by chance, which is
// harmless for random numbers. They do not identify frames. The functions are
// pure; nothing fails.
package callkey

// Child returns the key of the invocation that element elem of invoking node
// number slot starts in a frame with key parent. Slots count the invoking nodes
// of a graph in node order; elem is 0 unless the node invokes once per element.
func Child(parent uint32, slot, elem int) uint32 {
	// The finaliser of splitmix64 (Steele, Lea and Flood 2014): every bit of the
	// input changes each bit of the result with probability one half.
	x := uint64(parent)<<32 | uint64(uint32(slot))
	x += (uint64(elem) + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return uint32((x ^ x>>31) >> 32)
}

// elementSlot is the slot of list elements, which no invoking node has.
const elementSlot = -1

// Element returns the key of element elem of a list that is computed, as a
// whole, in a frame with key parent.
func Element(parent uint32, elem int) uint32 { return Child(parent, elementSlot, elem) }
