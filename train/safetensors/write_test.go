package safetensors

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteGolden(t *testing.T) {
	var got bytes.Buffer
	require.NoError(t, Write(&got, []Tensor{
		Of("y", nil, []int32{-2}),
		Of("x", []int{1, 2}, []float32{1, -0.5}),
		Of("b", []int{3}, []bool{true, false, true}),
	}, map[string]string{"version": "1", "a": "é\n"}))

	// x takes 8 bytes, y 4, b 3: that is also their order. 8 + 207 bytes of header
	// are padded to 256.
	want := "\xf8\x00\x00\x00\x00\x00\x00\x00" +
		`{"__metadata__":{"a":"é\n","version":"1"},` +
		`"x":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},` +
		`"y":{"dtype":"I32","shape":[],"data_offsets":[8,12]},` +
		`"b":{"dtype":"BOOL","shape":[3],"data_offsets":[12,15]}}` + strings.Repeat(" ", 41) +
		"\x00\x00\x80\x3f\x00\x00\x00\xbf" +
		"\xfe\xff\xff\xff" +
		"\x01\x00\x01"
	require.Equal(t, want, got.String())
}

func TestWriteNothing(t *testing.T) {
	var got bytes.Buffer
	require.NoError(t, Write(&got, nil, nil))
	require.Equal(t, "\x38\x00\x00\x00\x00\x00\x00\x00{}"+strings.Repeat(" ", 54), got.String())
	r, err := NewReader(bytes.NewReader(got.Bytes()), int64(got.Len()))
	require.NoError(t, err)
	assert.Empty(t, r.Names())
	assert.Nil(t, r.Metadata())
}

func TestWriteIgnoresOrderOfArguments(t *testing.T) {
	tensors := []Tensor{
		Of("a", []int{16}, make([]float32, 16)), Of("b", []int{3}, make([]float32, 3)),
		Of("c", []int{16}, make([]float32, 16)), Of("d", []int{0, 7}, []float64{}), Of("e", []int{3}, make([]uint8, 3)),
	}
	var want []byte
	for order := range permutations(tensors) {
		var got bytes.Buffer
		require.NoError(t, Write(&got, order, map[string]string{"k1": "v", "k2": "v", "k3": "v"}))
		if want == nil {
			want = got.Bytes()
		}
		require.Equal(t, want, got.Bytes())
	}
}

// permutations yields every order of s (Heap's algorithm), in one reused slice.
func permutations[T any](s []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		s := slices.Clone(s)
		var visit func(n int) bool
		visit = func(n int) bool {
			if n <= 1 {
				return yield(s)
			}
			for i := range n {
				if !visit(n - 1) {
					return false
				}
				j := i * (1 - n%2)
				s[j], s[n-1] = s[n-1], s[j]
			}
			return true
		}
		visit(len(s))
	}
}

func TestWriteAlignment(t *testing.T) {
	for pad := range 70 { // every header length modulo 64
		tensors := []Tensor{
			Of("odd"+strings.Repeat("_", pad), []int{7}, make([]uint8, 7)),
			Of("f32", []int{5}, make([]float32, 5)),
			Of("f64", []int{3}, make([]float64, 3)),
			Of("wide", []int{48}, make([]float32, 48)),
			Of("wider", []int{10, 32}, make([]float64, 320)),
			Of("empty", []int{0}, []float64{}),
			Raw("half", F16, []int{3}, strings.NewReader("abcdef")),
		}
		var out bytes.Buffer
		require.NoError(t, Write(&out, tensors, nil))
		r, err := NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
		require.NoError(t, err)
		first := int64(math.MaxInt64)
		for _, name := range r.Names() {
			info, _ := r.Info(name)
			first = min(first, info.Offset)
			assert.Zero(t, info.Offset%granule(info.Size), "%+v", info)
			assert.Zero(t, info.Offset%int64(info.DType.Size()), "%+v", info)
		}
		require.Zero(t, first%64, "start of the data section")
	}
}

func TestGranule(t *testing.T) {
	for size, want := range map[int64]int64{0: 64, 1: 1, 2: 2, 12: 4, 24: 8, 48: 16, 96: 32, 64: 64, 1 << 40: 64} {
		assert.Equal(t, want, granule(size), "size %d", size)
	}
}

