// Minimal is a whole recursive model in one file: it learns to evaluate logical
// expressions from examples of their values, and then evaluates larger ones.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
)

// Expr holds the nodes of an expression in post-order. Word is one of the words
// below; Left and Right are the operands of an operator, -1 at a constant.
type Expr struct{ Word, Left, Right, Value graph.Value }

var words = []string{"false", "true", "and", "or", "xor"}

// evaluator says what the program computes: the state of a constant is a vector of
// its own, that of an operator tanh(W [operator left right] + b).
func evaluator(m *graph.Module, d int) *recursion.SubGraph[Expr, graph.Value] {
	emb := m.Var("emb", graph.F32(len(words), d), graph.Uniform(0.5))
	w := m.Var("w", graph.F32(d, 3*d), graph.Xavier())
	b := m.Var("b", graph.F32(d), graph.Zeros())
	out := m.Var("out", graph.F32(2, d), graph.Xavier())

	list := graph.I32(graph.Any)
	model := recursion.Declare(m, "evaluator", Expr{list, list, list, graph.I32()}, graph.F32(2))
	return model.Define(func(e Expr) graph.Value {
		node := recursion.Declare(m, "node", graph.I32(), graph.F32(d))
		node.Define(func(i graph.Value) graph.Value {
			word := ops.At(emb, ops.At(e.Word, i))
			left, right := ops.At(e.Left, i), ops.At(e.Right, i)
			return recursion.If(ops.Less(left, m.Int(0)), func() graph.Value {
				return word
			}, func() graph.Value {
				operands := ops.Concat(word, node.Invoke(left), node.Invoke(right))
				return ops.Tanh(ops.Add(ops.MatVec(w, operands), b))
			})
		})
		root := node.Invoke(ops.Sub(ops.Len(e.Word), m.Int(1)))
		scores := ops.MatVec(out, root)
		recursion.Loss(ops.CrossEntropy(scores, e.Value))
		return scores
	})
}

// expr is the Go side of Expr.
type expr struct {
	Word, Left, Right []int32
	Value             int32
	text              string
}

// generate appends a random expression of at most the given depth to e, and
// returns its root, value and text.
func (e *expr) generate(rng *rand.Rand, depth int) (root, value int32, text string) {
	word, left, right := int32(rng.IntN(2)), int32(-1), int32(-1)
	value, text = word, words[word]
	if depth > 0 {
		var a, b int32
		var leftText, rightText string
		left, a, leftText = e.generate(rng, rng.IntN(depth))
		right, b, rightText = e.generate(rng, depth-1)
		word = 2 + int32(rng.IntN(3))
		value = []int32{a & b, a | b, a ^ b}[word-2]
		text = fmt.Sprintf("(%s %s %s)", leftText, words[word], rightText)
	}
	e.Word, e.Left, e.Right = append(e.Word, word), append(e.Left, left), append(e.Right, right)
	return int32(len(e.Word) - 1), value, text
}

func expressions(rng *rand.Rand, n, depth int) []expr {
	es := make([]expr, n)
	for i := range es {
		_, es[i].Value, es[i].text = es[i].generate(rng, depth)
	}
	return es
}

func run(ctx context.Context, w io.Writer) error {
	m := graph.NewModule("minimal")
	model := evaluator(m, 8)
	program, err := m.Build()
	if err != nil {
		return err
	}
	session, err := exec.New(program, exec.Options{Seed: 1, Deterministic: true})
	if err != nil {
		return err
	}
	defer session.Close()

	rng := rand.New(rand.NewPCG(1, 2))
	if err := learn(ctx, w, session, model, expressions(rng, 500, 3)); err != nil {
		return err
	}
	return evaluate(ctx, w, session, model, expressions(rng, 100, 5))
}

// learn trains the model on expressions and prints the mean loss now and then.
func learn(ctx context.Context, w io.Writer, s *exec.Session, model *recursion.SubGraph[Expr, graph.Value], es []expr) error {
	trainer, err := train.NewTrainer[expr](s, model, train.NewAdam(0.02), train.Options{Batch: 20})
	if err != nil {
		return err
	}
	return trainer.Fit(ctx, trainer.Shuffled(es), train.Plan{Epochs: 20, OnEpoch: func(s train.EpochStats) error {
		if s.Epoch%5 == 0 {
			fmt.Fprintf(w, "epoch %d: loss %.1f\n", s.Epoch, s.Loss)
		}
		return nil
	}})
}

// evaluate prints how many expressions the model is right about, and some of them.
func evaluate(ctx context.Context, w io.Writer, s *exec.Session, model *recursion.SubGraph[Expr, graph.Value], es []expr) error {
	run, err := exec.BindBatch[expr, []float32](s, model)
	if err != nil {
		return err
	}
	scores, err := run(ctx, es)
	if err != nil {
		return err
	}
	right := 0
	for i, e := range es {
		if (scores[i][1] > scores[i][0]) == (e.Value == 1) {
			right++
		}
	}
	fmt.Fprintf(w, "%d of %d larger expressions are right, such as\n", right, len(es))
	for i, e := range es[:3] {
		fmt.Fprintf(w, "  %s is %t\n", e.text, scores[i][1] > scores[i][0])
	}
	return nil
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}
