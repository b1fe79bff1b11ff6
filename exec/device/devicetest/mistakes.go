package devicetest

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// foreign is a buffer of no device.
type foreign struct{}

func (foreign) Words() int { return 100 }

// mistakes checks that what cannot be right is refused and changes nothing.
func (s *suite) mistakes() {
	x := s.uniform(10)
	a := s.floats(x)
	for what, err := range map[string]error{
		"upload beyond the end":      s.stream.UploadFloats(a, 8, make([]float32, 3)),
		"upload before the start":    s.stream.UploadFloats(a, -1, make([]float32, 3)),
		"upload of integers":         s.stream.UploadInts(a, 10, make([]int32, 1)),
		"download beyond the end":    s.stream.DownloadFloats(make([]float32, 11), a, 0),
		"download of integers":       s.stream.DownloadInts(make([]int32, 1), a, -1),
		"copy from beyond the end":   s.stream.Copy(a, 0, a, 8, 3),
		"copy beyond the end":        s.stream.Copy(a, 8, a, 0, 3),
		"copy of less than nothing":  s.stream.Copy(a, 0, a, 5, -1),
		"zero beyond the end":        s.stream.Zero(a, 9, 2),
		"scale beyond the end":       s.stream.Scale(a, 11, 2),
		"upload to another's buffer": s.stream.UploadFloats(foreign{}, 0, make([]float32, 1)),
		"upload to no buffer":        s.stream.UploadFloats(nil, 0, make([]float32, 1)),
		"free of another's buffer":   s.stream.Free(foreign{}),
		"launch of no kernel":        s.stream.Launch(nil, &device.Call{}),
		"wait for no event":          s.stream.Wait(nil),
	} {
		assert.Error(s.t, err, what)
	}
	_, err := s.stream.Alloc(-1)
	assert.Error(s.t, err)
	_, err = s.stream.Fetch(a, 8, 3)
	assert.Error(s.t, err)
	assert.Equal(s.t, x, s.download(a))
	s.freed()
	s.noKernel()
}

// freed checks that a buffer is of no use once it is freed.
func (s *suite) freed() {
	b := s.floats(s.uniform(10))
	s.free(b)
	assert.Error(s.t, s.stream.Free(b), "free twice")
	assert.Error(s.t, s.stream.UploadFloats(b, 0, make([]float32, 10)), "upload after free")
	assert.Error(s.t, s.stream.DownloadFloats(make([]float32, 10), b, 0), "download after free")
}

// noKernel checks what is said about operators that no device can have kernels for.
func (s *suite) noKernel() {
	list := graph.T(graph.Float32, graph.Any)
	length, err := ops.Registry()["len"](nil)
	require.NoError(s.t, err)
	in, out := []graph.Type{list}, graph.T(graph.Int32)
	_, err = s.device.Compile(device.Operator{Op: length, In: in, Out: out})
	require.ErrorIs(s.t, err, device.ErrNoKernel)
	assert.ErrorContains(s.t, err, "len")
	_, err = s.device.Fuse(device.Chain{Operands: 2, Steps: []device.Step{{Op: length, In: in, Out: out, Size: 1, To: 1}}})
	require.ErrorIs(s.t, err, device.ErrNoKernel)
}
