package callkey_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/exec/internal/callkey"
)

func TestChildDependsOnEveryArgument(t *testing.T) {
	key := callkey.Child(1, 2, 3)
	assert.Equal(t, key, callkey.Child(1, 2, 3))
	assert.NotEqual(t, key, callkey.Child(2, 2, 3))
	assert.NotEqual(t, key, callkey.Child(1, 3, 3))
	assert.NotEqual(t, key, callkey.Child(1, 2, 4))
	assert.NotEqual(t, key, callkey.Child(1, 3, 2), "slot and element are not interchangeable")
}

// Executors on different machines must draw the same numbers.
func TestChildIsFixed(t *testing.T) {
	assert.Equal(t, []uint32{0xe220a839, 0x910a2dec}, []uint32{callkey.Child(0, 0, 0), callkey.Child(0, 1, 0)})
}

func TestElementsAreNoInvocations(t *testing.T) {
	assert.NotEqual(t, callkey.Element(5, 0), callkey.Element(5, 1))
	for slot := range 100 {
		assert.NotEqual(t, callkey.Element(5, 1), callkey.Child(5, slot, 1))
	}
}

func TestChildAvalanche(t *testing.T) {
	const trials = 2000
	flips := func(change func(parent uint32, slot, elem int) uint32) float64 {
		total := 0
		for i := range trials {
			parent, slot, elem := callkey.Child(7, i, 0), i%50, i%300
			total += bits.OnesCount32(callkey.Child(parent, slot, elem) ^ change(parent, slot, elem))
		}
		return float64(total) / (32 * trials)
	}
	for bit := range 32 {
		got := flips(func(p uint32, s, e int) uint32 { return callkey.Child(p^1<<bit, s, e) })
		assert.InDelta(t, 0.5, got, 0.02, "parent bit %d", bit)
	}
	for bit := range 8 {
		assert.InDelta(t, 0.5, flips(func(p uint32, s, e int) uint32 { return callkey.Child(p, s^1<<bit, e) }), 0.02, "slot bit %d", bit)
		assert.InDelta(t, 0.5, flips(func(p uint32, s, e int) uint32 { return callkey.Child(p, s, e^1<<bit) }), 0.02, "element bit %d", bit)
	}
}

// Different invocations of different frames get equal keys no more often than
// random numbers are equal: in n(n-1)/2 of 2^32 cases.
func TestChildCollisions(t *testing.T) {
	const parents, slots = 1 << 17, 4
	seen := map[uint32]bool{}
	for p := range uint32(parents) {
		for slot := range slots {
			seen[callkey.Child(p, slot, 0)] = true
		}
	}
	n := float64(parents * slots)
	expected := n * (n - 1) / (1 << 33)
	assert.InDelta(t, expected, n-float64(len(seen)), 5*math.Sqrt(expected))
}
