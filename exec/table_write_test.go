package exec_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

var awkward = []float32{0.1, -0, 1e-45, math.MaxFloat32, 16777216, -123.5, 1e-5, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1. / 3, 100000}

func csvOf(t testing.TB, table *exec.Table) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, table.WriteCSV(&b))
	return b.String()
}

func jsonlOf(t testing.TB, table *exec.Table) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, table.WriteJSONL(&b))
	return b.String()
}

// What is written reads back as the same numbers, bit for bit.
func TestTablesReadBack(t *testing.T) {
	table := &exec.Table{Keys: []int32{-7, 2, 2}, Width: 4, Values: awkward}
	records, err := csv.NewReader(strings.NewReader(csvOf(t, table))).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, 4)
	assert.Equal(t, []string{"key", "0", "1", "2", "3"}, records[0])
	for i, x := range awkward {
		record := records[1+i/4]
		assert.Equal(t, strconv.Itoa(int(table.Keys[i/4])), record[0])
		got, err := strconv.ParseFloat(record[1+i%4], 32)
		require.NoError(t, err)
		assert.Equal(t, math.Float32bits(x), math.Float32bits(float32(got)), record[1+i%4])
	}

	lines := strings.Split(strings.TrimSuffix(jsonlOf(t, table), "\n"), "\n")
	require.Len(t, lines, 3)
	for i, line := range lines {
		var row struct {
			Key int32
			Row []*float32
		}
		require.NoError(t, json.Unmarshal([]byte(line), &row), line)
		assert.Equal(t, table.Keys[i], row.Key)
		require.Len(t, row.Row, 4)
		for k, x := range row.Row {
			want := awkward[4*i+k]
			if math.IsNaN(float64(want)) || math.IsInf(float64(want), 0) {
				assert.Nil(t, x)
				continue
			}
			require.NotNil(t, x)
			assert.Equal(t, math.Float32bits(want), math.Float32bits(*x))
		}
	}
}

func TestIntegerTables(t *testing.T) {
	table := &exec.Table{Keys: []int32{5, 6}, Width: 2, Ints: []int32{math.MinInt32, 0, 1, math.MaxInt32}}
	assert.Equal(t, "key,0,1\n5,-2147483648,0\n6,1,2147483647\n", csvOf(t, table))
	assert.Equal(t, `{"key":5,"row":[-2147483648,0]}`+"\n"+`{"key":6,"row":[1,2147483647]}`+"\n", jsonlOf(t, table))
	assert.Equal(t, "2 rows of i32[2], by key\n[[         5: -2147483648           0]\n [         6:           1  2147483647]]", table.Text())
}

// Runs that collect nothing have no table.
func TestNoTable(t *testing.T) {
	var none *exec.Table
	assert.Zero(t, none.Len())
	assert.Equal(t, "key\n", csvOf(t, none))
	assert.Empty(t, jsonlOf(t, none))
	assert.Equal(t, "no rows", none.Text())
}

func TestTablesThatDoNotFit(t *testing.T) {
	for _, table := range []*exec.Table{
		{Keys: []int32{1}, Width: 2, Values: []float32{1}},
		{Keys: []int32{1}, Width: -1},
		{Width: 1, Ints: []int32{1}},
	} {
		assert.ErrorIs(t, table.WriteCSV(&bytes.Buffer{}), exec.ErrInput)
		assert.ErrorIs(t, table.WriteJSONL(&bytes.Buffer{}), exec.ErrInput)
		assert.Contains(t, table.Text(), "elements, want")
	}
}

var errBroken = errors.New("broken pipe")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestTableWriterFails(t *testing.T) {
	table := &exec.Table{Keys: make([]int32, 1000), Width: 10, Values: make([]float32, 10000)}
	assert.ErrorIs(t, table.WriteCSV(brokenWriter{}), errBroken)
	assert.ErrorIs(t, table.WriteJSONL(brokenWriter{}), errBroken)
}

// The tables of a run: i and i/4 for i from 0 to n-1.
func TestTablesOfRuns(t *testing.T) {
	m := graph.NewModule("tables")
	main := recursion.Declare(m, "main", graph.I32(), graph.I32())
	main.Define(func(n graph.Value) graph.Value {
		recursion.Map(ops.Range(n), func(i graph.Value) graph.Value {
			recursion.Collect("quarters", i, ops.MulScalar(ops.Cast(i, graph.Float32), 0.25))
			return i
		})
		return n
	})
	p, err := m.Build()
	require.NoError(t, err)
	s, err := exec.New(p, exec.Options{})
	require.NoError(t, err)
	defer s.Close()
	r, err := s.Run(t.Context(), main.Graph(), [][]exec.Array{{{I: []int32{3}}}, {{I: []int32{0}}}})
	require.NoError(t, err)
	table := r.Tables[0]["quarters"]
	assert.Equal(t, "key,0\n0,0\n1,0.25\n2,0.5\n", csvOf(t, table))
	assert.Equal(t, "3 rows of f32[1], by key\n[[  0:    0]\n [  1: 0.25]\n [  2:  0.5]]", table.Text())
	assert.Zero(t, r.Tables[1]["quarters"].Len())
}

func TestArrayText(t *testing.T) {
	for _, c := range []struct {
		a    exec.Array
		want string
	}{
		{exec.Array{F: []float32{1. / 3}}, "f32 0.3333"},
		{exec.Array{I: []int32{7}}, "i32 7"},
		{exec.Array{Shape: []int{0}, F: []float32{}}, "f32[0]\n[]"},
		{exec.Array{Shape: []int{2, 2}, F: []float32{1, -2.5, 1e-7, float32(math.NaN())}}, "f32[2 2]\n[[    1  -2.5]\n [1e-07   NaN]]"},
		{exec.Array{Shape: []int{2000}, I: make([]int32, 2000)}, "i32[2000]\n[0 0 0 ... 0 0 0]"},
		{exec.Array{Shape: []int{3}, F: []float32{1}}, "f32[3] with 1 elements in place of 3"},
	} {
		assert.Equal(t, c.want, c.a.Text())
	}
}
