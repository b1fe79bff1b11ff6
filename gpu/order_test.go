package gpu_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
)

func TestMissingEventIsFound(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{Check: true})
	s, other := b.stream(), b.stream()
	x := b.alloc(s, 4*64)
	require.NoError(t, s.Fill(x, 0))

	err := b.multiply(other, x, 2)
	var race *gpu.RaceError
	require.ErrorAs(t, err, &race)
	require.ErrorIs(t, err, gpu.ErrRace)
	require.Equal(t, gpu.RaceError{
		Op: "launch of scale", Stream: 1, Write: true, OtherOp: "fill", OtherStream: 0, OtherWrite: true, Low: 0, High: 256,
	}, *race)
	require.ErrorContains(t, err, "launch of scale on stream 1 writes bytes 0 to 256 of a buffer, and is not ordered behind fill on stream 0, which writes them")

	e, err := s.Record()
	require.NoError(t, err)
	defer e.Release()
	require.NoError(t, other.Wait(e))
	require.NoError(t, b.multiply(other, x, 2))
	require.ErrorIs(t, s.Fill(x, 0), gpu.ErrRace, "nor is the way back ordered")
}

func TestReadersNeedNoOrder(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{Check: true})
	s, other := b.stream(), b.stream()
	x, y, z := b.alloc(s, 4*8), b.alloc(s, 4*8), b.alloc(other, 4*8)
	require.NoError(t, s.Fill(x, 0))
	e, err := s.Record()
	require.NoError(t, err)
	require.NoError(t, other.Wait(e))
	e.Release()
	require.NoError(t, s.Copy(y, x))
	require.NoError(t, other.Copy(z, x))
	err = s.Fill(x, 1)
	require.ErrorIs(t, err, gpu.ErrRace, "the other stream may still be reading")
	require.ErrorContains(t, err, "copy on stream 1, which reads them")
}

func TestDisjointRangesNeedNoOrder(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{Check: true})
	s, other := b.stream(), b.stream()
	x := b.alloc(s, 64)
	e, err := s.Record()
	require.NoError(t, err)
	require.NoError(t, other.Wait(e))
	e.Release()
	require.NoError(t, s.Fill(x.Slice(0, 32), 0))
	require.NoError(t, other.Fill(x.Slice(32, 64), 0))
	require.ErrorIs(t, other.Fill(x.Slice(28, 36), 0), gpu.ErrRace)
}

func TestHostWaitOrders(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{Check: true})
	s, other := b.stream(), b.stream()
	x := b.alloc(s, 64)
	require.NoError(t, s.Fill(x, 0))
	e, err := s.Record()
	require.NoError(t, err)
	require.NoError(t, e.Wait(ctx))
	e.Release()
	require.NoError(t, other.Fill(x, 1))
	require.NoError(t, b.device.Synchronize())
	require.NoError(t, s.Fill(x, 2))
}

// Order is transitive: through a third stream that never touches the buffer.
func TestOrderIsTransitive(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{Check: true})
	s, middle, last := b.stream(), b.stream(), b.stream()
	x := b.alloc(s, 64)
	for _, hop := range [][2]*gpu.Stream{{s, middle}, {middle, last}} {
		require.ErrorIs(t, last.Fill(x, 0), gpu.ErrRace)
		e, err := hop[0].Record()
		require.NoError(t, err)
		require.NoError(t, hop[1].Wait(e))
		e.Release()
	}
	require.NoError(t, last.Fill(x, 0))
}

func TestFreeIsAnAccess(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{Check: true})
	s, other := b.stream(), b.stream()
	x := b.alloc(s, 64)
	require.ErrorIs(t, other.Free(x), gpu.ErrRace)
	require.NoError(t, s.Free(x))
}

func TestIndirectBuffersAreChecked(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{Check: true})
	s, other := b.stream(), b.stream()
	x, hidden := b.alloc(other, 4), b.alloc(s, 4)
	err := other.Launch(b.scale, gpu.Cover(1, 32), gpu.InOut(x), gpu.F32(1), gpu.U32(1), gpu.In(hidden).Indirect())
	require.ErrorIs(t, err, gpu.ErrRace)
}

// Without the check an adversarial device shows the missing event itself: it may run
// the reader first.
func TestMissingEventGivesWrongResults(t *testing.T) {
	wrong := 0
	for _, seed := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		b := setUp(t, "seed="+seed, gpu.Options{})
		s, other := b.stream(), b.stream()
		x, y := b.alloc(s, 4), b.alloc(other, 4)
		require.NoError(t, s.Fill(x, 7))
		require.NoError(t, other.Copy(y, x))
		data := make([]byte, 4)
		require.NoError(t, other.Download(ctx, data, y))
		if data[0] != 7 {
			wrong++
		}
	}
	require.Positive(t, wrong)
}

