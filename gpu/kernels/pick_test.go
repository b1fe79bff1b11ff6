package kernels_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// within returns n integers in [0, limit).
func within(seed uint64, n, limit int) []int32 {
	source := rand.New(rand.NewPCG(seed, 2))
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(source.IntN(limit))
	}
	return x
}

func TestPickAndScatterInRows(t *testing.T) {
	const rows, count, width, elements = 5, 3, 35, 4
	const stride = elements*width + 2
	r := setUp(t, "")
	x, at, index := random(1, 9*stride), within(1, rows*count, elements), []int32{8, 0, 0, 3, 5}
	p := kernels.Pick{
		Out:  kernels.View{Buffer: put(r, make([]float32, rows*count*width)), Stride: count * width},
		From: kernels.View{Buffer: put(r, x), Index: put(r, index), Stride: stride},
		At:   kernels.View{Buffer: put(r, at), Stride: count},
		Rows: rows, Count: count, Width: width, Elements: elements,
	}
	require.NoError(t, r.set.Pick(r.stream, p))
	var want []float32
	for i, e := range at {
		want = append(want, x[int(index[i/count])*stride+int(e)*width:][:width]...)
	}
	require.Equal(t, want, r.get(p.Out.Buffer))

	// The reverse: what was picked is added twice where it was picked twice.
	sums := random(2, rows*stride)
	back := p
	back.From, back.Out = p.Out, kernels.View{Buffer: put(r, sums), Stride: stride}
	require.NoError(t, r.set.Scatter(r.stream, back))
	for i, e := range at {
		for c := range width {
			sums[i/count*stride+int(e)*width+c] += want[i*width+c]
		}
	}
	require.Equal(t, sums, r.get(back.Out.Buffer))
}

func TestPickAndScatterInLists(t *testing.T) {
	const count, width = 2, 33
	r := setUp(t, "")
	starts := []int32{0, 3, 4, 9}
	const rows, listRows = 3, 9
	x, index := random(1, 12*width), []int32{4, 11, 0, 4, 7, 8, 9, 2, 1}
	at := []int32{2, 0, 0, 0, 4, 4}
	p := kernels.Pick{
		Out:  kernels.View{Buffer: put(r, make([]float32, rows*count*width)), Stride: count * width},
		From: kernels.View{Buffer: put(r, x), Index: put(r, index), Stride: width},
		At:   kernels.View{Buffer: put(r, at), Stride: count},
		Rows: rows, Count: count, Width: width, Lists: put(r, starts), ListRows: listRows,
	}
	require.NoError(t, r.set.Pick(r.stream, p))
	var want []float32
	for i, e := range at {
		want = append(want, x[int(index[starts[i/count]+e])*width:][:width]...)
	}
	require.Equal(t, want, r.get(p.Out.Buffer))

	back, sums := p, make([]float32, listRows*width)
	back.From, back.Out = p.Out, kernels.View{Buffer: put(r, sums), Stride: width}
	require.NoError(t, r.set.Scatter(r.stream, back))
	for i, e := range at {
		for c := range width {
			sums[int(starts[i/count]+e)*width+c] += want[i*width+c]
		}
	}
	require.Equal(t, sums, r.get(back.Out.Buffer))
}

func TestScatterLists(t *testing.T) {
	const rows, listRows, count, width, elements = 3, 7, 2, 40, 5
	r := setUp(t, "")
	starts, at := []int32{0, 0, 4, 7}, within(3, listRows*count, elements)
	x, index := random(1, 20*count*width), within(4, listRows, 20)
	p := kernels.Pick{
		Out:  kernels.View{Buffer: put(r, make([]float32, rows*elements*width)), Stride: elements * width},
		From: kernels.View{Buffer: put(r, x), Index: put(r, index), Stride: count * width},
		At:   kernels.View{Buffer: put(r, at), Stride: count},
		Rows: rows, Count: count, Width: width, Elements: elements, Lists: put(r, starts), ListRows: listRows,
	}
	require.NoError(t, r.set.ScatterLists(r.stream, p))
	want := make([]float32, rows*elements*width)
	for row := range rows {
		for j := starts[row]; j < starts[row+1]; j++ {
			for k := range count {
				to := want[(row*elements+int(at[int(j)*count+k]))*width:][:width]
				for c, v := range x[(int(index[j])*count+k)*width:][:width] {
					to[c] += v
				}
			}
		}
	}
	require.Equal(t, want, r.get(p.Out.Buffer))
}

