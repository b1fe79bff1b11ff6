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
	if err != nil {
		return err
	}
	if err := agree(contenders, contender.Batches(all.Trees, batches[0])); err != nil {
		return err
	}
	for i, batch := range batches {
		for k, mode := range []string{"inference", "training"} {
			b.share(2*i+k, 2*len(batches))
			if err := b.treesIn(mode, s, contender.Batches(all.Trees, batch), contenders); err != nil {
				return err
			}
		}
	}
	return nil
}

// agree checks that all contenders report equal losses, and those that round factors
// nearly equal ones, which it does first: it trains the others.
func agree(contenders []contender.Contender, batches []*contender.Batch) error {
	const near = 1e-2 // relative
	var exact []contender.Contender
	for _, c := range contenders {
		if card, ok := c.(*onCard); !ok || !card.rounds {
			exact = append(exact, c)
			continue
		}
		want, err := contenders[0].Infer(batches[0])
		if err != nil {
			return fmt.Errorf("%s: %w", contenders[0].Name(), err)
		}
		got, err := c.Infer(batches[0])
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name(), err)
		}
		if d := math.Abs(got - want); !(d <= near*math.Abs(want)) {
			return fmt.Errorf("%s has the loss %v, %s has %v", c.Name(), got, contenders[0].Name(), want)
		}
	}
	return contender.Agree(exact, batches[:min(2, len(batches))])
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

// contenders returns those who take part, also when there is an error. The processor,
// which is the first, is what the others must agree with.
func (b *bench) contenders(s contender.Setting) ([]contender.Contender, error) {
	var all []contender.Contender
	processor, err := contender.NewRecursive("processor", s, exec.Options{})
	if err != nil {
		return nil, err
	}
	all = append(all, processor)
	unshared, err := contender.NewRecursive("processor, unshared", s, exec.Options{NoSharing: true})
	if err != nil {
		return all, err
	}
	all = append(all, unshared)
	cards, err := b.openCards(s)
	all = append(all, cards...)
	if err != nil {
		return all, err
	}
	if len(b.torch) > 0 {
		c, library, err := contender.NewPeer("PyTorch, level by level", s, b.torch...)
		if err != nil {
			b.note("without PyTorch: %v", err)
			return all, nil
		}
		b.note("%s", library)
		all = append(all, c)
	}
	return all, nil
}