// A chain of work that moves between streams at random gives the right sum, and the
// check agrees that it is ordered.
func TestRandomChains(t *testing.T) {
	for _, configuration := range []string{"scheduler=threads", "seed=1", "seed=2", "seed=3"} {
		b := setUpAnywhere(t, configuration, gpu.Options{Check: true})
		random := rand.New(rand.NewPCG(3, 4))
		streams := []*gpu.Stream{b.stream(), b.stream(), b.stream(), b.stream()}
		at := 0
		x := b.alloc(streams[at], 4*4)
		require.NoError(t, streams[at].Upload(ctx, x, encode(1, 2, 3, 4)))
		for range 40 {
			next := random.IntN(len(streams))
			e, err := streams[at].Record()
			require.NoError(t, err)
			require.NoError(t, streams[next].Wait(e))
			e.Release()
			at = next
			y := b.alloc(streams[at], 4*4)
			require.NoError(t, b.sum(streams[at], y, x, x))
			require.NoError(t, b.multiply(streams[at], y, 0.5))
			require.NoError(t, streams[at].Free(x))
			x = y
		}
		require.Equal(t, []float32{1, 2, 3, 4}, b.download(streams[at], x))
	}
}

// One stream per worker, all at once.
func TestWorkersAtOnce(t *testing.T) {
	b := setUpAnywhere(t, "scheduler=threads", gpu.Options{Check: true})
	const workers = 4
	var group sync.WaitGroup
	sums := make([]float32, workers)
	errs := make([]error, workers)
	for w := range workers {
		group.Go(func() { sums[w], errs[w] = b.powerOfTwo(10 + w) })
	}
	group.Wait()
	for w := range workers {
		require.NoError(t, errs[w])
		require.Equal(t, float32(int(1)<<(10+w)), sums[w])
	}
}

// powerOfTwo computes 2^n by doubling on a stream of its own.
func (b *bench) powerOfTwo(n int) (float32, error) {
	s, err := b.device.NewStream()
	if err != nil {
		return 0, err
	}
	x, err := s.Alloc(4)
	if err != nil {
		return 0, err
	}
	if err := s.Upload(ctx, x, encode(1)); err != nil {
		return 0, err
	}
	for range n {
		y, err := s.Alloc(4)
		if err != nil {
			return 0, err
		}
		if err := b.sum(s, y, x, x); err != nil {
			return 0, err
		}
		if err := s.Free(x); err != nil {
			return 0, err
		}
		x = y
	}
	data := make([]byte, 4)
	if err := s.Download(ctx, data, x); err != nil {
		return 0, err
	}
	return floats(data)[0], s.Close()
}

// A stream that has waited is another one than before, also if it does nothing
// before its next event is recorded or its next buffer is freed.
func TestWaitCountsAsWork(t *testing.T) {
	for _, seed := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		b := setUpAnywhere(t, "seed="+seed, gpu.Options{})
		first, middle, last := b.stream(), b.stream(), b.stream()
		hop := func(from, to *gpu.Stream) {
			e, err := from.Record()
			require.NoError(t, err)
			require.NoError(t, to.Wait(e))
			e.Release()
		}
		x, y := b.alloc(first, 4), b.alloc(last, 4)
		hop(middle, last)
		require.NoError(t, first.Fill(x, 0x40000000))
		hop(first, middle)
		hop(middle, last)
		require.NoError(t, last.Copy(y, x))
		require.Equal(t, []float32{2}, b.download(last, y), "seed %s", seed)
	}
}

func TestFreeBehindAWait(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{})
	user, owner, other := b.stream(), b.stream(), b.stream()
	x := b.alloc(owner, 4)
	require.NoError(t, owner.Fill(x, 0))
	e, err := owner.Record()
	require.NoError(t, err)
	require.NoError(t, other.Wait(e))
	require.NoError(t, user.Wait(e))
	require.NoError(t, user.Fill(x, 1))
	used, err := user.Record()
	require.NoError(t, err)
	require.NoError(t, owner.Wait(used))
	require.NoError(t, owner.Free(x))
	calls := b.device.MemoryStats().DriverCalls
	b.alloc(other, 4)
	require.Equal(t, calls+1, b.device.MemoryStats().DriverCalls, "the other stream is not ordered behind the last use")
}

func TestEmptyCopies(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{Check: true})
	s := b.stream()
	x, y := b.alloc(s, 0), b.alloc(s, 4)
	require.NoError(t, s.Fill(x, 1))
	require.NoError(t, s.Copy(x, y.Slice(4, 4)))
	require.NoError(t, s.Upload(ctx, x, nil))
	require.NoError(t, s.Download(ctx, nil, x))
	require.ErrorIs(t, s.Copy(x, y), gpu.ErrArgument)
}
