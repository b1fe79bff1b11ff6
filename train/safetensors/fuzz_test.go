package safetensors

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzReader asserts that any input is either refused as malformed or can be read
// in full, holds no more than its size, and survives being written again.
func FuzzReader(f *testing.F) {
	for _, c := range hostile {
		f.Add(c.file)
	}
	f.Add(fileOf(`{"b":{"dtype":"BF16","shape":[1,2],"data_offsets":[1,5]},"u":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}`, "abcde"))
	f.Add(fileOf(`{"__metadata__":{"k":"v"},"":{"dtype":"I64","shape":[3,0],"data_offsets":[0,0]}}   `, ""))
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			require.ErrorIs(t, err, ErrFormat)
			return
		}
		var total int64
		var tensors []Tensor
		content := map[string][]byte{}
		for _, name := range r.Names() {
			info, ok := r.Info(name)
			require.True(t, ok)
			total += info.Size
			require.LessOrEqual(t, total, int64(len(file)))
			data := make([]byte, info.Size)
			require.NoError(t, r.ReadBytes(name, data))
			if info.DType == F32 || info.DType == F16 || info.DType == BF16 {
				require.NoError(t, r.ReadAsF32(name, make([]float32, info.Len())))
			}
			if name == "" { // readable, but we do not write it
				continue
			}
			content[name] = data
			tensors = append(tensors, Raw(name, info.DType, info.Shape, bytes.NewReader(data)))
		}
		again := readerOf(t, written(t, tensors, r.Metadata()))
		require.Len(t, again.Names(), len(tensors))
		for name, want := range content {
			got := make([]byte, len(want))
			require.NoError(t, again.ReadBytes(name, got))
			require.Equal(t, want, got)
		}
	})
}
