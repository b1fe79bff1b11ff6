package gpu_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
)

// ordering lets streams wait for each other, except once.
type ordering struct {
	skip  int // the number of the wait that is left out
	waits int
}

func (o *ordering) order(first, then *gpu.Stream) error {
	o.waits++
	if o.waits-1 == o.skip {
		return nil
	}
	return order(first, then)
}

// exchange is a program of four streams with every kind of dependence between them.
// Each wait is the only reason for which something is in order.
type exchange struct {
	*bench
	ordering
	a, b, c, d   *gpu.Stream
	x, y, z, sum gpu.Buffer
	again        gpu.Buffer // in the memory of y
	results      []float32
}

// run returns what the program computes: from x = 1, 2, ..., 16 the sums 2 x + 3 x, then
// 3 x + 4, then 9.
func (p *exchange) run() ([]float32, error) {
	for _, step := range []func() error{p.produce, p.fanOut, p.fanIn, p.overwrite, p.reuse, p.accumulate, p.collect} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p.results, nil
}

func (p *exchange) produce() error {
	p.a, p.b, p.c, p.d = p.stream(), p.stream(), p.stream(), p.stream()
	p.x, p.y, p.z, p.sum = p.alloc(p.a, 64), p.alloc(p.b, 64), p.alloc(p.c, 64), p.alloc(p.d, 64)
	x := make([]float32, 16)
	for i := range x {
		x[i] = float32(i + 1)
	}
	return p.a.Upload(ctx, p.x, encode(x...))
}

// fanOut gives x to two streams: y = 2 x and z = 3 x.
func (p *exchange) fanOut() error {
	return all(
		func() error { return p.order(p.a, p.b) },
		func() error { return p.order(p.a, p.c) },
		func() error { return p.b.Copy(p.y, p.x) },
		func() error { return p.multiply(p.b, p.y, 2) },
		func() error { return p.c.Copy(p.z, p.x) },
		func() error { return p.multiply(p.c, p.z, 3) },
	)
}

// fanIn joins them: sum = y + z.
func (p *exchange) fanIn() error {
	return all(
		func() error { return p.order(p.b, p.d) },
		func() error { return p.order(p.c, p.d) },
		func() error { return p.bench.sum(p.d, p.sum, p.y, p.z) },
	)
}

// overwrite sets x to 4 when both have read it.
func (p *exchange) overwrite() error {
	return all(
		func() error { return p.order(p.b, p.a) },
		func() error { return p.order(p.c, p.a) },
		func() error { return p.a.Fill(p.x, 0x40800000) },
	)
}

// reuse frees y when it has been read, and computes 9 in what the allocator gives
// instead, the same memory.
func (p *exchange) reuse() error {
	return all(
		func() error { return p.order(p.d, p.b) },
		func() error { return p.b.Free(p.y) },
		func() (err error) { p.again, err = p.b.Alloc(64); return err },
		func() error { return p.b.Fill(p.again, 0x3f800000) },
		func() error { return p.multiply(p.b, p.again, 3) },
		func() error { return p.multiply(p.b, p.again, 3) },
	)
}

// accumulate adds the new x to z, which has been read.
func (p *exchange) accumulate() error {
	return all(
		func() error { return p.order(p.a, p.c) },
		func() error { return p.order(p.d, p.c) },
		func() error { return p.bench.sum(p.c, p.z, p.z, p.x) },
	)
}

// collect puts the results into one buffer, on one stream, and downloads that.
func (p *exchange) collect() error {
	results := p.alloc(p.a, 3*64)
	err := all(
		func() error { return p.order(p.d, p.a) },
		func() error { return p.a.Copy(results.Slice(0, 64), p.sum) },
		func() error { return p.order(p.c, p.a) },
		func() error { return p.a.Copy(results.Slice(64, 128), p.z) },
		func() error { return p.order(p.b, p.a) },
		func() error { return p.a.Copy(results.Slice(128, 192), p.again) },
	)
	if err != nil {
		return err
	}
	data := make([]byte, results.Size())
	err = p.a.Download(ctx, data, results)
	p.results = floats(data)
	return err
}

// all calls functions until one fails.
func all(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// exchanged is what an exchange computes.
func exchanged() []float32 {
	want := make([]float32, 3*16)
	for i := range 16 {
		x := float32(i + 1)
		want[i], want[16+i], want[32+i] = 2*x+3*x, 3*x+4, 9
	}
	return want
}

// Without any one of its waits the check finds a race, and a device that runs streams in
// an unexpected order computes something else.
func TestEveryWaitIsNeeded(t *testing.T) {
	complete := exchange{bench: setUp(t, "seed=1", gpu.Options{Check: true}), ordering: ordering{skip: -1}}
	got, err := complete.run()
	require.NoError(t, err)
	require.Equal(t, exchanged(), got)
	require.Equal(t, 12, complete.waits)
	for skip := range complete.waits {
		checked := exchange{bench: setUp(t, "", gpu.Options{Check: true}), ordering: ordering{skip: skip}}
		_, err := checked.run()
		require.ErrorIs(t, err, gpu.ErrRace, "without wait %d", skip)
		require.True(t, someSeedIsWrong(t, skip), "without wait %d", skip)
	}
}

// someSeedIsWrong reports whether a device without the check computes something else
// without a wait.
func someSeedIsWrong(t *testing.T, skip int) bool {
	t.Helper()
	for seed := range 60 {
		p := exchange{bench: setUp(t, fmt.Sprintf("seed=%d", seed), gpu.Options{}), ordering: ordering{skip: skip}}
		got, err := p.run()
		require.NoError(t, err)
		if !slices.Equal(got, exchanged()) {
			return true
		}
	}
	return false
}

// With all its waits the program is right in any order.
func TestExchangeInAnyOrder(t *testing.T) {
	for _, configuration := range []string{"scheduler=threads", "seed=1", "seed=2", "seed=3", "seed=4", "seed=5"} {
		p := exchange{bench: setUpAnywhere(t, configuration, gpu.Options{}), ordering: ordering{skip: -1}}
		got, err := p.run()
		require.NoError(t, err)
		require.Equal(t, exchanged(), got, configuration)
	}
}
