package main

import (
	"fmt"
	"strings"

	"github.com/frondml/frond/benchmarks/contender"
)

// matrix spans races of one kind of field.
type matrix struct {
	field          string
	trees          []string
	batch, workers []int
	sizes          []size
	weight         int // of each race when time is shared out
}

// size is a model with its numbers of elements.
type size struct {
	model         contender.Model
	embed, hidden int
}

var (
	usual = size{contender.TreeLSTM, 300, 150}
	wide  = size{contender.TreeLSTM, 256, 256}
	// The other models of the paper of 2018, whose word vectors are their states.
	others = []size{{contender.TreeRNN, 256, 256}, {contender.RNTN, 32, 32}}

	batchSizes = []int{1, 10, 25, 128}
	bothCounts = []int{1, 2}
	shapes     = []string{"balanced", "moderate", "linear"}
)

var fullMatrices = []matrix{
	{"", []string{"sst"}, batchSizes, bothCounts, []size{usual}, 8},
	{"rivals", []string{"sst"}, []int{25}, []int{1}, []size{usual}, 10},
	{"slow", []string{"sst"}, []int{1}, []int{1}, []size{usual}, 2},
	{"tree", []string{"large"}, []int{1}, bothCounts, []size{usual}, 4},
	{"models", []string{"sst"}, []int{1, 25}, []int{1}, others, 2},
	{"unrolled", []string{"sst"}, []int{unrolledBatch}, []int{1}, []size{usual}, 4},
	{"", shapes, batchSizes, bothCounts, []size{usual}, 3},
	{"", append([]string{"sst"}, shapes...), batchSizes, bothCounts, []size{wide}, 2},
}

var shortMatrices = []matrix{
	{"", []string{"sst"}, []int{1, 25, 128}, bothCounts, []size{usual}, 3},
	{"rivals", []string{"sst"}, []int{25}, []int{1}, []size{usual}, 5},
	{"tree", []string{"large"}, []int{1}, bothCounts, []size{usual}, 1},
	{"models", []string{"sst"}, []int{25}, []int{1}, others, 1},
	{"unrolled", []string{"sst"}, []int{unrolledBatch}, []int{1}, []size{usual}, 1},
	{"", shapes, []int{1, 25}, []int{1}, []size{usual}, 2},
}

// race is a setting and a mode.
type race struct {
	group
	mode   string
	batch  int
	weight int
}

// group is what races have in common that share their contenders.
type group struct {
	field, trees string
	size
	workers int
}

func (s size) String() string {
	if s.model == contender.TreeLSTM {
		return fmt.Sprintf("%dx%d", s.embed, s.hidden)
	}
	return fmt.Sprintf("%s%d", s.model, s.hidden)
}

func (r race) String() string {
	name := fmt.Sprintf("%s/%s/%v/b%d/w%d", r.mode, r.trees, r.size, r.batch, r.workers)
	return strings.TrimPrefix(r.field+"/"+name, "/")
}

// races lists the selected races, those of a group side by side.
func (o *options) races() ([]race, error) {
	var races []race
	for i := range o.matrices {
		for _, r := range o.matrices[i].races() {
			if o.only.MatchString(r.String()) {
				races = append(races, r)
			}
		}
	}
	if len(races) == 0 && !o.selects(kernelsName) && !o.selects(programsName) {
		return nil, fmt.Errorf("nothing matches %q; names are like %v", o.only, o.matrices[0].races()[0])
	}
	return races, nil
}

// Names of what is measured and is no race.
const (
	kernelsName  = "kernels"
	programsName = "programs"
)

func (o *options) selects(name string) bool { return o.only.MatchString(name) }

func (m *matrix) races() []race {
	var races []race
	for _, size := range m.sizes {
		for _, trees := range m.trees {
			for _, workers := range m.workers {
				for _, batch := range m.batch {
					for _, mode := range []string{"infer", "train"} {
						races = append(races, race{group{m.field, trees, size, workers}, mode, batch, m.weight})
					}
				}
			}
		}
	}
	return races
}
