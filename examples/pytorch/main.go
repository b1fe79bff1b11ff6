// Pytorch loads the weights of a Tree-LSTM that PyTorch saved as safetensors into
// models.NewTreeLSTM, and compares scores, loss and gradients with those that
// PyTorch computed. treelstm.py made both files and defines the model there.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"slices"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train/safetensors"
)

//go:embed testdata/treelstm.safetensors
var weights []byte

//go:embed testdata/expected.json
var expectedJSON []byte

// tree is what the model takes, field by field, with the logits of all nodes that
// PyTorch found.
type tree struct {
	Word, Left, Right, Label []int32
	Logits                   [][]float64
}

// expected is the content of expected.json.
type expected struct {
	Torch     string
	Trees     []tree
	Loss      float64
	Gradients map[string][][]float64
}

// tolerance allows for sums of float32 in another order.
const tolerance = 1e-5

// outcome holds the largest differences from what was expected, relative to 1 + what
// was expected.
type outcome struct{ Logits, Loss, Gradients float64 }

// newModel returns a model of the sizes that the file has.
func newModel(r *safetensors.Reader) (*exec.Session, *recursion.SubGraph[models.BinaryTree, models.Scores], error) {
	embedding, _ := r.Info("embedding.weight")
	classifier, _ := r.Info("classifier.weight")
	if len(embedding.Shape) != 2 || len(classifier.Shape) != 2 {
		return nil, nil, fmt.Errorf("embedding.weight has the shape %v, classifier.weight %v: want two matrices", embedding.Shape, classifier.Shape)
	}
	m := graph.NewModule("treelstm")
	model := models.NewTreeLSTM(m, models.TreeLSTMConfig{
		Vocab: embedding.Shape[0], Embed: embedding.Shape[1], Hidden: classifier.Shape[1], Classes: classifier.Shape[0],
	})
	program, err := m.Build()
	if err != nil {
		return nil, nil, err
	}
	session, err := exec.New(program, exec.Options{})
	if err != nil {
		return nil, nil, err
	}
	if err := load(r, session.Parameters()); err != nil {
		return nil, nil, errors.Join(err, session.Close())
	}
	return session, model, nil
}

// compare runs all trees at once, with gradients.
func compare(r *safetensors.Reader, want expected) (o outcome, err error) {
	session, model, err := newModel(r)
	if err != nil {
		return o, err
	}
	defer session.Close()
	encode, err := exec.Encoder[tree](model)
	if err != nil {
		return o, err
	}
	inputs := make([][]exec.Array, len(want.Trees))
	for i, t := range want.Trees {
		if inputs[i], err = encode(t); err != nil {
			return o, err
		}
	}
	got, err := session.Gradients(context.Background(), model.Graph(), inputs, exec.GradOptions{Tables: true})
	if err != nil {
		return o, err
	}
	for i, t := range want.Trees {
		logits := got.Tables[i]["logits"] // by node
		o.Logits = max(o.Logits, difference(logits.Values, t.Logits))
	}
	o.Loss = math.Abs(got.Loss-want.Loss) / (1 + math.Abs(want.Loss))
	for name, variable := range map[string]string{"embedding.weight": "E", "classifier.weight": "Ws"} {
		gradient := got.Gradients.Of(session.Program().Variable(variable)).Full()
		o.Gradients = max(o.Gradients, difference(gradient, want.Gradients[name]))
	}
	return o, nil
}

// difference returns the largest |got-want|/(1+|want|), infinity when there are more
// elements of one than of the other.
func difference(got []float32, want [][]float64) float64 {
	flat := slices.Concat(want...)
	if len(got) != len(flat) {
		return math.Inf(1)
	}
	most := 0.0
	for i, w := range flat {
		most = max(most, math.Abs(float64(got[i])-w)/(1+math.Abs(w)))
	}
	return most
}

func run(w io.Writer) error {
	var want expected
	if err := json.Unmarshal(expectedJSON, &want); err != nil {
		return err
	}
	r, err := safetensors.NewReader(bytes.NewReader(weights), int64(len(weights)))
	if err != nil {
		return err
	}
	for _, name := range r.Names() {
		info, _ := r.Info(name)
		fmt.Fprintf(w, "%-17s %s %v\n", name, info.DType, info.Shape)
	}
	o, err := compare(r, want)
	if err != nil {
		return err
	}
	if most := max(o.Logits, o.Loss, o.Gradients); !(most <= tolerance) {
		return fmt.Errorf("the results differ from those of PyTorch: %+v", o)
	}
	fmt.Fprintf(w, "%d trees: logits, loss and gradients are those of PyTorch %s within %.0e\n", len(want.Trees), want.Torch, tolerance)
	return nil
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
