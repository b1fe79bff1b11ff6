package ndtext

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func index(i int) (string, error) { return strconv.Itoa(i), nil }

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		shape []int
		want  string
	}{
		{nil, "0"},
		{[]int{0}, "[]"},
		{[]int{3, 0, 2}, "[]"},
		{[]int{4}, "[0 1 2 3]"},
		{[]int{2, 6}, "[[ 0  1  2  3  4  5]\n [ 6  7  8  9 10 11]]"},
		{[]int{2, 1, 2}, "[[[0 1]]\n\n [[2 3]]]"},
		{[]int{1, 1, 1, 1}, "[[[[0]]]]"},
		{[]int{1001}, "[   0    1    2 ...  998  999 1000]"},
		{[]int{1000, 2}, "[[   0    1]\n [   2    3]\n [   4    5]\n ...\n [1994 1995]\n [1996 1997]\n [1998 1999]]"},
		{[]int{7, 1000}, "[[   0    1    2 ...  997  998  999]\n [1000 1001 1002 ... 1997 1998 1999]\n [2000 2001 2002 ... 2997 2998 2999]\n ...\n" +
			" [4000 4001 4002 ... 4997 4998 4999]\n [5000 5001 5002 ... 5997 5998 5999]\n [6000 6001 6002 ... 6997 6998 6999]]"},
	} {
		got, err := Format(c.shape, index)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "%v", c.shape)
	}
}

// Long rows are broken where the window of a person ends.
func TestLongRows(t *testing.T) {
	got, err := Format([]int{100}, index)
	require.NoError(t, err)
	for line := range strings.Lines(got) {
		assert.LessOrEqual(t, len(line), columns+1)
	}
	assert.Equal(t, 4, strings.Count(got, "\n")+1)
	assert.Len(t, strings.Fields(strings.Trim(got, "[]")), 100)
}

// However many elements there are, few are asked for and printed.
func TestLargeTensors(t *testing.T) {
	for _, shape := range [][]int{{1 << 60}, {1 << 20, 1 << 20, 1 << 20}, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}} {
		asked := 0
		got, err := Format(shape, func(i int) (string, error) { asked++; return index(i) })
		require.NoError(t, err)
		assert.LessOrEqual(t, asked, most, "%v", shape)
		assert.Less(t, len(got), 100_000, "%v", shape)
		assert.Contains(t, got, omitted)
		assert.Equal(t, strings.Count(got, "["), strings.Count(got, "]"))
	}
}

func TestErrorsEndTheWork(t *testing.T) {
	broken := errors.New("broken disk")
	asked := 0
	_, err := Format([]int{5}, func(int) (string, error) { asked++; return "", broken })
	assert.ErrorIs(t, err, broken)
	assert.Equal(t, 1, asked)
}
