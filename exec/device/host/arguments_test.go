package host_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// bench has a buffer of 100 floats and lists of integers.
type bench struct {
	device.Stream
	x           device.Buffer
	wrong, good device.Index // the third row of wrong is -1
}

func newBench(t *testing.T) (*host.Device, *bench) {
	t.Helper()
	d := host.New(host.Options{})
	s := stream(t, d)
	b := &bench{Stream: s, x: alloc(t, s, 100)}
	for i, list := range [][]int32{{0, 1, -1, 3}, {0, 1, 2, 3}} {
		buffer := alloc(t, s, len(list))
		require.NoError(t, s.UploadInts(buffer, 0, list))
		*[]*device.Index{&b.wrong, &b.good}[i] = device.Index{Buffer: buffer}
	}
	return d, b
}

func (b *bench) rows(stride int) device.Rows { return device.Rows{Buffer: b.x, Stride: stride} }

func (b *bench) matrix(rows, columns int) device.Matrix {
	return device.Matrix{Buffer: b.x, Rows: rows, Columns: columns, Stride: columns}
}

func TestWrongCallsAreErrors(t *testing.T) {
	d, b := newBench(t)
	sum := device.Operator{Op: operator(t, "neg"), In: []graph.Type{vector(5)}, Out: vector(5)}
	kernel, err := d.Compile(sum)
	require.NoError(t, err)
	good := device.Call{N: 4, In: []device.Rows{b.rows(5)}, Out: device.Rows{Buffer: b.x, Offset: 50, Stride: 5}}
	require.NoError(t, b.Launch(kernel, &good))
	for what, change := range map[string]func(c *device.Call){
		"no operand":       func(c *device.Call) { c.In = nil },
		"negative rows":    func(c *device.Call) { c.N = -1 },
		"too many rows":    func(c *device.Call) { c.N = 21 },
		"wide stride":      func(c *device.Call) { c.In = []device.Rows{b.rows(40)} },
		"immense stride":   func(c *device.Call) { c.In = []device.Rows{b.rows(math.MaxInt)} },
		"negative stride":  func(c *device.Call) { c.In = []device.Rows{b.rows(-1)} },
		"negative index":   func(c *device.Call) { c.In = []device.Rows{{Buffer: b.x, Stride: 5, Index: b.wrong}} },
		"short index":      func(c *device.Call) { c.N = 5; c.In = []device.Rows{{Buffer: b.x, Stride: 5, Index: b.good}} },
		"offset":           func(c *device.Call) { c.Out.Offset = 90 },
		"negative offset":  func(c *device.Call) { c.Out.Offset = -1 },
		"result by index":  func(c *device.Call) { c.Out.Index = b.good },
		"results overlap":  func(c *device.Call) { c.Out.Stride = 4 },
		"no result":        func(c *device.Call) { c.Out.Buffer = nil },
		"offset overflows": func(c *device.Call) { c.Out.Offset = math.MaxInt },
	} {
		c := good
		change(&c)
		assert.ErrorIs(t, b.Launch(kernel, &c), host.ErrArgument, what)
	}
	assert.ErrorIs(t, b.Launch(kernel, nil), host.ErrArgument)
}

func TestWrongListsAreErrors(t *testing.T) {
	d, b := newBench(t)
	list := graph.T(graph.Float32, graph.Any, 5)
	op, err := ops.Registry()["sum"]([]graph.Attr{{Key: "axes", Value: []int{0}}, {Key: "keep", Value: false}})
	require.NoError(t, err)
	kernel, err := d.Compile(device.Operator{Op: op, In: []graph.Type{list}, Out: vector(5), Segments: true})
	require.NoError(t, err)
	good := device.Call{N: 3, In: []device.Rows{b.rows(5)}, Out: device.Rows{Buffer: b.x, Offset: 50, Stride: 5}, Segments: b.good, Length: 3}
	require.NoError(t, b.Launch(kernel, &good))
	for what, change := range map[string]func(c *device.Call){
		"segments beyond the rows": func(c *device.Call) { c.Length = 2 },
		"segments that decrease":   func(c *device.Call) { c.Segments = b.wrong },
		"too few segments":         func(c *device.Call) { c.N = 4 },
		"no segments":              func(c *device.Call) { c.Segments = device.Index{} },
		"negative length":          func(c *device.Call) { c.Length = -1 },
	} {
		c := good
		change(&c)
		assert.ErrorIs(t, b.Launch(kernel, &c), host.ErrArgument, what)
	}
	dropout, err := d.Compile(device.Operator{Op: ops.DropoutOp{Rate: 0.5}, In: []graph.Type{vector(5)}, Out: vector(5)})
	require.NoError(t, err)
	good.Segments, good.Length, good.Seed = device.Index{}, 0, 7
	assert.ErrorIs(t, b.Launch(dropout, &good), host.ErrArgument, "a seed without keys")
	good.Keys = device.Index{Buffer: b.good.Buffer, Offset: 2}
	assert.ErrorIs(t, b.Launch(dropout, &good), host.ErrArgument, "two keys for three rows")
}

func TestRowErrorsOfKernels(t *testing.T) {
	d, b := newBench(t)
	scalar := graph.T(graph.Int32)
	kernel, err := d.Compile(device.Operator{Op: operator(t, "at"), In: []graph.Type{vector(3), scalar}, Out: graph.T(graph.Float32)})
	require.NoError(t, err)
	c := device.Call{N: 4, In: []device.Rows{b.rows(3), {Buffer: b.good.Buffer, Stride: 1}}, Out: device.Rows{Buffer: b.x, Offset: 50, Stride: 1}}
	err = b.Launch(kernel, &c)
	require.ErrorIs(t, err, ops.ErrIndex)
	var row *ops.RowError
	require.ErrorAs(t, err, &row)
	assert.Equal(t, 3, row.Row)
}

