package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func Example() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// epoch 5: loss 0.5
	// epoch 10: loss 0.2
	// epoch 15: loss 0.0
	// epoch 20: loss 0.0
	// 99 of 100 larger expressions are right, such as
	//   (((false xor false) xor ((false and false) xor (true xor true))) and (false xor (((false xor true) or (false xor false)) xor (true and (false or true))))) is false
	//   (((false or false) xor ((true and true) xor ((true and false) xor (false and true)))) xor ((((true and true) xor (true xor true)) or ((true and false) and (false or false))) or (true or ((false xor true) or (false xor false))))) is false
	//   ((false xor true) and ((false xor false) and (((false or false) and (true or false)) xor ((false xor false) xor (true or false))))) is false
}

// What the model learns from is right: values follow from the arrays alone.
func TestExpressions(t *testing.T) {
	seen := map[int32]int{}
	for _, e := range expressions(rand.New(rand.NewPCG(3, 4)), 300, 4) {
		values := make([]bool, len(e.Word))
		for i, word := range e.Word {
			if e.Left[i] < 0 {
				values[i] = words[word] == "true"
				continue
			}
			require.Less(t, max(e.Left[i], e.Right[i]), int32(i), "operands come first")
			l, r := values[e.Left[i]], values[e.Right[i]]
			switch words[word] {
			case "and":
				values[i] = l && r
			case "or":
				values[i] = l || r
			case "xor":
				values[i] = l != r
			}
		}
		require.Equal(t, values[len(values)-1], e.Value == 1, e.text)
		seen[e.Value]++
	}
	require.Greater(t, min(seen[0], seen[1]), 90, "both values are common")
}
