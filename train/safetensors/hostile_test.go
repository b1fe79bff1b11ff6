package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tensorJSON is a header of one tensor "w".
func tensorJSON(dtype, shape, offsets string) string {
	return fmt.Sprintf(`{"w":{"dtype":%s,"shape":%s,"data_offsets":%s}}`, dtype, shape, offsets)
}

// hostile are malformed files with the tensor that the error must name and a part
// of what it must say.
var hostile = map[string]struct {
	file           []byte
	tensor, reason string
}{
	"empty":               {[]byte{}, "", "has 0 bytes, but the header length alone takes 8"},
	"length only":         {[]byte("\x01\x00\x00\x00\x00\x00\x00\x00"), "", "header length is 1, but 0 bytes follow"},
	"length huge":         {[]byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"), "", "header length is 18446744073709551615, but 2 bytes follow"},
	"length zero":         {fileOf("", ""), "", `header starts with "", want "{"`},
	"leading space":       {fileOf(" {}", ""), "", `header starts with " ", want "{"`},
	"byte order mark":     {fileOf("\ufeff{}", ""), "", "header starts with"},
	"array":               {fileOf("[]", ""), "", `header starts with "[", want "{"`},
	"not UTF-8":           {fileOf("{\"\xff\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", ""), "", "not valid UTF-8"},
	"half a surrogate":    {fileOf(`{"\ud800":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, ""), "", "an escape that is not a character"},
	"unfinished":          {fileOf(`{"w":{"dtype":`, ""), "w", "header ends at byte"},
	"unfinished string":   {fileOf(`{"w`, ""), "", "header ends at byte"},
	"trailing comma":      {fileOf(`{"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},}`, ""), "", "header byte"},
	"no colon":            {fileOf(`{"w" 1}`, ""), "w", "header byte"},
	"trailing JSON":       {fileOf(`{}{}`, ""), "", "header goes on after byte 2"},
	"trailing zeros":      {fileOf("{}\x00\x00", ""), "", "header goes on after byte 2"},
	"twice":               {fileOf(`{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"w":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}}`, "x"), "", `key "w" occurs twice`},
	"twice, escaped":      {fileOf(`{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\u0077":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}}`, "x"), "", `key "w" occurs twice`},
	"dtype twice":         {fileOf(`{"w":{"dtype":"U8","shape":[1],"dtype":"BOOL","data_offsets":[0,1]}}`, "x"), "w", `key "dtype" occurs twice`},
	"metadata twice":      {fileOf(`{"__metadata__":{},"__metadata__":{}}`, ""), "", `key "__metadata__" occurs twice`},
	"metadata key twice":  {fileOf(`{"__metadata__":{"a":"1","a":"2"}}`, ""), "", `key "a" occurs twice`},
	"metadata number":     {fileOf(`{"__metadata__":{"a":1}}`, ""), "", "want a string"},
	"metadata list":       {fileOf(`{"__metadata__":[]}`, ""), "", `want "{"`},
	"tensor is null":      {fileOf(`{"w":null}`, ""), "w", `want "{"`},
	"no dtype":            {fileOf(`{"w":{"shape":[0],"data_offsets":[0,0]}}`, ""), "w", `has no "dtype"`},
	"no shape":            {fileOf(`{"w":{"dtype":"U8","data_offsets":[0,1]}}`, "x"), "w", `has no "shape"`},
	"no offsets":          {fileOf(`{"w":{"dtype":"U8","shape":[0]}}`, ""), "w", `has no "data_offsets"`},
	"dtype number":        {fileOf(tensorJSON(`8`, `[1]`, `[0,1]`), "x"), "w", "want a string"},
	"dtype unknown":       {fileOf(tensorJSON(`"f32"`, `[1]`, `[0,4]`), "abcd"), "w", `unknown dtype "f32"`},
	"shape number":        {fileOf(tensorJSON(`"U8"`, `1`, `[0,1]`), "x"), "w", `want "["`},
	"shape nested":        {fileOf(tensorJSON(`"U8"`, `[[1]]`, `[0,1]`), "x"), "w", "want a number"},
	"dim negative":        {fileOf(tensorJSON(`"U8"`, `[-1]`, `[0,1]`), "x"), "w", "-1 is not an integer from 0 to"},
	"dim fraction":        {fileOf(tensorJSON(`"U8"`, `[1.0]`, `[0,1]`), "x"), "w", "1.0 is not an integer"},
	"dim exponent":        {fileOf(tensorJSON(`"U8"`, `[1e0]`, `[0,1]`), "x"), "w", "1e0 is not an integer"},
	"dim huge":            {fileOf(tensorJSON(`"U8"`, `[18446744073709551617]`, `[0,1]`), "x"), "w", "18446744073709551617 is not an integer"},
	"elements wrap to 0":  {fileOf(tensorJSON(`"U8"`, `[1073741824,1073741824,16]`, `[0,0]`), ""), "w", "takes more than"},
	"bytes wrap to 0":     {fileOf(tensorJSON(`"F32"`, `[1073741824,1073741824,4]`, `[0,0]`), ""), "w", "takes more than"},
	"bytes wrap to below": {fileOf(tensorJSON(`"U8"`, `[1073741824,1073741824,8]`, `[0,0]`), ""), "w", "takes more than"},
	"wraps to 1 in 32":    {fileOf(tensorJSON(`"U8"`, `[4294967297]`, `[0,1]`), "x"), "w", "4294967297"},
	"overflow after 0":    {fileOf(tensorJSON(`"U8"`, `[0,1073741824,1073741824,16]`, `[0,0]`), ""), "w", "takes more than"},
	"overflow before 0":   {fileOf(tensorJSON(`"F32"`, `[1073741824,1073741824,16,0]`, `[0,0]`), ""), "w", "takes more than"},
	"rank":                {fileOf(tensorJSON(`"U8"`, `[`+strings.Repeat("1,", 64)+`1]`, `[0,1]`), "x"), "w", "more than 64 numbers"},
	"one offset":          {fileOf(tensorJSON(`"U8"`, `[0]`, `[0]`), ""), "w", "data_offsets has 1 numbers, want 2"},
	"three offsets":       {fileOf(tensorJSON(`"U8"`, `[1]`, `[0,1,2]`), "x"), "w", "more than 2 numbers"},
	"offset negative":     {fileOf(tensorJSON(`"U8"`, `[1]`, `[-1,0]`), "x"), "w", "-1 is not an integer"},
	"offset huge":         {fileOf(tensorJSON(`"U8"`, `[1]`, `[0,9223372036854775808]`), "x"), "w", "9223372036854775808 is not an integer"},
	"offsets reversed":    {fileOf(tensorJSON(`"U8"`, `[1]`, `[1,0]`), "x"), "w", "ends at offset 0, before its start at 1"},
	"beyond the data":     {fileOf(tensorJSON(`"U8"`, `[2]`, `[0,2]`), "x"), "w", "ends at offset 2, but the data section has 1 bytes"},
	"size too small":      {fileOf(tensorJSON(`"F32"`, `[2]`, `[0,4]`), "abcd"), "w", "F32[2] takes 8 bytes, but its offsets [0, 4] span 4"},
	"size too large":      {fileOf(tensorJSON(`"U8"`, `[2]`, `[0,4]`), "abcd"), "w", "U8[2] takes 2 bytes, but its offsets [0, 4] span 4"},
	"scalar without data": {fileOf(tensorJSON(`"F32"`, `[]`, `[0,0]`), ""), "w", "F32[] takes 4 bytes, but its offsets [0, 0] span 0"},
	"hole at the start":   {fileOf(tensorJSON(`"U8"`, `[1]`, `[1,2]`), "xy"), "w", "starts at offset 1, but the data before it ends at 0"},
	"hole between":        {fileOf(`{"v":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"w":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`, "xyz"), "w", "starts at offset 2, but the data before it ends at 1"},
	"overlap":             {fileOf(`{"w":{"dtype":"U8","shape":[2],"data_offsets":[1,3]},"v":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, "xyz"), "w", `starts at offset 1, within tensor "v" that ends at 2`},
	"same range":          {fileOf(`{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"v":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, "x"), "w", `within tensor "v"`},
	"empty within":        {fileOf(`{"v":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"w":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}}`, "xy"), "w", `within tensor "v"`},
	"trailing bytes":      {fileOf(tensorJSON(`"U8"`, `[1]`, `[0,1]`), "xy"), "", "tensors take 1 bytes, but the data section has 2"},
	"data without tensor": {fileOf(`{}`, "x"), "", "tensors take 0 bytes, but the data section has 1"},
	"deep":                {fileOf(`{"w":{"x":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`}}`, ""), "w", "nested more than 16 deep"},
	"deep object":         {fileOf(`{"w":{"x":`+strings.Repeat(`{"x":`, 100_000), ""), "w", "nested more than 16 deep"},
}

func TestHostile(t *testing.T) {
	for name, c := range hostile {
		t.Run(name, func(t *testing.T) {
			_, err := NewReader(bytes.NewReader(c.file), int64(len(c.file)), FileName("some file"))
			require.ErrorIs(t, err, ErrFormat)
			var format *FormatError
			require.ErrorAs(t, err, &format)
			assert.Equal(t, "some file", format.File)
			assert.Equal(t, c.tensor, format.Tensor)
			assert.Contains(t, format.Reason, c.reason)
			assert.Less(t, len(err.Error()), 500, "a message must not grow with the input")
		})
	}
}

func TestFormatErrorMessage(t *testing.T) {
	err := &FormatError{File: "m", Tensor: strings.Repeat("x", 1000), Reason: "is odd"}
	assert.Equal(t, `safetensors: m: tensor "`+strings.Repeat("x", 100)+`": is odd`, err.Error())
	assert.Equal(t, "safetensors: m: is odd", (&FormatError{File: "m", Reason: "is odd"}).Error())
}

func TestTruncatedAtEveryByte(t *testing.T) {
	file := written(t, []Tensor{Of("a", []int{2}, []float32{1, 2}), Of("b", nil, []bool{true})}, map[string]string{"k": "v"})
	for n := range file {
		_, err := NewReader(bytes.NewReader(file[:n]), int64(n))
		require.ErrorIs(t, err, ErrFormat, "first %d bytes", n)

		// The file shrinks between learning its size and reading it.
		err = readAll(bytes.NewReader(file[:n]), int64(len(file)))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "first %d bytes", n)
	}
	require.NoError(t, readAll(bytes.NewReader(file), int64(len(file))))
	_, err := NewReader(bytes.NewReader(append(file, 0)), int64(len(file)+1))
	require.ErrorIs(t, err, ErrFormat, "one byte more")
}

// readAll reads all tensors of a file.
func readAll(src io.ReaderAt, size int64) error {
	r, err := NewReader(src, size)
	if err != nil {
		return err
	}
	for _, name := range r.Names() {
		info, _ := r.Info(name)
		err = errors.Join(err, r.ReadBytes(name, make([]byte, info.Size)))
	}
	return err
}

func TestMaxHeader(t *testing.T) {
	file := written(t, nil, map[string]string{"k": strings.Repeat("v", 1000)})
	length := int64(binary.LittleEndian.Uint64(file))
	readerOf(t, file, MaxHeader(length))
	for _, limit := range []int64{length - 1, 0, -1} {
		_, err := NewReader(bytes.NewReader(file), int64(len(file)), MaxHeader(limit))
		require.ErrorIs(t, err, ErrFormat)
		assert.ErrorContains(t, err, fmt.Sprintf("header length is %d, the limit is %d", length, limit))
	}

	large := binary.LittleEndian.AppendUint64(nil, DefaultMaxHeader+1)
	_, err := NewReader(bytes.NewReader(large), 1<<40)
	require.ErrorIs(t, err, ErrFormat)
	assert.ErrorContains(t, err, "the limit is 100000000")
}

func TestAllocationFollowsRealBytes(t *testing.T) {
	// The size and the header length both promise what is not there.
	lying := append(binary.LittleEndian.AppendUint64(nil, DefaultMaxHeader), `{"w":`...)
	allocated := allocatedBytes(func() {
		_, err := NewReader(bytes.NewReader(lying), 1<<40)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	})
	assert.Less(t, allocated, uint64(64<<10))

	// The most that a header can make of its bytes: many small tensors.
	var header strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&header, `,"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`, i)
	}
	file := fileOf("{"+header.String()[1:]+"}", "")
	before := heapInUse()
	r := readerOf(t, file)
	kept := heapInUse() - before
	assert.Len(t, r.Names(), 20_000)
	assert.Less(t, kept, int64(8*len(file)), "kept for a header of %d bytes", len(file))
}

// heapInUse returns the bytes of live objects.
func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
