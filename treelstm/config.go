package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/frondml/frond/data"
)

// config is what a model was made from and how it is trained. It is kept in the model's
// file, and -config reads it.
type config struct {
	Model    string `json:"model"`    // name of a network
	Data     string `json:"data"`     // directory of a treebank; "" for ListOps
	Examples int    `json:"examples"` // ListOps expressions to train on
	Lenient  bool   `json:"lenient"`
	MinCount int    `json:"min_count"`
	Lower    bool   `json:"lower"`
	Vectors  string `json:"vectors"` // file of initial word vectors; "" for random ones

	Classes   int     `json:"classes"`
	Grades    int     `json:"grades"`    // labels that the files have where these are grades of which two classes are made, else 0
	Embedding int     `json:"embedding"` // 0 as long as it follows from something else
	Hidden    int     `json:"hidden"`    // likewise
	Dropout   float64 `json:"dropout"`

	Optimizer     string  `json:"optimizer"`
	LearningRate  float64 `json:"learning_rate"`
	L2            float64 `json:"l2"`
	Clip          float64 `json:"clip"`
	Batch         int     `json:"batch"`
	Epochs        int     `json:"epochs"`
	Patience      int     `json:"patience"`
	Seed          uint64  `json:"seed"`
	Deterministic bool    `json:"deterministic"`
}

// defaults returns what is good for what c says about model, data and vectors, on which
// everything else depends.
func (c config) defaults() (config, error) {
	n, err := findNetwork(c.Model)
	if err != nil {
		return c, err
	}
	d := listOps()
	d.Hidden = cmp.Or(n.listOpsHidden, d.Hidden)
	if c.Data != "" {
		d = treebank()
		n.treebank(&d)
	}
	d.Model = c.Model
	if n.sameWidth {
		d.Embedding = 0
	}
	if c.Vectors != "" {
		d.Embedding, d.Epochs = 0, max(d.Epochs, 20) // it takes longer to learn all from them
		if n.sameWidth {
			d.Hidden = 0
		}
	}
	return d, nil
}

// defaultNetwork is the model unless -model says otherwise.
const defaultNetwork = "treelstm"

// listOps is the configuration for the expressions that the program makes itself.
func listOps() config {
	return config{
		Model: defaultNetwork, Examples: 20000, MinCount: 1,
		Classes: 10, Embedding: 32, Hidden: 96,
		Optimizer: "adam", LearningRate: 0.003, Clip: 5, Batch: 32, Epochs: 10, Seed: 1,
	}
}

// treebank is the configuration for trees of a directory. Sizes and optimiser are those
// of Tai et al. for the Stanford Sentiment Treebank.
func treebank() config {
	return config{
		Model: defaultNetwork, Examples: listOps().Examples, MinCount: 2, Lower: true,
		Classes: 5, Embedding: 300, Hidden: 150, Dropout: 0.5,
		Optimizer: "adagrad", LearningRate: 0.05, L2: 1e-4, Clip: 5, Batch: 25, Epochs: 10, Patience: 5, Seed: 1,
	}
}

// resolveWidths gives embedding and hidden their values where they follow from
// something else. There are vectors of so many elements, 0 for none.
func (c *config) resolveWidths(vectors int) error {
	n, err := findNetwork(c.Model)
	if err != nil {
		return err
	}
	if c.Embedding == 0 {
		c.Embedding = vectors
	}
	if n.sameWidth && c.Embedding == 0 {
		c.Embedding = c.Hidden
	}
	if n.sameWidth && c.Hidden == 0 {
		c.Hidden = c.Embedding
	}
	var errs []error
	if vectors > 0 && c.Embedding != vectors {
		errs = append(errs, fmt.Errorf("-vectors %s: vectors have %d elements, -embedding wants %d", c.Vectors, vectors, c.Embedding))
	}
	if n.sameWidth && c.Embedding != c.Hidden {
		errs = append(errs, fmt.Errorf("-hidden %d: in %s word vectors, which have %d elements, are states; want as many", c.Hidden, n.name, c.Embedding))
	}
	return errors.Join(errs...)
}

// What a slip of the finger must not make the program allocate.
const (
	maxClasses  = 1 << 16
	maxWidth    = 1 << 14
	maxExamples = 5_000_000
)

// rangeCheck collects what is out of range.
type rangeCheck struct{ errs []error }

func (r *rangeCheck) need(ok bool, name string, value any, want string) {
	if !ok {
		r.errs = append(r.errs, fmt.Errorf("-%s %v: want %s", name, value, want))
	}
}

func (r *rangeCheck) atLeast(least int, name string, n int) {
	r.need(n >= least, name, n, fmt.Sprintf("at least %d", least))
}

func (r *rangeCheck) between(least, most int, name string, n int) {
	r.need(least <= n && n <= most, name, n, fmt.Sprintf("%d to %d", least, most))
}

// check reports settings that make no sense.
func (c *config) check() error {
	var r rangeCheck
	n, err := findNetwork(c.Model)
	if err != nil {
		return err
	}
	r.between(1, maxClasses, "classes", c.Classes)
	c.checkWidths(&r, n)
	r.atLeast(1, "batch", c.Batch)
	r.atLeast(1, "epochs", c.Epochs)
	r.atLeast(0, "min-count", c.MinCount)
	r.atLeast(0, "patience", c.Patience)
	r.need(c.LearningRate >= 0, "lr", c.LearningRate, "at least 0")
	r.need(c.L2 >= 0, "l2", c.L2, "at least 0")
	r.need(c.Clip >= 0, "clip", c.Clip, "at least 0")
	r.need(c.Dropout >= 0 && c.Dropout < 1, "dropout", c.Dropout, "at least 0 and below 1")
	r.need(n.hasDropout || c.Dropout == 0, "dropout", c.Dropout, fmt.Sprintf("0: %s has none", n.name))
	if _, err := newOptimizer(*c); err != nil {
		r.errs = append(r.errs, err)
	}
	if c.Data == "" {
		r.between(1, maxExamples, "examples", c.Examples)
		r.atLeast(data.ListOpsClasses, "classes", c.Classes)
		r.need(c.Vectors == "", "vectors", c.Vectors, "a treebank (-data): ListOps has no words of a language")
	}
	if c.Grades != 0 && (c.Grades != sentimentClasses || c.Classes != binaryClasses || c.Data == "") {
		r.errs = append(r.errs, fmt.Errorf("the setting grades is %d: want 0, or %d with a treebank and -classes %d", c.Grades, sentimentClasses, binaryClasses))
	}
	return errors.Join(r.errs...)
}

// checkWidths checks embedding and hidden. Either may be 0 where it follows from the
// other, or from the vectors.
func (c *config) checkWidths(r *rangeCheck, n network) {
	least := func(follows bool) int {
		if follows {
			return 0
		}
		return 1
	}
	embeddingFollows := c.Vectors != "" || n.sameWidth && c.Hidden > 0
	hiddenFollows := n.sameWidth && (c.Vectors != "" || c.Embedding > 0)
	r.between(least(embeddingFollows), maxWidth, "embedding", c.Embedding)
	r.between(least(hiddenFollows), n.maxHidden, "hidden", c.Hidden)
}
