package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// laidOut is an operand on the host.
type laidOut struct {
	data  []float32
	index []int32
	view  kernels.View // without buffers
}

func (o laidOut) on(r *rig) kernels.View {
	v := o.view
	v.Buffer = put(r, o.data)
	if o.index != nil {
		v.Index = put(r, o.index)
	}
	return v
}

// word is where an element lies.
func (o laidOut) word(row int, at [4]int) int {
	if o.index != nil {
		row = int(o.index[row])
	}
	word := row * o.view.Stride
	for axis, i := range at {
		word += i * o.view.Axes[axis]
	}
	return word
}

// everyElement calls f with all rows and places of extents.
func everyElement(rows int, extents [4]int, f func(row int, at [4]int)) {
	for row := range rows {
		for a := range extents[0] {
			for b := range extents[1] {
				for c := range extents[2] {
					for d := range extents[3] {
						f(row, [4]int{a, b, c, d})
					}
				}
			}
		}
	}
}

// checkElements compares an operation with a loop. The result lies in rows with gaps.
func checkElements(t *testing.T, r *rig, op kernels.Op, rows int, extents [4]int, in []laidOut, want func(x []float32) float32) {
	t.Helper()
	size := extents[0] * extents[1] * extents[2] * extents[3]
	out := laidOut{data: make([]float32, rows*(size+3)), view: kernels.View{Stride: size + 3}}
	for axis, stride := 3, 1; axis >= 0; axis-- {
		out.view.Axes[axis] = stride
		stride *= extents[axis]
	}
	e := kernels.Elements{Op: op, Rows: rows, Extents: extents, Out: out.on(r)}
	for i := range in {
		e.In[i] = in[i].on(r)
	}
	require.NoError(t, r.set.Elements(r.stream, e))
	x := make([]float32, len(in))
	everyElement(rows, extents, func(row int, at [4]int) {
		for i := range in {
			x[i] = in[i].data[in[i].word(row, at)]
		}
		out.data[out.word(row, at)] = want(x)
	})
	got := r.get(e.Out.Buffer)
	for i, w := range out.data {
		if w != w {
			require.True(t, got[i] != got[i], "operation %d, element %d is %v, want NaN", op, i, got[i])
			continue
		}
		require.Equal(t, math.Float32bits(w), math.Float32bits(got[i]), "operation %d, element %d is %v, want %v", op, i, got[i], w)
	}
}

func truthBits(yes bool) float32 {
	if yes {
		return math.Float32frombits(1)
	}
	return 0
}

var special = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, -2, 3, -3, 0.5, -0.5, 2.5, 1 << 24, -(1<<24 + 2), 1e-40, -1e-40,
	3e38, -3e38, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}

func TestElementsOfTwoOperands(t *testing.T) {
	r := setUp(t, "")
	n := len(special)
	// All pairs: x goes along one axis and y along the other.
	in := []laidOut{
		{data: special, view: kernels.View{Axes: [4]int{0, 0, 1, 0}}},
		{data: special, view: kernels.View{Axes: [4]int{0, 0, 0, 1}}},
	}
	for op, f := range map[kernels.Op]func(x, y float32) float32{
		kernels.Add:              func(x, y float32) float32 { return x + y },
		kernels.Subtract:         func(x, y float32) float32 { return x - y },
		kernels.Multiply:         func(x, y float32) float32 { return x * y },
		kernels.Divide:           func(x, y float32) float32 { return x / y },
		kernels.Power:            func(x, y float32) float32 { return float32(math.Pow(float64(x), float64(y))) },
		kernels.Minimum:          func(x, y float32) float32 { return min(x, y) },
		kernels.Maximum:          func(x, y float32) float32 { return max(x, y) },
		kernels.ElementLess:      func(x, y float32) float32 { return truthBits(x < y) },
		kernels.ElementLessEqual: func(x, y float32) float32 { return truthBits(x <= y) },
		kernels.ElementEqual:     func(x, y float32) float32 { return truthBits(x == y) },
		kernels.ElementNotEqual:  func(x, y float32) float32 { return truthBits(x != y) },
	} {
		checkElements(t, r, op, 1, [4]int{1, 1, n, n}, in, func(x []float32) float32 { return f(x[0], x[1]) })
	}
}

// A power has the bits of that of math.Pow, but for ties that round the other way.
func TestPowersAreRoundedOnce(t *testing.T) {
	r := setUp(t, "")
	const n = 4000
	x, y := random(1, n), random(2, n)
	for i := range x {
		x[i] = float32(math.Exp(20 * float64(x[i])))
		y[i] *= 4
	}
	e := kernels.Elements{Op: kernels.Power, Rows: n, Extents: [4]int{1, 1, 1, 1}, Out: kernels.View{Buffer: put(r, x), Stride: 1}}
	e.In[0], e.In[1] = kernels.View{Buffer: put(r, x), Stride: 1}, kernels.View{Buffer: put(r, y), Stride: 1}
	require.NoError(t, r.set.Elements(r.stream, e))
	for i, got := range r.get(e.Out.Buffer) {
		require.Equal(t, float32(math.Pow(float64(x[i]), float64(y[i]))), got, "%v to the power of %v", x[i], y[i])
	}
}

