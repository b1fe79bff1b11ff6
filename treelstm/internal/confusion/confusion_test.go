package confusion_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/treelstm/internal/confusion"
)

func example() *confusion.Table {
	var t confusion.Table
	for _, a := range [][2]int32{{0, 0}, {0, 0}, {0, 2}, {1, 1}, {1, 0}, {1, 0}, {2, 2}, {2, 2}, {2, 2}, {2, 1}} {
		t.Add(a[0], a[1])
	}
	return &t
}

func TestClasses(t *testing.T) {
	table := example()
	assert.Equal(t, 2, table.Count(1, 0))
	assert.Zero(t, table.Count(2, 0))
	classes := table.Classes()
	assert.Equal(t, []confusion.Class{{0, 2, 3, 4}, {1, 1, 3, 2}, {2, 3, 4, 4}}, classes)
	assert.InDelta(t, 2.0/4, classes[0].Precision(), 1e-12)
	assert.InDelta(t, 2.0/3, classes[0].Recall(), 1e-12)
	assert.InDelta(t, 2*(0.5*2/3)/(0.5+2.0/3), classes[0].F1(), 1e-12)
	assert.Equal(t, []confusion.Pair{{1, 0}, {0, 2}, {2, 1}}, table.Errors())
}

func TestClassThatIsNeverRightOrNeverPredicted(t *testing.T) {
	var table confusion.Table
	table.Add(3, 7)
	classes := table.Classes()
	assert.Equal(t, []confusion.Class{{3, 0, 1, 0}, {7, 0, 0, 1}}, classes)
	assert.Zero(t, classes[0].Precision()+classes[0].Recall()+classes[0].F1()+classes[1].Recall())
}

func TestText(t *testing.T) {
	var b strings.Builder
	require.NoError(t, example().WriteText(&b))
	assert.Equal(t, `  label\predicted  0  1  2  precision  recall     F1
                0  2  0  1      50.0%   66.7%  57.1%
                1  2  1  0      50.0%   33.3%  40.0%
                2  0  1  3      75.0%   75.0%  75.0%
`, b.String())
}

// A table of all pairs of many classes would fill the screen, and the memory.
func TestManyClasses(t *testing.T) {
	var table confusion.Table
	for class := range int32(60000) {
		table.Add(class, (class+1)%60000)
	}
	table.Add(5, 6)
	var b strings.Builder
	require.NoError(t, table.WriteText(&b))
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	assert.Len(t, lines, 21)
	assert.Equal(t, []string{"5", "6", "2"}, strings.Fields(lines[1]))
}

func TestLostOutput(t *testing.T) {
	w, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	assert.True(t, errors.Is(example().WriteText(w), os.ErrClosed))
}
