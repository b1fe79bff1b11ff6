package ops_test

import (
	"math/rand/v2"

	"github.com/frondml/frond/ops/optest"
)

// apart draws the second operand from values between those of the first, so
// that no small change makes the other one larger.
func apart(c *optest.Case) {
	c.Domain = func(i int, rng *rand.Rand) float64 { return float64(2*rng.IntN(8)+i)/4 - 2 }
}
