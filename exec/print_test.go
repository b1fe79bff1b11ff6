package exec

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

func TestPlanOfTreeLSTM(t *testing.T) {
	p, _ := treeProgram(t, 20, 6, 5, 3)
	s, err := New(p, Options{})
	require.NoError(t, err)
	plan := s.Plan()
	t.Log(plan)
	for _, want := range []string{
		"matmul E[r", // the look-up is read in place
		"Wᵀ + bW",    // the bias is part of the product
		"hands results on",
		"shared by frames with equal",
		"product 0: gradient of",
	} {
		require.Contains(t, plan, want)
	}
	p, _ = fibProgram(t)
	s, err = New(p, Options{})
	require.NoError(t, err)
	require.Contains(t, s.Plan(), "tail call") // the branch answers for fib
}

func TestPlanFusesElementwiseOperators(t *testing.T) {
	p, _ := treeProgram(t, 20, 6, 40, 3)
	s, err := New(p, Options{})
	require.NoError(t, err)
	plan := s.Plan()
	t.Log(plan)
	for _, want := range []string{
		"together, ",
		"+= mul s",          // the second product of the memory cell is added to the first
		"+= tanh_grad t",    // a cotangent is added where it is computed
		"@80 = tanh s",      // the activation lies in the row of the product
		"= sigmoid_grad dY", // the adjoint of the gates lies where the product's gradient reads it
	} {
		require.Contains(t, plan, want)
	}
}

func TestPlanJoinsProductsOfOneOperand(t *testing.T) {
	m := graph.NewModule("childsum")
	models.NewChildSum(m, models.ChildSumConfig{Vocab: 20, Embed: 40, Hidden: 36, Similarity: 10, Classes: 5})
	p, err := m.Build()
	require.NoError(t, err)
	s, err := New(p, Options{})
	require.NoError(t, err)
	plan := s.Plan()
	t.Log(plan)
	for _, want := range []string{
		"[Wiᵀ, Woᵀ, Wuᵀ, Wfᵀ] + [0, 0, 0, bf]", // what the word gives to all gates
		"[Uiᵀ, Uoᵀ, Uuᵀ] + [bi, bo, bu]",       // what the children give
		"[Wi; Wo; Wu; Wf]",                     // the gradient of the word
		"[Ui; Uo; Uu]",                         // and of the children's sum
		"dY1@36",                               // cotangents side by side
	} {
		require.Contains(t, plan, want)
	}
}

func TestPlanRecomputesCheapValues(t *testing.T) {
	m := graph.NewModule("gate")
	f := recursion.Declare(m, "gate", one{graph.F32(40)}, one{graph.F32(40)})
	f.Define(func(in one) one {
		z := ops.Sigmoid(in.N)
		rest := ops.Sub(m.Full(1, 40), z) // computed from z again
		u := ops.Tanh(in.N)               // kept
		y := ops.Mul(rest, u)
		recursion.Loss(ops.Sum(ops.Square(y)))
		return one{y}
	})
	p, err := m.Build()
	require.NoError(t, err)
	in := Array{Shape: []int{40}, F: make([]float32, 40)}
	for i := range in.F {
		in.F[i] = float32(i)/20 - 1
	}
	var grads [2]*Result
	for k, o := range []Options{{}, {Reference: true, Float64: true}} {
		s, err := New(p, o)
		require.NoError(t, err)
		if k == 0 {
			plan := s.Plan()
			t.Log(plan)
			_, backward, _ := strings.Cut(plan, "backward, with")
			require.Contains(t, backward, "= sub ")
			require.NotContains(t, backward, "= tanh ")
		}
		grads[k], err = s.Gradients(context.Background(), f.Graph(), [][]Array{{in}}, GradOptions{})
		require.NoError(t, err)
	}
	require.InDeltaSlice(t, grads[1].InputGrads[0][0].F, grads[0].InputGrads[0][0].F, 1e-5)
}
