package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/frondml/frond/benchmarks/contender"
	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/exec"
)

// size is one of the sizes of the Tree-LSTM.
type size struct{ embed, hidden int }

// trees measures training and inference of the binary Tree-LSTM, with a loss at every
// node: sentences per second of mini-batches.
func (b *bench) trees() error {
	sizes, batches, count := []size{{300, 150}, {300, 1024}}, []int{25, 256, 1024}, 1024
	if b.small {
		sizes, batches, count = []size{{6, 4}}, []int{3}, 6
	}
	all, err := b.corpus(count)
	if err != nil {
		return err
	}
	var failures []error
	end := b.end
	for i, s := range sizes {
		b.end = shareOf(end, i, len(sizes))
		if err := b.treesOf(s, all, batches); err != nil {
			failures = append(failures, fmt.Errorf("%d x %d: %w", s.embed, s.hidden, err))
		}
	}
	return errors.Join(failures...)
}

// corpus returns trees of the treebank, or trees like them.
func (b *bench) corpus(count int) (*corpus.Corpus, error) {
	if b.sst == "" {
		b.note("the trees are drawn with the lengths of the treebank")
		return corpus.GenerateSentences(count), nil
	}
	return corpus.ReadSST(b.sst, count)
}

func (b *bench) treesOf(s size, all *corpus.Corpus, batches []int) (err error) {
	setting := contender.Setting{Corpus: all, Embed: s.embed, Hidden: s.hidden, Workers: b.report.Processors}
	contenders, err := b.contenders(setting)
	defer func() {
		for _, c := range contenders {
			err = errors.Join(err, c.Close())
		}
	}()
	failures := []error{err}
	fit, err := agree(contenders, contender.Batches(all.Trees, batches[0]))
	failures = append(failures, err)
	for i, batch := range batches {
		for k, mode := range []string{"inference", "training"} {
			b.share(2*i+k, 2*len(batches))
			failures = append(failures, b.treesIn(mode, s, contender.Batches(all.Trees, batch), fit))
		}
	}
	return errors.Join(failures...)
}

// Relative differences between losses of contenders that round the factors of products
// and of those that do not. The order of sums differs anyway.
const (
	tolerance         = 2e-4
	toleranceRounding = 1e-2
)

// agree returns the contenders whose losses are those of the first, and errors of the
// others.
func agree(contenders []contender.Contender, batches []*contender.Batch) (fit []contender.Contender, err error) {
	var want []float64
	var failures []error
	for i, c := range contenders {
		got, err := losses(c, batches[:min(2, len(batches))])
		if i == 0 {
			want = got
		}
		if err == nil {
			err = compare(got, want, toleranceOf(c))
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", c.Name(), err))
			continue
		}
		fit = append(fit, c)
	}
	return fit, errors.Join(failures...)
}

// losses returns those of steps of training, each after the one in inference.
func losses(c contender.Contender, batches []*contender.Batch) ([]float64, error) {
	var all []float64
	for _, batch := range batches {
		for _, do := range []func(*contender.Batch) (float64, error){c.Infer, c.Train} {
			loss, err := do(batch)
			if err != nil {
				return nil, err
			}
			all = append(all, loss)
		}
	}
	return all, nil
}

func toleranceOf(c contender.Contender) float64 {
	if card, ok := c.(*onCard); ok && card.rounds {
		return toleranceRounding
	}
	return tolerance
}

func compare(got, want []float64, tolerance float64) error {
	if len(want) != len(got) {
		return errors.New("there is nothing to compare the losses with")
	}
	for i := range got {
		if d := math.Abs(got[i] - want[i]); !(d <= tolerance*math.Abs(want[i])) {
			return fmt.Errorf("the losses are %v, want %v", got, want)
		}
	}
	return nil
}

func (b *bench) treesIn(mode string, s size, batches []*contender.Batch, contenders []contender.Contender) error {
	trees := len(batches[0].Trees)
	var subjects []subject
	for _, c := range contenders {
		do := c.Infer
		if mode == "training" {
			do = c.Train
		}
		next := 0
		subjects = append(subjects, subject{
			name: c.Name(), setting: fmt.Sprintf("%s %dx%d b%d", mode, s.embed, s.hidden, trees),
			unit: "sentences/s", amount: float64(trees), most: len(batches),
			run: timed(func(n int) error {
				for range n {
					if _, err := do(batches[next%len(batches)]); err != nil {
						return err
					}
					next++
				}
				return nil
			}),
		})
	}
	return b.measure(subjects)
}

// contenders returns those who take part, also when there are errors. The processor,
// which is the first, is what the others must agree with.
func (b *bench) contenders(s contender.Setting) (all []contender.Contender, err error) {
	for _, way := range []struct {
		name    string
		options exec.Options
	}{{"processor", exec.Options{}}, {"processor, unshared", exec.Options{NoSharing: true}}} {
		c, err := contender.NewRecursive(way.name, s, way.options)
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
	cards, err := b.openCards(s)
	all = append(all, cards...)
	if len(b.torch) > 0 {
		c, library, failure := contender.NewPeer("PyTorch, level by level", s, b.torch...)
		if failure != nil {
			b.note("without PyTorch: %v", failure)
			return all, err
		}
		b.note("%s", library)
		all = append(all, c)
	}
	return all, err
}
