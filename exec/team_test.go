package exec

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTimeOfTheHelperCounts(t *testing.T) {
	const work = 2 * time.Millisecond
	tm := newTeam()
	tm.timed = true
	tm.task = func(*team) error { time.Sleep(work); return nil }
	tm.offer()
	for tm.state.Load() == taskOffered { // else the engine would take the task back
		time.Sleep(10 * time.Microsecond)
	}
	tm.finish()
	tm.stop()
	require.GreaterOrEqual(t, time.Duration(tm.busy.Load()), work)
}