func TestWrongChainsAreErrors(t *testing.T) {
	d, b := newBench(t)
	for what, step := range map[string]device.Step{
		"operand beyond the last": {Kind: device.Copy, Size: 1, To: 2},
		"negative operand":        {Kind: device.Copy, Size: 1, From: [2]int{-1}},
		"negative size":           {Kind: device.Zero, Size: -1},
		"zero to be added":        {Kind: device.Zero, Size: 1, Add: true},
		"no operator":             {Kind: device.Apply, Size: 1},
		"unknown kind":            {Kind: 9, Size: 1},
	} {
		_, err := d.Fuse(device.Chain{Operands: 2, Steps: []device.Step{step}})
		assert.ErrorIs(t, err, host.ErrArgument, what)
	}
	kernel, err := d.Fuse(device.Chain{Operands: 2, Steps: []device.Step{{Kind: device.Copy, Size: 5, To: 1}}})
	require.NoError(t, err)
	require.NoError(t, b.Launch(kernel, &device.Call{N: 3, In: []device.Rows{b.rows(0), {Buffer: b.x, Offset: 20, Stride: 5}}}))
	for what, in := range map[string][]device.Rows{
		"one operand":      {b.rows(5)},
		"all to one row":   {b.rows(5), b.rows(0)},
		"beyond the end":   {b.rows(5), {Buffer: b.x, Offset: 86, Stride: 5}},
		"no operand there": {b.rows(5), {}},
	} {
		assert.ErrorIs(t, b.Launch(kernel, &device.Call{N: 3, In: in}), host.ErrArgument, what)
	}
}

func TestWrongProductsAreErrors(t *testing.T) {
	_, b := newBench(t)
	for what, err := range map[string]error{
		"few rows of A":      b.Multiply(device.Product{M: 30, A: b.rows(4), C: b.rows(2), W: b.matrix(4, 2)}),
		"C by index":         b.Multiply(device.Product{M: 1, A: b.rows(4), C: device.Rows{Buffer: b.x, Index: b.good}, W: b.matrix(4, 2)}),
		"rows of C overlap":  b.Multiply(device.Product{M: 2, A: b.rows(4), C: b.rows(1), W: b.matrix(4, 2)}),
		"large W":            b.Multiply(device.Product{M: 1, A: b.rows(4), C: b.rows(50), W: b.matrix(4, 50)}),
		"negative W":         b.Multiply(device.Product{M: 1, A: b.rows(4), C: b.rows(2), W: b.matrix(-4, 2)}),
		"negative M":         b.Multiply(device.Product{M: -1}),
		"short bias":         b.Multiply(device.Product{M: 1, A: b.rows(4), C: b.rows(2), W: b.matrix(4, 2), Bias: b.x, BiasOffset: 99}),
		"few rows of B":      b.AddOuter(device.OuterSum{Into: b.matrix(2, 3), N: 40, A: b.rows(2), B: b.rows(3)}),
		"large sum":          b.AddOuter(device.OuterSum{Into: b.matrix(20, 30)}),
		"negative N":         b.AddOuter(device.OuterSum{Into: b.matrix(2, 3), N: -1}),
		"matrix rows meet":   b.CopyMatrix(b.matrix(2, 3), device.Matrix{Buffer: b.x, Rows: 2, Columns: 3, Stride: 2}, false),
		"shapes differ":      b.CopyMatrix(b.matrix(2, 3), b.matrix(2, 3), true),
		"groups by index":    b.AddGroups(device.Groups{To: device.Rows{Index: b.good}}),
		"groups without end": b.AddGroups(device.Groups{To: b.rows(2), From: b.rows(2), Target: b.good, Start: b.good, Source: b.good, N: 4, Width: 2}),
		"sources beyond":     b.AddGroups(device.Groups{To: b.rows(2), From: b.rows(2), Target: b.good, Start: b.good, Source: b.good, N: 3, Sources: 2, Width: 2}),
		"column beyond":      b.AddColumns(device.ColumnSum{Into: b.x, Offset: 98, X: b.rows(3), N: 1, Width: 3}),
		"negative width":     b.AddColumns(device.ColumnSum{Into: b.x, X: b.rows(3), N: 1, Width: -3}),
		"squares beyond":     b.AddSquares(b.x, 100, b.x, 3),
		"copy onto itself":   b.Copy(b.x, 0, b.x, 1, 2),
		"unknown rule":       b.Update(device.Update{Rule: 9, Weights: b.x, Gradient: b.x}),
		"no slot":            b.Update(device.Update{Rule: device.Momentum, Weights: b.x, Gradient: b.x}),
		"no weights":         b.Update(device.Update{Gradient: b.x}),
		"negative row":       b.Update(device.Update{Weights: b.x, Gradient: b.x, Rows: b.wrong, Count: 3, Width: 5}),
		"row beyond":         b.Update(device.Update{Weights: b.x, Gradient: b.x, Rows: b.good, Count: 3, Width: 40}),
		"short gradient":     b.Update(device.Update{Weights: b.x, Gradient: b.good.Buffer}),
	} {
		assert.ErrorIs(t, err, host.ErrArgument, what)
	}
}
