package ops

import (
	"fmt"
	"testing"

	"github.com/frondml/frond/graph"
)

// BenchmarkElementwise runs kernels over batches of rows in the layouts that
// executors meet: contiguous results, rows found by an index, a shared operand.
func BenchmarkElementwise(b *testing.B) {
	vector, scalar := graph.T(graph.Float32, 150), graph.T(graph.Float32)
	index := make([]int32, 256)
	for i := range index {
		index[i] = int32(i * 37 % 256)
	}
	contiguous := func(n int) Rows {
		return Rows{F: make([]float32, 256*n), I: make([]int32, 256*n), Stride: n}
	}
	indexed := func(n int) Rows {
		r := contiguous(n)
		r.Index = index
		return r
	}
	shared := func(n int) Rows {
		r := contiguous(n)
		r.Stride = 0
		return r
	}
	word := graph.T(graph.Int32)
	for _, c := range []struct {
		name string
		op   Op
		in   []graph.Type
		rows []Rows
	}{
		{"sigmoid", sigmoid, []graph.Type{vector}, []Rows{contiguous(150)}},
		{"tanh", tanh, []graph.Type{vector}, []Rows{indexed(150)}},
		{"add", add, []graph.Type{vector, vector}, []Rows{contiguous(150), contiguous(150)}},
		{"add indexed", add, []graph.Type{vector, vector}, []Rows{indexed(150), contiguous(150)}},
		{"add bias", add, []graph.Type{vector, vector}, []Rows{contiguous(150), shared(150)}},
		{"scale rows", mul, []graph.Type{vector, scalar}, []Rows{contiguous(150), contiguous(1)}},
		{"less", less, []graph.Type{word, word}, []Rows{contiguous(1), shared(1)}},
		{"cross entropy", crossEntropyOp{}, []graph.Type{graph.T(graph.Float32, 5), word}, []Rows{contiguous(5), contiguous(1)}},
	} {
		out, err := c.op.Infer(c.in)
		if err != nil {
			b.Fatal(err)
		}
		kernel := c.op.Lower(c.in, out[0]).Rows
		for _, n := range []int{1, 256} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				batch := &Batch{N: n, In: c.rows, Out: contiguous(out[0].Size()), Tmp: &Scratch{}}
				b.ReportAllocs()
				for b.Loop() {
					if err := kernel(batch); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
			})
		}
	}
}
