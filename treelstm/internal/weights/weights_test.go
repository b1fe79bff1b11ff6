package weights

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/train/safetensors"
)

func reader(t testing.TB, tensors ...safetensors.Tensor) *safetensors.Reader {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, safetensors.Write(&b, tensors, nil))
	r, err := safetensors.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	return r
}

func raw(d safetensors.DType, shape []int, data ...byte) safetensors.Tensor {
	return safetensors.Raw("x", d, shape, bytes.NewReader(data))
}

// Known encodings of every type.
func TestElements(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		dtype safetensors.DType
		data  []byte
		want  []float64
	}{
		{safetensors.F32, []byte{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xff}, []float64{1, -inf}},
		{safetensors.F64, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0xbf}, []float64{-1}},
		// 1, -2, the largest, the smallest, infinity
		{safetensors.F16, []byte{0, 0x3c, 0, 0xc0, 0xff, 0x7b, 1, 0, 0, 0x7c}, []float64{1, -2, 65504, math.Ldexp(1, -24), inf}},
		{safetensors.BF16, []byte{0x80, 0x3f, 0x40, 0xc0, 0x80, 0xff}, []float64{1, -3, -inf}},
		{safetensors.F8E5M2, []byte{0x3c, 0x7b, 0x01, 0xfc}, []float64{1, 57344, math.Ldexp(1, -16), -inf}},
		{safetensors.F8E4M3, []byte{0x38, 0x7e, 0x01, 0xfe, 0x77}, []float64{1, 448, math.Ldexp(1, -9), -448, 240}},
		{safetensors.F8E8M0, []byte{0, 127, 128, 254}, []float64{math.Ldexp(1, -127), 1, 2, math.Ldexp(1, 127)}},
		{safetensors.I8, []byte{0xff, 0x7f}, []float64{-1, 127}},
		{safetensors.I16, []byte{0, 0x80}, []float64{-32768}},
		{safetensors.I32, []byte{0xfe, 0xff, 0xff, 0xff}, []float64{-2}},
		{safetensors.I64, []byte{0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, []float64{-3}},
		{safetensors.U8, []byte{0xff}, []float64{255}},
		{safetensors.U16, []byte{0xff, 0xff}, []float64{65535}},
		{safetensors.U32, []byte{0xff, 0xff, 0xff, 0xff}, []float64{1<<32 - 1}},
		{safetensors.U64, []byte{0, 0, 0, 0, 0, 0, 0, 0x80}, []float64{1 << 63}},
		{safetensors.BOOL, []byte{0, 1, 7}, []float64{0, 1, 1}},
	} {
		size := c.dtype.Size()
		require.Len(t, c.data, size*len(c.want), c.dtype)
		for i, want := range c.want {
			assert.Equal(t, want, elements[c.dtype].number(c.data[i*size:(i+1)*size]), "%s %d", c.dtype, i)
		}
		assert.True(t, HasNumbers(c.dtype))
	}
	for d, data := range map[safetensors.DType][]byte{
		safetensors.F16: {1, 0x7c}, safetensors.BF16: {0xc0, 0x7f}, safetensors.F8E5M2: {0x7d}, safetensors.F8E4M3: {0xff}, safetensors.F8E8M0: {0xff},
	} {
		assert.True(t, math.IsNaN(elements[d].number(data)), d)
	}
	assert.False(t, HasNumbers(safetensors.C64))
	assert.Equal(t, "(1-2i)", elements[safetensors.C64].text([]byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}))
}

func TestSummarise(t *testing.T) {
	r := reader(t,
		safetensors.Of("a", []int{2, 2}, []float32{3, -4, 0, 1}),
		safetensors.Of("b", []int{4}, []float32{float32(math.NaN()), float32(math.Inf(-1)), 2, float32(math.NaN())}),
		safetensors.Of("c", []int{2}, []float64{math.NaN(), math.NaN()}),
		safetensors.Of("d", []int{0}, []int32{}),
		safetensors.Of("e", []int{3}, []bool{true, false, true}),
	)
	got := func(name string) Summary {
		s, err := Summarise(t.Context(), r, name)
		require.NoError(t, err)
		return s
	}
	assert.Equal(t, Summary{Min: -4, Max: 3, Mean: 0, Norm: math.Sqrt(26)}, got("a"))
	b := got("b")
	assert.Equal(t, Summary{Min: math.Inf(-1), Max: 2, Mean: math.Inf(-1), Norm: math.Inf(1), NaN: 2, Inf: 1}, b)
	assert.True(t, math.IsNaN(got("c").Mean))
	assert.Equal(t, 2, got("c").NaN)
	assert.True(t, math.IsNaN(got("d").Min))
	assert.InDelta(t, 2./3, got("e").Mean, 1e-15)

	_, err := Summarise(t.Context(), r, "none")
	assert.ErrorIs(t, err, safetensors.ErrNotFound)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Summarise(ctx, r, "a")
	assert.ErrorIs(t, err, context.Canceled)
}

// A tensor of several pieces has no seams.
func TestSummariseLongTensors(t *testing.T) {
	const n = 3*chunk/8 + 17
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	s, err := Summarise(t.Context(), reader(t, safetensors.Of("x", []int{n}, x)), "x")
	require.NoError(t, err)
	assert.Equal(t, 0.0, s.Min)
	assert.Equal(t, float64(n-1), s.Max)
	assert.Equal(t, float64(n-1)/2, s.Mean)
}

func TestText(t *testing.T) {
	for want, tensor := range map[string]safetensors.Tensor{
		"[[  0.5    -1]\n [  NaN 1e-07]]": safetensors.Of("x", []int{2, 2}, []float32{0.5, -1, float32(math.NaN()), 1e-7}),
		"[9007199254740993]":              safetensors.Of("x", []int{1}, []int64{1<<53 + 1}),
		"true":                            safetensors.Of("x", nil, []bool{true}),
		"[]":                              safetensors.Of("x", []int{3, 0}, []uint8{}),
		"[       1 6.55e+04]":             raw(safetensors.F16, []int{2}, 0, 0x3c, 0xff, 0x7b),
	} {
		got, err := Text(reader(t, tensor), "x")
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := Text(reader(t), "x")
	assert.ErrorIs(t, err, safetensors.ErrNotFound)
}
