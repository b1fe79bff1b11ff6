package ops_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

// TestWrongGradientsAreFound breaks the gradient rule of every operator in
// several ways and asserts that the conformance suite fails each time: a case
// that cannot fail checks nothing.
func TestWrongGradientsAreFound(t *testing.T) {
	use := casesOfDifferentiable(t)
	for _, name := range slices.Sorted(maps.Keys(use)) {
		t.Run(name, func(t *testing.T) {
			require.NotEmpty(t, use[name], "no case with a gradient uses the operator, so that its gradient rule is not checked")
			inputs := 0
			for i := 0; ; i++ {
				found, applied := find(t, use[name], name, drop(i))
				if !applied {
					break
				}
				inputs++
				assert.True(t, found, "no case notices that input %d gets no gradient", i)
			}
			for what, m := range map[string]mutation{"1.5 times": scale(1.5), "minus": scale(-1), "a hundredth more than": scale(1.01)} {
				found, _ := find(t, use[name], name, m)
				assert.True(t, found, "no case notices gradients that are %s the right ones", what)
			}
			assert.Positive(t, inputs, "the rule contributes to no input")
		})
	}
}

// casesOfDifferentiable returns, for every operator with a gradient rule that the
// cases meet, those with gradients that apply it; none when only adjoints do.
func casesOfDifferentiable(t *testing.T) map[string][]optest.Case {
	use := map[string][]optest.Case{}
	for _, c := range cases {
		forward, adjoint, err := c.Ops()
		require.NoError(t, err, c.Name)
		for name := range differentiable(adjoint) {
			if _, ok := use[name]; !ok {
				use[name] = nil
			}
		}
		for name := range differentiable(forward) {
			if !c.NoGrad {
				use[name] = append(use[name], c)
			}
		}
	}
	return use
}

// differentiable returns the names of the operators with a gradient rule.
func differentiable(all []graph.Op) map[string]bool {
	names := map[string]bool{}
	for _, op := range all {
		if _, ok := op.(graph.Differentiable); ok {
			names[op.Name()] = true
		}
	}
	return names
}

// find reports whether a case fails when the rule of the operator called name is
// mutated, and whether the mutation changed anything.
func find(t *testing.T, cases []optest.Case, name string, m mutation) (found, applied bool) {
	for _, c := range cases {
		changed := false
		mutated := false
		err := optest.CheckGradient(c, func(op graph.Op) graph.Op {
			if mutated || op.Name() != name {
				return op
			}
			mutated = true // one node only, lest two mutations cancel out
			return mutant{op.(ops.Op), func(into []graph.Value) []graph.Value {
				into, did := m(into)
				changed = changed || did
				return into
			}}
		})
		applied = applied || changed
		if err != nil {
			require.ErrorIs(t, err, optest.ErrGradient, c.Name)
			return true, true
		}
	}
	return false, applied
}

// mutation changes the contributions of a gradient rule, and reports whether
// there was something to change.
type mutation func(into []graph.Value) ([]graph.Value, bool)

// drop removes the contribution to input i, counting those that get one.
func drop(i int) mutation {
	return func(into []graph.Value) ([]graph.Value, bool) {
		into = slices.Clone(into)
		nth := 0
		for k, v := range into {
			if v.IsZero() {
				continue
			}
			if nth == i {
				into[k] = graph.Value{}
				return into, true
			}
			nth++
		}
		return into, false
	}
}

// scale multiplies all contributions.
func scale(by float64) mutation {
	return func(into []graph.Value) ([]graph.Value, bool) {
		into = slices.Clone(into)
		any := false
		for k, v := range into {
			if !v.IsZero() {
				into[k] = graph.Apply(scaled{by}, v)
				any = true
			}
		}
		return into, any
	}
}

// mutant is an operator with another gradient rule.
type mutant struct {
	ops.Op
	mutate func([]graph.Value) []graph.Value
}

// Gradient implements graph.Differentiable.
func (m mutant) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return m.mutate(m.Op.(graph.Differentiable).Gradient(n, ct))
}

// scaled multiplies by a constant, independently of the operators under test. It
// exists for the reference semantics only.
type scaled struct{ by float64 }

func (scaled) Name() string { return "scaled" }

func (s scaled) Attrs() []graph.Attr { return []graph.Attr{{Key: "by", Value: s.by}} }

func (scaled) Infer(in []graph.Type) ([]graph.Type, error) { return in, nil }

func (scaled) Lower([]graph.Type, graph.Type) ops.Lowering { return ops.Lowering{} }

func (s scaled) Eval(in []*ops.Tensor) (*ops.Tensor, error) {
	if !in[0].DType.IsFloat() {
		return nil, fmt.Errorf("a contribution of type %v", in[0].Type())
	}
	out := in[0].Clone()
	for i := range out.F {
		out.F[i] *= s.by
	}
	return out, nil
}
