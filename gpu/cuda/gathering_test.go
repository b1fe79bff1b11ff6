package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// On an emulated device such products take too long to be computed.
func TestWorthGathering(t *testing.T) {
	require.True(t, worthGathering(256, 512, 512), "2^26 multiplications")
	require.False(t, worthGathering(255, 512, 512), "less work than a launch")
	require.False(t, worthGathering(1<<20, 511, 1<<10), "too few columns to pay for the copy")
	require.True(t, worthGathering(1<<31, 1<<31, 1<<31), "more than an int counts")
}