func TestElementsOfRowsAnywhere(t *testing.T) {
	r := setUp(t, "")
	extents := [4]int{2, 3, 1, 5}
	const rows = 4
	indexed := laidOut{random(1, 400), []int32{3, 0, 3, 7}, kernels.View{Stride: 41, Axes: [4]int{15, 5, 9, 1}}}
	repeated := laidOut{random(2, 6), nil, kernels.View{Stride: 0, Axes: [4]int{3, 1, 0, 0}}}
	transposed := laidOut{random(3, 200), nil, kernels.View{Stride: 33, Axes: [4]int{1, 2, 0, 6}}}
	checkElements(t, r, kernels.ElementZero, rows, extents, nil, func([]float32) float32 { return 0 })
	checkElements(t, r, kernels.ElementCopy, rows, extents, []laidOut{transposed}, func(x []float32) float32 { return x[0] })
	checkElements(t, r, kernels.Subtract, rows, extents, []laidOut{indexed, repeated}, func(x []float32) float32 { return x[0] - x[1] })
	condition := indexed
	condition.data = make([]float32, len(indexed.data))
	for i, v := range indexed.data {
		condition.data[i] = truthBits(v > 0)
	}
	checkElements(t, r, kernels.ElementChoose, rows, extents, []laidOut{condition, repeated, transposed}, func(x []float32) float32 {
		if x[0] != 0 {
			return x[1]
		}
		return x[2]
	})
}

func TestElementsConvert(t *testing.T) {
	r := setUp(t, "")
	integers := []int32{0, 1, -1, 1<<24 + 1, math.MaxInt32, math.MinInt32}
	words := make([]float32, len(integers))
	for i, v := range integers {
		words[i] = math.Float32frombits(uint32(v))
	}
	row := func(x []float32) []laidOut { return []laidOut{{data: x, view: kernels.View{Stride: 1}}} }
	checkElements(t, r, kernels.ElementIntegerToFloat, len(words), [4]int{1, 1, 1, 1}, row(words), func(x []float32) float32 {
		return float32(int32(math.Float32bits(x[0])))
	})
	checkElements(t, r, kernels.ElementFloatToTruth, len(special), [4]int{1, 1, 1, 1}, row(special), func(x []float32) float32 {
		return truthBits(x[0] != 0)
	})
	e := kernels.Elements{Op: kernels.ElementFloatToInteger, Rows: len(special), Extents: [4]int{1, 1, 1, 1}}
	e.Out, e.In[0] = kernels.View{Buffer: put(r, special), Stride: 1}, kernels.View{Buffer: put(r, special), Stride: 1}
	require.NoError(t, r.set.Elements(r.stream, e))
	var got []int32
	for _, v := range r.get(e.Out.Buffer) {
		got = append(got, int32(math.Float32bits(v)))
	}
	require.Equal(t, []int32{0, 0, 1, -1, 2, -2, 3, -3, 0, 0, 2, 1 << 24, -(1<<24 + 2), 0, 0,
		math.MaxInt32, math.MinInt32, math.MaxInt32, math.MinInt32, 0}, got)
}

func TestElementsRefuse(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 12))
	dense := kernels.View{Buffer: b, Stride: 4, Axes: [4]int{0, 0, 0, 1}}
	good := kernels.Elements{Op: kernels.ElementCopy, Rows: 3, Extents: [4]int{1, 1, 1, 4}, Out: dense, In: [3]kernels.View{dense}}
	require.NoError(t, r.set.Elements(r.stream, good))
	for message, change := range map[string]func(*kernels.Elements){
		"operation 99":                    func(e *kernels.Elements) { e.Op = 99 },
		"operation 16":                    func(e *kernels.Elements) { e.Op = kernels.Relu },
		"whose result has an index: true": func(e *kernels.Elements) { e.Out.Index = b },
		"-1 rows":                         func(e *kernels.Elements) { e.Rows = -1 },
		"[65536 65536 1 4]":               func(e *kernels.Elements) { e.Extents = [4]int{1 << 16, 1 << 16, 1, 4} },
		"out has 48 bytes":                func(e *kernels.Elements) { e.Out.Stride = 5 },
		"x has 48 bytes":                  func(e *kernels.Elements) { e.In[0].Axes[3] = 2 },
		"the distances of x are -1":       func(e *kernels.Elements) { e.In[0].Stride = -1 },
		"the index of x has 4 bytes":      func(e *kernels.Elements) { e.In[0].Index = b.Slice(0, 4) },
		"operation 65 has no operand y":   func(e *kernels.Elements) { e.In[1] = dense },
		"y has 0 bytes":                   func(e *kernels.Elements) { e.Op = kernels.Add },
	} {
		e := good
		change(&e)
		err := r.set.Elements(r.stream, e)
		require.ErrorIs(t, err, gpu.ErrArgument, message)
		require.ErrorContains(t, err, message)
	}
}
