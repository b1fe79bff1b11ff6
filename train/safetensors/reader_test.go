package safetensors

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fileOf returns a file with this header, without padding, and this data.
func fileOf(header, data string) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func readerOf(t *testing.T, file []byte, opts ...Option) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file), int64(len(file)), opts...)
	require.NoError(t, err)
	return r
}

func written(t *testing.T, tensors []Tensor, meta map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Write(&out, tensors, meta))
	return out.Bytes()
}

// roundTrip writes data of n elements drawn by draw, reads it back with read, and
// compares bits.
func roundTrip[T Element](t *testing.T, n int, draw func() T, read func(*Reader, string, []T) error) {
	t.Helper()
	want := make([]T, n)
	for i := range want {
		want[i] = draw()
	}
	file := written(t, []Tensor{Of("x", []int{n}, want), Of("shift", nil, []uint8{9})}, nil)
	got := make([]T, n)
	require.NoError(t, read(readerOf(t, file), "x", got))
	wantBits, err := binary.Append(nil, binary.LittleEndian, want)
	require.NoError(t, err)
	gotBits, err := binary.Append(nil, binary.LittleEndian, got)
	require.NoError(t, err)
	require.True(t, bytes.Equal(wantBits, gotBits), "%T of length %d", want, n)
}

func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	// Around the chunk size, in elements of each width, and none at all.
	for _, n := range []int{0, 1, 7, bufferSize/8 - 1, bufferSize / 8, bufferSize/4 + 1, bufferSize, 3*bufferSize + 5} {
		roundTrip(t, n, func() float32 { return math.Float32frombits(rng.Uint32()) }, (*Reader).ReadF32)
		roundTrip(t, n, func() float64 { return math.Float64frombits(rng.Uint64()) }, (*Reader).ReadF64)
		roundTrip(t, n, func() int32 { return int32(rng.Uint32()) }, (*Reader).ReadI32)
		roundTrip(t, n, func() int64 { return int64(rng.Uint64()) }, (*Reader).ReadI64)
		roundTrip(t, n, func() uint8 { return uint8(rng.Uint32()) }, (*Reader).ReadU8)
		roundTrip(t, n, func() bool { return rng.Uint32()&1 == 0 }, (*Reader).ReadBool)
	}
}

func TestReaderDescribes(t *testing.T) {
	meta := map[string]string{"": "empty", "kind": "tree <&> \u2028 \ufffd \U0001f333 \"quoted\"", "big": strings.Repeat("v", 5000)}
	r := readerOf(t, written(t, []Tensor{
		Of("z", nil, []float64{1}), Of("naïve \t\"name\"", []int{2, 0, 3}, []int32{}), Of("a", []int{2, 1}, []int32{1, 2}),
	}, meta))
	assert.Equal(t, []string{"a", "naïve \t\"name\"", "z"}, r.Names())
	assert.Equal(t, meta, r.Metadata())

	z, ok := r.Info("z")
	require.True(t, ok)
	assert.Equal(t, Info{Name: "z", DType: F64, Shape: []int{}, Offset: z.Offset, Size: 8}, z)
	assert.Equal(t, 1, z.Len())
	empty, ok := r.Info("naïve \t\"name\"")
	require.True(t, ok)
	assert.Equal(t, []int{2, 0, 3}, empty.Shape)
	assert.Zero(t, empty.Len())
	none, ok := r.Info("none")
	assert.False(t, ok)
	assert.Zero(t, none.Len())
	assert.NoError(t, r.Close(), "closes nothing")
}

func TestReaderHandsOutCopies(t *testing.T) {
	r := readerOf(t, written(t, []Tensor{Of("a", []int{2}, []int32{1, 2})}, map[string]string{"k": "v"}))
	r.Names()[0] = "changed"
	r.Metadata()["k"] = "changed"
	info, _ := r.Info("a")
	info.Shape[0] = 99
	info, ok := r.Info("a")
	assert.True(t, ok)
	assert.Equal(t, []int{2}, info.Shape)
	assert.Equal(t, []string{"a"}, r.Names())
	assert.Equal(t, map[string]string{"k": "v"}, r.Metadata())
}

// TestReadUnaligned reads what other writers make: no padding, keys in any order,
// keys that are not ours, white space, escapes, data in another order.
func TestReadUnaligned(t *testing.T) {
	file := fileOf("{ \"w\\u0065\" :\n{\"data_offsets\":[1,9],\"note\":{\"a\":[[null,true,1.5e3]]},\"shape\":[2],\"dtype\":\"F32\"},"+
		`"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}, "e":{"dtype":"I64","shape":[0],"data_offsets":[1,1]}}`+" \n\t ",
		"\x07\x00\x00\x80\x3f\x00\x00\x00\x40")
	r := readerOf(t, file)
	info, ok := r.Info("we")
	require.True(t, ok)
	require.NotZero(t, info.Offset%4, "the test is about misaligned data")
	got := make([]float32, 2)
	require.NoError(t, r.ReadF32("we", got))
	assert.Equal(t, []float32{1, 2}, got)
	require.NoError(t, r.ReadI64("e", nil))
	b := make([]bool, 1)
	require.ErrorIs(t, r.ReadBool("b", b), ErrDType)
}

