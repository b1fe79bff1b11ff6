package golden

import (
	"testing"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

// gruCases makes two cases of a long chain, with the loss at its end and with a
// loss at every state. States on the way are the outputs of shorter chains.
func gruCases(t testing.TB, f *File) []*Case {
	type result struct {
		Loss      float64
		Gradients []Gradient
	}
	var want struct {
		Last, All result
		States    []struct {
			N int
			H []float64
		}
	}
	f.Decode(t, &want)
	words, target := chainWords(f.Dims["N"], f.Dims["m"], f.Dims["K"]), f.tensor(f.Inputs.Find(t, "t"))
	newCase := func(name string, everyState bool, r result) *Case {
		c := f.newCase(t, "gru", f.Params, func(m *graph.Module) {
			d := f.Dims["d"]
			models.NewGRU(m, models.GRUConfig{Vocab: f.Dims["K"], Embed: d, Hidden: d, EveryState: everyState})
		})
		c.Name, c.Loss, c.Gradients = name, r.Loss, r.Gradients
		for _, s := range want.States {
			e := Example{
				Inputs: append(tensorsOf(words[:s.N]), target),
				Output: s.H,
				Calls:  s.N + 2, // the model, one per word and the one that ends the recursion
				Depth:  s.N + 2,
			}
			if s.N < len(words) {
				c.Forward = append(c.Forward, e)
			} else {
				e.Loss = r.Loss
				c.Examples = append(c.Examples, e)
			}
		}
		return c
	}
	return []*Case{newCase("last", false, want.Last), newCase("all", true, want.All)}
}

// chainWords returns n words that follow from their places: (i² + step·i) mod vocab.
func chainWords(n, step, vocab int) []int32 {
	words := make([]int32, n)
	for k := range words {
		i := k + 1
		words[k] = int32((i*i + step*i) % vocab)
	}
	return words
}
