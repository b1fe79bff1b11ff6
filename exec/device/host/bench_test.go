package host_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Products and gates of a TreeLSTM with 100 nodes of 150 units.
const (
	benchRows  = 100
	benchUnits = 150
)

func BenchmarkMultiply(b *testing.B) {
	s, err := host.New(host.Options{}).NewStream()
	require.NoError(b, err)
	const k, n = 2 * benchUnits, 5 * benchUnits
	buffer, err := s.Alloc(benchRows*k + benchRows*n + k*n)
	require.NoError(b, err)
	p := device.Product{M: benchRows, A: device.Rows{Buffer: buffer, Stride: k}, C: device.Rows{Buffer: buffer, Offset: benchRows * k, Stride: n},
		W: device.Matrix{Buffer: buffer, Offset: benchRows * (k + n), Rows: k, Columns: n, Stride: n}}
	for b.Loop() {
		require.NoError(b, s.Multiply(p))
	}
	b.ReportMetric(2*benchRows*k*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func BenchmarkChain(b *testing.B) {
	d := host.New(host.Options{})
	s, err := d.NewStream()
	require.NoError(b, err)
	buffer, err := s.Alloc(benchRows * 5 * benchUnits)
	require.NoError(b, err)
	c := device.Chain{Operands: 5}
	call := &device.Call{N: benchRows}
	t := []graph.Type{graph.T(graph.Float32, benchUnits)}
	for i := range 5 {
		op, err := ops.Registry()[[]string{"sigmoid", "tanh"}[i%2]](nil)
		require.NoError(b, err)
		c.Steps = append(c.Steps, device.Step{Op: op, In: t, Out: t[0], Size: benchUnits, To: i, From: [2]int{i, i}})
		call.In = append(call.In, device.Rows{Buffer: buffer, Offset: i * benchUnits, Stride: 5 * benchUnits})
	}
	k, err := d.Fuse(c)
	require.NoError(b, err)
	for b.Loop() {
		require.NoError(b, s.Launch(k, call))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(5*benchRows*benchUnits), "ns/element")
}
