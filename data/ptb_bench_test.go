package data

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func benchmarkPTB(b *testing.B, text []byte, o PTBOptions) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	nodes := 0
	for b.Loop() {
		r := NewPTBReader(bytes.NewReader(text), "", o)
		for {
			tree, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			nodes += tree.Len()
		}
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
}

func BenchmarkPTBReader(b *testing.B) {
	b.Run("small", func(b *testing.B) {
		text := strings.Repeat("(3 (2 (2 The) (2 Rock)) (4 (3 (2 is) (4 (2 destined) (2 soon))) (2 .)))\n", 1000)
		benchmarkPTB(b, []byte(text), SSTOptions())
	})
	b.Run("sst", func(b *testing.B) {
		text, err := os.ReadFile(sharedPath(b, "data", "sst", "train.txt"))
		require.NoError(b, err)
		benchmarkPTB(b, text, SSTOptions())
	})
	b.Run("icepahc", func(b *testing.B) {
		text, err := os.ReadFile(sharedPath(b, "data", "messy", "icepahc", "1883.voggur.nar-fic.psd"))
		require.NoError(b, err)
		benchmarkPTB(b, text, PTBOptions{})
	})
}