func TestPickRefuses(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 12))
	row := kernels.View{Buffer: b, Stride: 4}
	good := kernels.Pick{Out: row, From: row, At: row, Rows: 3, Count: 2, Width: 2, Elements: 2}
	for message, change := range map[string]func(*kernels.Pick){
		"out has 48 bytes":                func(p *kernels.Pick) { p.Out.Stride = 5 },
		"from has 48 bytes":               func(p *kernels.Pick) { p.Elements = 3 },
		"at has 48 bytes":                 func(p *kernels.Pick) { p.At.Stride = 6 },
		"Lists has 8 bytes":               func(p *kernels.Pick) { p.Lists = b.Slice(0, 8) },
		"whose result has an index: true": func(p *kernels.Pick) { p.Out.Index = b },
		"-3 rows":                         func(p *kernels.Pick) { p.Rows = -3 },
		"the index of at has 4 bytes":     func(p *kernels.Pick) { p.At.Index = b.Slice(0, 4) },
	} {
		p := good
		change(&p)
		err := r.set.Pick(r.stream, p)
		require.ErrorIs(t, err, gpu.ErrArgument, message)
		require.ErrorContains(t, err, message)
	}
	require.ErrorIs(t, r.set.ScatterLists(r.stream, good), gpu.ErrArgument)
}

// A place that is no element must not go unseen.
func TestPickOfNoElementIsAFault(t *testing.T) {
	if os.Getenv("FROND_GPU_LIBRARY") != "" {
		t.Skip("a real device is lost for the whole process")
	}
	for _, at := range []int32{-1, 2} {
		r := setUp(t, "")
		row := kernels.View{Buffer: put(r, make([]float32, 4)), Stride: 4}
		p := kernels.Pick{Out: row, From: row, At: kernels.View{Buffer: put(r, []int32{at})}, Rows: 1, Count: 1, Width: 2, Elements: 2}
		p.Out.Buffer = put(r, make([]float32, 4))
		err := r.set.Pick(r.stream, p)
		if err == nil {
			err = r.stream.Download(ctx, make([]byte, 16), p.Out.Buffer)
		}
		require.ErrorIs(t, err, gpu.ErrDeviceLost)
	}
}

func TestMaxGradient(t *testing.T) {
	r := setUp(t, "")
	const runs, length, width = 3, 2, 34
	starts := []int32{0, 2, 2, 5}
	for name, lists := range map[string][]int32{"rows": {0, 1, 2, 3}, "lists": starts} {
		n := int(lists[runs]) * length * width
		x, g := make([]float32, n), random(5, runs*width)
		for i, v := range within(6, n, 3) { // often equal
			x[i] = float32(v)
		}
		y := slices.Repeat([]float32{-1}, runs*width)
		want := make([]float32, n)
		for run := range runs {
			for c := range width {
				first := -1
				for j := int(lists[run]) * length; j < int(lists[run+1])*length; j++ {
					if v := x[j*width+c]; v > y[run*width+c] {
						y[run*width+c], first = v, j
					}
				}
				if first >= 0 {
					want[first*width+c] = g[run*width+c]
				}
			}
		}
		p := kernels.MaxGradient{Runs: runs, Length: length, Width: width}
		if name == "lists" {
			p.Lists, p.ListRows = put(r, lists), int(lists[runs])
		}
		out := put(r, make([]float32, n))
		require.NoError(t, r.set.MaxGradient(r.stream, out, put(r, x), put(r, y), put(r, g), p))
		require.Equal(t, want, r.get(out), name)
		p.Width++
		require.ErrorIs(t, r.set.MaxGradient(r.stream, out, out, out, out, p), gpu.ErrArgument)
	}
}
