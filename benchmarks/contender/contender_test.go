package contender

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/exec"
)

func TestContendersAgree(t *testing.T) {
	for _, workers := range []int{1, 2} {
		s := Setting{Corpus: corpus.Generate("moderate", 24, 9, corpus.Moderate), Embed: 12, Hidden: 10, Workers: workers}
		s.Corpus.Vocab = 50
		for _, tree := range s.Corpus.Trees {
			for i := range tree.Word {
				tree.Word[i] %= 50
			}
		}
		var cs []Contender
		add := func(c Contender, err error) {
			require.NoError(t, err)
			cs = append(cs, c)
		}
		add(NewLevel("level", s, 0))
		add(NewLevel("one row", s, 1))
		add(NewRecursive("shared", s, exec.Options{}))
		add(NewRecursive("unshared", s, exec.Options{NoSharing: true}))
		add(NewRecursive("unbatched", s, exec.Options{NoSharing: true, Batching: exec.BatchOff}))
		add(NewIterative("iterative", s, exec.Options{}))
		add(NewWaves("by node", s, ByNode, exec.Options{}))
		add(NewWaves("by height", s, ByHeight, exec.Options{}))
		batches := Batches(s.Corpus.Trees, 6)
		unrolled, spent, err := NewUnrolled("unrolled", s, batches, exec.Options{})
		require.NoError(t, err)
		require.True(t, spent.Build > 0 && spent.Plan > 0)
		cs = append(cs, unrolled)
		require.NoError(t, Agree(cs, batches))
		_, err = unrolled.Infer(Batches(s.Corpus.Trees, 2)[0])
		require.ErrorContains(t, err, "mini-batch of 2 trees was not unrolled")
		// Those that have been trained differ from those that have not.
		add(NewLevel("fresh", s, 0))
		require.ErrorContains(t, Agree(cs, batches), "fresh has losses")
		for _, c := range cs {
			require.NoError(t, c.Close())
		}
		err = Agree(cs[2:], batches)
		require.ErrorIs(t, err, exec.ErrClosed)
		require.ErrorContains(t, err, "shared: ")
	}
}

func TestAgreeRefusesNaN(t *testing.T) {
	nan := fake{loss: []float64{0}}
	nan.loss[0] /= nan.loss[0]
	require.Error(t, Agree([]Contender{fake{loss: []float64{1}}, nan}, []*Batch{{}}))
	require.Error(t, Agree([]Contender{nan, nan}, []*Batch{{}}))
	require.NoError(t, Agree([]Contender{fake{loss: []float64{1}}, fake{loss: []float64{1.0001}}}, []*Batch{{}}))
	require.Error(t, Agree([]Contender{fake{loss: []float64{1}}, fake{loss: []float64{1.001}}}, []*Batch{{}}))
	broken := errors.New("broken")
	require.ErrorIs(t, Agree([]Contender{fake{err: broken}}, []*Batch{{}}), broken)
}

type fake struct {
	loss []float64
	err  error
}

func (f fake) Name() string { return "fake" }
func (f fake) Close() error { return nil }
func (f fake) Infer(*Batch) (float64, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.loss[0], nil
}
func (f fake) Train(b *Batch) (float64, error) { return f.Infer(b) }

func TestBatches(t *testing.T) {
	c := corpus.Generate("balanced", 7, 4, corpus.Balanced)
	b := Batches(c.Trees, 3)
	require.Len(t, b, 2, "the seventh tree is left over")
	require.Equal(t, c.Trees[3:6], b[1].Trees)
	require.Len(t, b[1].inputs, 3)
	require.Empty(t, Batches(c.Trees, 8))
}
