package contender

import (
	"github.com/frondml/frond/benchmarks/level"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

// hand is the network that is written by hand.
type hand struct {
	name    string
	network *level.Network
	scores  []float32
	classes int
}

// NewLevel returns the hand-written network. Unless maxRows is 0, its products have
// no more rows than that.
func NewLevel(name string, s Setting, maxRows int) (Contender, error) {
	m := graph.NewModule("parameters")
	models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: s.Corpus.Vocab, Embed: s.Embed, Hidden: s.Hidden, Classes: s.Corpus.Classes})
	p, err := m.Build()
	if err != nil {
		return nil, err
	}
	var v level.Parameters
	fields := map[string]*[]float32{"E": &v.E, "W": &v.W, "bW": &v.BW, "U": &v.U, "bU": &v.BU, "Ws": &v.Ws, "bs": &v.Bs}
	for _, variable := range p.Variables {
		*fields[variable.Name] = variable.InitialValue(seed)
	}
	n, err := level.New(level.Config{
		Vocab: s.Corpus.Vocab, Embed: s.Embed, Hidden: s.Hidden, Classes: s.Corpus.Classes,
		Workers: s.Workers, MaxRows: maxRows,
	}, v)
	if err != nil {
		return nil, err
	}
	return &hand{name: name, network: n, classes: s.Corpus.Classes}, nil
}

func (h *hand) Name() string { return h.name }
func (h *hand) Close() error { return nil }

func (h *hand) Infer(b *Batch) (float64, error) {
	if need := len(b.Trees) * h.classes; len(h.scores) < need {
		h.scores = make([]float32, need)
	}
	return h.network.Infer(b.Trees, h.scores), nil
}

func (h *hand) Train(b *Batch) (float64, error) { return h.network.Train(b.Trees, rate, eps), nil }
