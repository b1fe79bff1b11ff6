package gpu_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
)

// graph is a program as a graph of operations: an edge for the order of a stream,
// and one for each wait. Two operations are ordered if one is reachable from the
// other, which is searched for and not derived from clocks.
type graph struct {
	before   [][]int // edges, backwards
	accesses []graphAccess
}

type graphAccess struct {
	node, buffer, low, high int
	write                   bool
}

func (g *graph) add(before ...int) int {
	g.before = append(g.before, before)
	return len(g.before) - 1
}

func (g *graph) reaches(from, to int) bool {
	seen := map[int]bool{}
	for stack := []int{to}; len(stack) > 0; {
		node := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if node == from {
			return true
		}
		for _, n := range g.before[node] {
			if !seen[n] {
				seen[n] = true
				stack = append(stack, n)
			}
		}
	}
	return false
}

// conflicts reports whether an access is unordered with an earlier one.
func (g *graph) conflicts(a graphAccess) bool {
	for _, b := range g.accesses {
		overlap := a.buffer == b.buffer && a.low < b.high && b.low < a.high
		if overlap && (a.write || b.write) && !g.reaches(b.node, a.node) {
			return true
		}
	}
	return false
}

// On random programs the check agrees with the graph, access by access; and what it
// lets pass has the results of the program's order, whatever the device does first.
func TestCheckAgreesWithReachability(t *testing.T) {
	races, passes := 0, 0
	for seed := range uint64(15) {
		b := setUpAnywhere(t, fmt.Sprintf("seed=%d", seed), gpu.Options{Check: true})
		random := rand.New(rand.NewPCG(seed, 9))
		p := newRandomProgram(b, 4, 3)
		for range 80 {
			if random.IntN(3) == 0 {
				p.wait(random.IntN(len(p.streams)), random.IntN(len(p.streams)))
			} else if p.access(random) {
				races++
			} else {
				passes++
			}
		}
		p.compare()
	}
	t.Logf("%d races, %d accesses in order", races, passes)
	require.Greater(t, races, 100)
	require.Greater(t, passes, 100)
}

const words = 16 // in each buffer

// randomProgram issues operations on a device and notes them in a graph.
type randomProgram struct {
	*bench
	graph   graph
	streams []*gpu.Stream
	last    []int // the node at the end of each stream
	buffers []gpu.Buffer
	memory  [][words]float32 // what is in the buffers by the program's order
	copies  []copied
	writes  int
}

// copied is a part of a buffer that was read, and what should have been there.
type copied struct {
	stream *gpu.Stream
	buffer gpu.Buffer
	want   []float32
}

func newRandomProgram(b *bench, streams, buffers int) *randomProgram {
	b.Helper()
	p := &randomProgram{bench: b, memory: make([][words]float32, buffers)}
	for range streams {
		p.streams = append(p.streams, b.stream())
	}
	for range buffers {
		p.buffers = append(p.buffers, b.alloc(p.streams[0], 4*words))
		require.NoError(b, p.streams[0].Fill(p.buffers[len(p.buffers)-1], 0))
	}
	// Everything is ordered behind the allocations.
	require.NoError(b, b.device.Synchronize())
	start := p.graph.add()
	for range streams {
		p.last = append(p.last, start)
	}
	return p
}

// wait lets a stream wait for another.
func (p *randomProgram) wait(waiter, other int) {
	e, err := p.streams[other].Record()
	require.NoError(p, err)
	require.NoError(p, p.streams[waiter].Wait(e))
	e.Release()
	p.last[waiter] = p.graph.add(p.last[waiter], p.last[other])
}

// access reads or writes a part of a buffer, if the check lets it, and reports whether
// it was a race.
func (p *randomProgram) access(random *rand.Rand) bool {
	stream, buffer := random.IntN(len(p.streams)), random.IntN(len(p.buffers))
	low := random.IntN(words)
	high := low + 1 + random.IntN(words-low)
	write := random.IntN(2) == 0
	node := p.graph.add(p.last[stream])
	a := graphAccess{node, buffer, low, high, write}
	want := p.graph.conflicts(a)

	err := p.issue(p.streams[stream], buffer, low, high, write)
	require.Equal(p, want, errors.Is(err, gpu.ErrRace), "%+v: %v", a, err)
	if err == nil {
		p.graph.accesses = append(p.graph.accesses, a)
		p.last[stream] = node
	}
	return want
}

// issue fills a part of a buffer with a new number, or copies it.
func (p *randomProgram) issue(s *gpu.Stream, buffer, low, high int, write bool) error {
	part := p.buffers[buffer].Slice(int64(4*low), int64(4*high))
	memory := p.memory[buffer][low:high]
	if !write {
		c := copied{s, p.alloc(s, part.Size()), slices.Clone(memory)}
		err := s.Copy(c.buffer, part)
		if err == nil {
			p.copies = append(p.copies, c)
		}
		return err
	}
	p.writes++
	err := s.Fill(part, math.Float32bits(float32(p.writes)))
	if err == nil {
		for i := range memory {
			memory[i] = float32(p.writes)
		}
	}
	return err
}

// compare compares what is on the device with what should be.
func (p *randomProgram) compare() {
	p.Helper()
	require.NoError(p, p.device.Synchronize())
	for i, c := range p.copies {
		require.Equal(p, c.want, p.download(c.stream, c.buffer), "read %d", i)
	}
	for i, b := range p.buffers {
		require.Equal(p, p.memory[i][:], p.download(p.streams[0], b), "buffer %d", i)
	}
}

// Streams that allocate, use and free memory at the same time never get in each
// other's way, whatever the order in which the device works.
func TestReuseNeverMixesBuffers(t *testing.T) {
	const rounds = 20
	for _, configuration := range []string{"scheduler=threads", "seed=1", "seed=2", "seed=3", "seed=4", "seed=5"} {
		b := setUpAnywhere(t, configuration, gpu.Options{Memory: 16 << 10})
		random := rand.New(rand.NewPCG(5, 6))
		streams := []*gpu.Stream{b.stream(), b.stream(), b.stream()}
		results := make([]gpu.Buffer, len(streams))
		for i, s := range streams {
			results[i] = b.alloc(s, 4*rounds)
		}
		for n := range rounds {
			for i, s := range streams {
				x := b.alloc(s, int64(4*(1+random.IntN(200))))
				require.NoError(t, s.Fill(x, uint32(1000*i+n)))
				require.NoError(t, s.Copy(results[i].Slice(int64(4*n), int64(4*n+4)), x.Slice(0, 4)))
				require.NoError(t, s.Free(x))
				if random.IntN(10) == 0 {
					e, err := s.Record()
					require.NoError(t, err)
					require.NoError(t, streams[(i+1)%3].Wait(e))
					e.Release()
				}
			}
		}
		for i, s := range streams {
			data := make([]byte, 4*rounds)
			require.NoError(t, s.Download(ctx, data, results[i]))
			for n := range rounds {
				require.EqualValues(t, 1000*i+n, uint32(data[4*n])|uint32(data[4*n+1])<<8, "stream %d, round %d", i, n)
			}
		}
		require.LessOrEqual(t, b.device.MemoryStats().Cached, int64(16<<10))
	}
}

// What a program reads without having written it is a NaN, the first time and when
// memory is reused.
func TestCheckPoisonsMemory(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{Check: true})
	s := b.stream()
	for range 2 {
		x := b.alloc(s, 8)
		for _, v := range b.download(s, x) {
			require.True(t, v != v)
		}
		require.NoError(t, s.Upload(ctx, x, encode(1, 2)))
		require.NoError(t, s.Free(x))
	}
}
