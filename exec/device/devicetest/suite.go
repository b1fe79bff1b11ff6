package devicetest

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
)

// Options adapts the suite to a device.
type Options struct {
	// Tolerance bounds errors: |got-want| may be Tolerance*(1+|want|). Zero means 2e-5.
	Tolerance float64
	// ProductTolerance is the same for Multiply, 0 for Tolerance: products may be
	// computed with less precision.
	ProductTolerance float64
	// BatchVariant lets the bits of a row of a product depend on the rows beside it, as
	// those of libraries do, and leaves out the check that they do not.
	BatchVariant bool
	// Small leaves out larger shapes and most random repetitions.
	Small bool
	// Requires says which operators must have a kernel; nil means none must.
	Requires func(device.Operator) bool
}

const defaultTolerance = 2e-5

func (o Options) tolerance() float64 {
	if o.Tolerance == 0 {
		return defaultTolerance
	}
	return o.Tolerance
}

func (o Options) productTolerance() float64 {
	if o.ProductTolerance == 0 {
		return o.tolerance()
	}
	return o.ProductTolerance
}

// repeat returns how often something random is repeated.
func (o Options) repeat(n int) int {
	if o.Small {
		return max(1, n/8)
	}
	return n
}

// sizes returns sizes of which the largest are left out for slow devices.
func (o Options) sizes(small []int, larger ...int) []int {
	if o.Small {
		return small
	}
	return append(small[:len(small):len(small)], larger...)
}

// bitsOfRows names the test that Options.BatchVariant leaves out.
const bitsOfRows = "multiply, bits"

// Run runs the suite. Each test opens a device and leaves nothing on it; open may
// return the same one again.
func Run(t *testing.T, open func(*testing.T) device.Device, o Options) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*suite)
	}{
		{"name", (*suite).names},
		{"memory", (*suite).memory},
		{"copies", (*suite).copies},
		{"fetch", (*suite).fetch},
		{"out of memory", (*suite).outOfMemory},
		{"mistakes", (*suite).mistakes},
		{"order", (*suite).order},
		{"concurrency", (*suite).concurrency},
		{"multiply", (*suite).multiply},
		{bitsOfRows, (*suite).multiplyBits},
		{"outer products", (*suite).outerProducts},
		{"groups", (*suite).groups},
		{"columns", (*suite).columns},
		{"matrix copies", (*suite).matrixCopies},
		{"updates", (*suite).updates},
		{"scale and squares", (*suite).scaleAndSquares},
	} {
		t.Run(test.name, func(t *testing.T) {
			if o.BatchVariant && test.name == bitsOfRows {
				t.Skip("products of the device are not batch-invariant")
			}
			test.run(newSuite(t, open(t), o))
		})
	}
	t.Run("chains", func(t *testing.T) { Chains(t, open(t), o) })
	t.Run("operators", func(t *testing.T) { Operators(t, open(t), o) })
}

// suite is a device under test with a stream.
type suite struct {
	t      testing.TB
	device device.Device
	stream device.Stream
	o      Options
	rng    *rand.Rand
	owned  map[device.Buffer]bool
}

func newSuite(t testing.TB, d device.Device, o Options) *suite {
	t.Helper()
	h := fnv.New64a()
	h.Write([]byte(t.Name()))
	s := &suite{t: t, device: d, o: o, rng: rand.New(rand.NewPCG(h.Sum64(), 1)), owned: map[device.Buffer]bool{}}
	var err error
	s.stream, err = d.NewStream()
	require.NoError(t, err)
	t.Cleanup(s.close)
	return s
}

func (s *suite) close() {
	s.freeAll()
	require.NoError(s.t, s.stream.Close())
}

// freeAll frees the buffers of the suite.
func (s *suite) freeAll() {
	for b := range s.owned {
		require.NoError(s.t, s.stream.Free(b))
	}
	clear(s.owned)
}

// free frees a buffer early.
func (s *suite) free(b device.Buffer) {
	delete(s.owned, b)
	require.NoError(s.t, s.stream.Free(b))
}

func (s *suite) alloc(words int) device.Buffer {
	b, err := s.stream.Alloc(words)
	require.NoError(s.t, err)
	require.Equal(s.t, words, b.Words())
	s.owned[b] = true
	return b
}

// floats returns a buffer that holds x.
func (s *suite) floats(x []float32) device.Buffer {
	b := s.alloc(len(x))
	require.NoError(s.t, s.stream.UploadFloats(b, 0, x))
	return b
}

// ints returns a buffer that holds x.
func (s *suite) ints(x []int32) device.Buffer {
	b := s.alloc(len(x))
	require.NoError(s.t, s.stream.UploadInts(b, 0, x))
	return b
}

// index returns x as a list that does not start where its buffer does.
func (s *suite) index(x []int32) device.Index {
	const offset = 3
	padded := make([]int32, offset+len(x)+1)
	for i := range padded {
		padded[i] = math.MaxInt32
	}
	copy(padded[offset:], x)
	return device.Index{Buffer: s.ints(padded), Offset: offset}
}

func (s *suite) download(b device.Buffer) []float32 {
	x := make([]float32, b.Words())
	require.NoError(s.t, s.stream.DownloadFloats(x, b, 0))
	return x
}

func (s *suite) downloadInts(b device.Buffer) []int32 {
	x := make([]int32, b.Words())
	require.NoError(s.t, s.stream.DownloadInts(x, b, 0))
	return x
}

// uniform returns n numbers between -1 and 1.
func (s *suite) uniform(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = s.rng.Float32()*2 - 1
	}
	return x
}

func (s *suite) names() {
	require.NotEmpty(s.t, s.device.Name())
}