func TestReadBoolTakesAnyNonzero(t *testing.T) {
	r := readerOf(t, fileOf(`{"b":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}}`, "\x00\x02\xff"))
	got := make([]bool, 3)
	require.NoError(t, r.ReadBool("b", got))
	assert.Equal(t, []bool{false, true, true}, got)
}

func TestReadAsF32(t *testing.T) {
	r := readerOf(t, fileOf(`{"h":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},"b":{"dtype":"BF16","shape":[2],"data_offsets":[4,8]},`+
		`"f":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},"i":{"dtype":"I32","shape":[0],"data_offsets":[12,12]}}`,
		"\x00\x3c\x00\xc1"+"\x80\x3f\x20\xc0"+"\x00\x00\x80\x3f"))
	got := make([]float32, 2)
	require.NoError(t, r.ReadAsF32("h", got))
	assert.Equal(t, []float32{1, -2.5}, got)
	require.NoError(t, r.ReadAsF32("b", got))
	assert.Equal(t, []float32{1, -2.5}, got)
	require.NoError(t, r.ReadAsF32("f", got[:1]))
	assert.Equal(t, float32(1), got[0])
	require.ErrorIs(t, r.ReadF32("h", got), ErrDType, "widening is only done on request")
	require.ErrorIs(t, r.ReadAsF32("i", nil), ErrDType)
	require.ErrorIs(t, r.ReadAsF32("h", got[:1]), ErrLength)
	require.ErrorIs(t, r.ReadAsF32("none", got), ErrNotFound)
}

func TestReadMisuse(t *testing.T) {
	r := readerOf(t, written(t, []Tensor{Of("w", []int{2, 3}, make([]float32, 6))}, nil), FileName("model"))
	err := r.ReadF32("v", nil)
	require.ErrorIs(t, err, ErrNotFound)
	assert.EqualError(t, err, `safetensors: model: tensor "v": no such tensor`)
	err = r.ReadI32("w", make([]int32, 6))
	require.ErrorIs(t, err, ErrDType)
	assert.EqualError(t, err, `safetensors: model: tensor "w": F32[2 3] cannot be read as I32: dtype mismatch`)
	err = r.ReadF32("w", make([]float32, 5))
	require.ErrorIs(t, err, ErrLength)
	assert.EqualError(t, err, `safetensors: model: tensor "w": destination has length 5, F32[2 3] needs 6: length mismatch`)
	require.ErrorIs(t, r.ReadBytes("w", make([]byte, 6)), ErrLength)
	require.ErrorIs(t, r.ReadBytes("v", nil), ErrNotFound)
	_, err = r.Section("v")
	require.ErrorIs(t, err, ErrNotFound)
}

// TestCopyBetweenFiles rewrites a file without knowing its dtypes.
func TestCopyBetweenFiles(t *testing.T) {
	src := readerOf(t, fileOf(`{"h":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[0,3]},"i":{"dtype":"U16","shape":[1,2],"data_offsets":[3,7]}}`, "abcdefg"))
	var tensors []Tensor
	for _, name := range src.Names() {
		info, _ := src.Info(name)
		section, err := src.Section(name)
		require.NoError(t, err)
		tensors = append(tensors, Raw(name, info.DType, info.Shape, section))
	}
	dst := readerOf(t, written(t, tensors, nil))
	got := make([]byte, 4)
	require.NoError(t, dst.ReadBytes("i", got))
	assert.Equal(t, "defg", string(got))
	require.NoError(t, dst.ReadBytes("h", got[:3]))
	assert.Equal(t, "abc", string(got[:3]))
	info, _ := dst.Info("i")
	assert.Equal(t, U16, info.DType)
	assert.Equal(t, []int{1, 2}, info.Shape)
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(filepath.Join(dir, "absent"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Open(dir)
	require.ErrorIs(t, err, ErrFormat)

	path := filepath.Join(dir, "short")
	require.NoError(t, os.WriteFile(path, []byte("abc"), 0o666))
	_, err = Open(path)
	require.EqualError(t, err, "safetensors: "+path+": has 3 bytes, but the header length alone takes 8")

	path = filepath.Join(dir, "closed")
	require.NoError(t, WriteFile(path, []Tensor{Of("w", nil, []float32{1})}, nil))
	r, err := Open(path)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.ErrorIs(t, r.ReadF32("w", make([]float32, 1)), os.ErrClosed)
	require.ErrorIs(t, r.Close(), os.ErrClosed)
}

func TestReaderConcurrently(t *testing.T) {
	data := make([]float32, 50_000)
	for i := range data {
		data[i] = float32(i)
	}
	r := readerOf(t, written(t, []Tensor{Of("w", []int{len(data)}, data)}, nil))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got := make([]float32, len(data))
			assert.NoError(t, r.ReadF32("w", got))
			assert.Equal(t, data, got)
			s, err := r.Section("w")
			assert.NoError(t, err)
			n, err := io.Copy(io.Discard, s)
			assert.NoError(t, err)
			assert.Equal(t, int64(4*len(data)), n)
		})
	}
	wg.Wait()
}
