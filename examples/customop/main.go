// Customop adds an operator to Frond from outside of it: sparsemax, with a shape
// rule, a gradient rule and batching rules for rows and for lists. The tests check
// all of them with package optest. The program attends to lists of several lengths
// at once, with softmax and with sparsemax.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Weights are two distributions over the elements of one list.
type Weights struct{ Soft, Sparse graph.Value }

// attention turns a list of scores into weights. Its loss is low when sparsemax
// gives everything to the first element.
func attention(m *graph.Module) *recursion.SubGraph[graph.Value, Weights] {
	scores := graph.F32(graph.Any)
	attend := recursion.Declare(m, "attention", scores, Weights{scores, scores})
	return attend.Define(func(scores graph.Value) Weights {
		w := Weights{ops.Softmax(scores), Sparsemax(scores)}
		recursion.Loss(ops.Neg(ops.At(w.Sparse, m.Int(0))))
		return w
	})
}

func run(w io.Writer) error {
	m := graph.NewModule("customop")
	attend := attention(m)
	program, err := m.Build()
	if err != nil {
		return err
	}
	session, err := exec.New(program, exec.Options{Workers: 1})
	if err != nil {
		return err
	}
	defer session.Close()

	lists := [][]float32{{1, 0.8, 0.1}, {3, 0, -1, 0.5}, {0, 0}}
	inputs := make([][]exec.Array, len(lists))
	for i, l := range lists {
		inputs[i] = []exec.Array{{Shape: []int{len(l)}, F: l}}
	}
	result, err := session.Gradients(context.Background(), attend.Graph(), inputs, exec.GradOptions{})
	if err != nil {
		return err
	}
	for i, l := range lists {
		fmt.Fprintf(w, "scores %.1f\n", l)
		fmt.Fprintf(w, "  softmax   %.2f\n", result.Outputs[i][0].F)
		fmt.Fprintf(w, "  sparsemax %.2f\n", result.Outputs[i][1].F)
		fmt.Fprintf(w, "  gradient  %.2f\n", result.InputGrads[i][0].F)
	}
	stats := session.Stats()
	fmt.Fprintf(w, "rows per batch: %.0f\n", stats.RowsPerBatch())
	return nil
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
