package golden

import (
	"slices"
	"strings"
	"testing"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

// binaryTreeCases makes the case of a model that classifies the nodes of binary
// trees. The file's name starts with that of the model.
func binaryTreeCases(t testing.TB, f *File) []*Case {
	var want Trained
	f.Decode(t, &want)
	model, _, _ := strings.Cut(f.Name, "_")
	c := f.newCase(t, model, f.Params, func(m *graph.Module) {
		d := f.Dims
		switch model {
		case "treelstm":
			models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: d["vocab"], Embed: d["embedding"], Hidden: d["hidden"], Classes: d["classes"]})
		case "treernn":
			models.NewTreeRNN(m, models.TreeRNNConfig{Vocab: d["vocab"], Hidden: d["d"], Classes: d["classes"]})
		case "rntn":
			models.NewRNTN(m, models.TreeRNNConfig{Vocab: d["vocab"], Hidden: d["d"], Classes: d["classes"]})
		}
	})
	c.Loss, c.Gradients = want.TotalLoss, want.Gradients
	for i, x := range f.Trees(t) {
		var nodes []Node
		if i == 0 {
			nodes = want.FirstTree
		}
		c.Examples = append(c.Examples, Example{
			Inputs: tensorsOf(x.Word, x.Left, x.Right, x.Label),
			Loss:   want.LossPerItem[i],
			Output: want.RootLogits[i],
			Calls:  len(x.Word) + 1, // the model and one per node
			checkTables: func(t testing.TB, what string, got Outcome, tol Tolerance) {
				t.Helper()
				checkLogits(t, what, got, len(x.Word), nodes, tol)
			},
		})
	}
	return []*Case{c}
}

// checkLogits wants a row of logits per node, the root's last, which give the
// losses of the nodes where these are known.
func checkLogits(t testing.TB, what string, got Outcome, size int, nodes []Node, tol Tolerance) {
	t.Helper()
	rows := got.Tables["logits"]
	if len(rows) != size {
		t.Errorf("%s: %d rows of logits, want %d", what, len(rows), size)
		return
	}
	for i, r := range rows {
		if r.Key != int32(i) {
			t.Errorf("%s: row %d of the logits has key %d", what, i, r.Key)
		}
	}
	if root := rows[size-1].Value; !slices.Equal(root, got.Output) {
		t.Errorf("%s: logits %v in the row of the root, but the result is %v", what, root, got.Output)
	}
	for i, n := range nodes {
		CheckLoss(t, what+": a node", crossEntropy(rows[i].Value, n.Label), n.Loss, tol)
	}
}

// childSumCases makes the case of pairs of sentences.
func childSumCases(t testing.TB, f *File) []*Case {
	var want Trained
	f.Decode(t, &want)
	d := f.Dims
	c := f.newCase(t, "similarity", f.Params, func(m *graph.Module) {
		models.NewChildSum(m, models.ChildSumConfig{Vocab: d["vocab"], Embed: d["embedding"],
			Hidden: d["hidden"], Similarity: d["similarity_hidden"], Classes: d["classes"]})
	})
	c.Loss, c.Gradients = want.TotalLoss, want.Gradients
	for i, p := range f.Pairs(t) {
		nodes := len(p.A.Word) + len(p.B.Word)
		c.Examples = append(c.Examples, Example{
			Inputs: append(tensorsOf(p.A.Word, p.A.Start, p.A.Child, p.B.Word, p.B.Start, p.B.Child), float(p.Score)),
			Loss:   want.LossPerItem[i],
			Output: want.Probabilities[i],
			Calls:  3 + nodes, // the model, one per sentence and one per node
			Mapped: nodes - 2, // one per child
		})
	}
	return []*Case{c}
}
