package driver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu/driver"
)

// The benchmarks measure calls of the emulated driver. Its own part is some tens of
// nanoseconds in a query; a launch it copies and queues.

func BenchmarkQuery(b *testing.B) {
	c, _ := open(b, "scheduler=threads")
	e, err := c.NewEvent()
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.EventDone(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLaunch(b *testing.B) {
	c, _ := open(b, "scheduler=threads")
	s, err := c.NewStream()
	require.NoError(b, err)
	m, err := c.LoadModule(scalePTX)
	require.NoError(b, err)
	f, err := c.Function(m, "scale")
	require.NoError(b, err)
	p, err := c.Alloc(4)
	require.NoError(b, err)
	parameters := driver.NewParameters()
	defer parameters.Close()
	one := driver.Dim3{X: 1, Y: 1, Z: 1}
	b.ReportAllocs()
	for b.Loop() {
		parameters.Reset()
		_, _, _ = parameters.Word(uint64(p)), parameters.Word(0), parameters.Word(1)
		if err := c.Launch(f, one, one, 0, s, parameters); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, c.SynchronizeStream(s))
}
