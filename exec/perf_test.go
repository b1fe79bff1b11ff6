package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkTreeLSTM(b *testing.B) {
	p, g := treeProgram(b, 20000, 300, 150, 5)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, batch := range []int{1, 25} {
		for _, workers := range []int{1, 2} {
			s, err := New(p, Options{Workers: workers, NoSharing: os.Getenv("FROND_UNSHARED") != ""})
			require.NoError(b, err)
			var sets [][][]Array
			for range 8 {
				var in [][]Array
				for range batch {
					in = append(in, randomTree(rng, 19, 20000, 5))
				}
				sets = append(sets, in)
			}
			for _, train := range []bool{false, true} {
				b.Run(fmt.Sprintf("train=%t/batch=%d/workers=%d", train, batch, workers), func(b *testing.B) {
					i := 0
					for b.Loop() {
						if train {
							_, err = s.Gradients(context.Background(), g, sets[i%8], GradOptions{})
						} else {
							_, err = s.RunWith(context.Background(), g, sets[i%8], RunOptions{})
						}
						require.NoError(b, err)
						i++
					}
					b.ReportMetric(float64(batch*b.N)/b.Elapsed().Seconds(), "sent/s")
				})
			}
		}
	}
}
