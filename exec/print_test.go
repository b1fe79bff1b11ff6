package exec

import (
	"testing"

	"github.com/stretchr/testify/require"
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