func TestWriteRefuses(t *testing.T) {
	one := []float32{1}
	for name, c := range map[string]struct {
		tensors []Tensor
		meta    map[string]string
		want    string
	}{
		"twice":          {tensors: []Tensor{Of("w", nil, one), Of("w", nil, one)}, want: `tensor "w" is given twice`},
		"no name":        {tensors: []Tensor{Of("", nil, one)}, want: "has no name"},
		"reserved name":  {tensors: []Tensor{Of("__metadata__", nil, one)}, want: "reserves"},
		"name not UTF8":  {tensors: []Tensor{Of("\xff", nil, one)}, want: "UTF-8"},
		"too short":      {tensors: []Tensor{Of("w", []int{2, 3}, one)}, want: "has 1 elements of data, its shape needs 6"},
		"too long":       {tensors: []Tensor{Of("w", []int{0}, one)}, want: "has 1 elements of data, its shape needs 0"},
		"negative":       {tensors: []Tensor{Of("w", []int{-1}, one)}, want: "dimension 0 is negative: -1"},
		"overflow":       {tensors: []Tensor{Of("w", []int{math.MaxInt, 2}, one)}, want: "takes more than"},
		"rank":           {tensors: []Tensor{Of("w", slices.Repeat([]int{1}, 65), one)}, want: "rank is 65, the limit is 64"},
		"no data":        {tensors: []Tensor{{Name: "w", DType: F32}}, want: "make it with Of or Raw"},
		"other dtype":    {tensors: []Tensor{retyped(Of("w", []int{2}, make([]float32, 4)), F64)}, want: "is declared F64, its data is F32"},
		"nil reader":     {tensors: []Tensor{Raw("w", F16, nil, nil)}, want: "has no reader"},
		"unknown dtype":  {tensors: []Tensor{Raw("w", "F7", nil, strings.NewReader(""))}, want: `unknown dtype "F7"`},
		"key not UTF8":   {meta: map[string]string{"\xff": ""}, want: "UTF-8"},
		"value not UTF8": {meta: map[string]string{"k": "a\xff"}, want: `metadata "k": "a\xff" is not valid UTF-8`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := Write(&out, c.tensors, c.meta)
			require.ErrorIs(t, err, ErrInvalid)
			assert.ErrorContains(t, err, c.want)
			assert.Zero(t, out.Len(), "nothing may be written")
		})
	}
}

func retyped(t Tensor, dtype DType) Tensor {
	t.DType = dtype
	return t
}

func TestWriteRefusesOffsetOverflow(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("needs tensors larger than an int can say")
	}
	half := []int{math.MaxInt/2 + 1}
	err := Write(io.Discard, []Tensor{Raw("v", U8, half, strings.NewReader("")), Raw("w", U8, half, strings.NewReader(""))}, nil)
	require.ErrorIs(t, err, ErrInvalid)
	assert.ErrorContains(t, err, `tensor "w": 4611686018427387904 bytes at offset 4611686018427387904 overflow`)
}

func TestEncodeHeaderRefusesWhatReadersDo(t *testing.T) {
	h, err := encodeHeader(nil, map[string]string{"k": strings.Repeat("v", 100)}, 1000)
	require.NoError(t, err)
	n := len(h) - lengthBytes
	_, err = encodeHeader(nil, map[string]string{"k": strings.Repeat("v", 100)}, n)
	require.NoError(t, err)
	_, err = encodeHeader(nil, map[string]string{"k": strings.Repeat("v", 100)}, n-1)
	require.ErrorIs(t, err, ErrInvalid)
	assert.ErrorContains(t, err, "header takes 184 bytes, readers accept 183")
}

func TestWriteReportsReaderOfRaw(t *testing.T) {
	err := Write(io.Discard, []Tensor{Raw("h", F16, []int{4}, strings.NewReader("abc"))}, nil)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.ErrorContains(t, err, `tensor "h": source ended after 3 of 8 bytes`)

	broken := errors.New("broken")
	err = Write(io.Discard, []Tensor{Raw("h", F16, []int{4}, io.MultiReader(strings.NewReader("abc"), failingReader{broken}))}, nil)
	require.ErrorIs(t, err, broken)
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

// fullDisk takes room bytes and then fails, with a short write as a disk does.
type fullDisk struct {
	io.Writer
	room int
}

var errFull = errors.New("no space left")

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) <= d.room {
		d.room -= len(p)
		return d.Writer.Write(p)
	}
	n, err := d.Writer.Write(p[:d.room])
	d.room = 0
	return n, errors.Join(errFull, err)
}

func TestWriteReportsFullDisk(t *testing.T) {
	tensors := []Tensor{
		Of("large", []int{100_000}, make([]float32, 100_000)),
		Raw("raw", U8, []int{70_001}, nil),
		Of("small", []int{1}, make([]uint8, 1)),
	}
	const size = 256 + 400_000 + 70_001 + 1
	for room := 0; room < size; room += 9_973 {
		tensors[1] = Raw("raw", U8, []int{70_001}, bytes.NewReader(make([]byte, 70_001)))
		require.ErrorIs(t, Write(&fullDisk{io.Discard, room}, tensors, nil), errFull, "room %d", room)
	}
	tensors[1] = Raw("raw", U8, []int{70_001}, bytes.NewReader(make([]byte, 70_001)))
	require.ErrorIs(t, Write(&fullDisk{io.Discard, size - 1}, tensors, nil), errFull, "the last byte")
	tensors[1] = Raw("raw", U8, []int{70_001}, bytes.NewReader(make([]byte, 70_001)))
	require.NoError(t, Write(&fullDisk{io.Discard, size}, tensors, nil))
}

func TestWriteHoldsNoSecondCopy(t *testing.T) {
	data := make([]float32, 4<<20)
	tensors := []Tensor{Of("w", []int{len(data)}, data)}
	allocated := allocatedBytes(func() { require.NoError(t, Write(io.Discard, tensors, nil)) })
	assert.Less(t, allocated, uint64(1<<20), "to write 16 MiB")
}

// allocatedBytes returns how many bytes f allocates.
func allocatedBytes(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
