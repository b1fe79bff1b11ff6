package graph

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// double is an operator for tests inside the package, which knows none.
type double struct{}

func (double) Name() string  { return "double" }
func (double) Attrs() []Attr { return nil }
func (double) Infer(in []Type) ([]Type, error) {
	if len(in) != 1 {
		return nil, fmt.Errorf("%w: double of %d inputs", ErrShape, len(in))
	}
	return in, nil
}
func (double) Gradient(_ *Node, ct Value) []Value { return []Value{Apply(double{}, ct)} }

// wrongRule is an operator whose gradient rule is wrong in a way that types tell.
type wrongRule struct {
	double
	contributions func(ct Value) []Value
}

func (w wrongRule) Gradient(_ *Node, ct Value) []Value { return w.contributions(ct) }

// noRule is an operator without a gradient rule.
type noRule struct{}

func (noRule) Name() string                    { return "no_rule" }
func (noRule) Attrs() []Attr                   { return nil }
func (noRule) Infer(in []Type) ([]Type, error) { return in, nil }

// chain builds main(x) = op(double(x)).
func chain(op Op) (*Program, error) {
	m := NewModule("test")
	m.Declare("main", []Value{F32(2)}, []Value{F32(2)}).Define(nil, func(p []Value) []Value {
		return []Value{Apply(op, Apply(double{}, p[0]))}
	})
	return m.Build()
}

func TestVerifyFindsWhatPassesBreak(t *testing.T) {
	for name, c := range map[string]struct {
		want   string
		breakG func(g *Graph)
	}{
		"missing input":           {"node 1, double (verify_test.go:", func(g *Graph) { g.Nodes[1].In = nil }},
		"later input":             {"input 0 is computed later, by node 2", func(g *Graph) { g.Nodes[1].In[0] = g.Nodes[2].Result(0) }},
		"own result":              {"input 0 is computed later, by node 2", func(g *Graph) { g.Nodes[2].In[0] = g.Nodes[2].Result(0) }},
		"zero input":              {"input 0 is the zero Value", func(g *Graph) { g.Nodes[1].In[0] = Value{} }},
		"poisoned input":          {"input 0 is the poisoned value", func(g *Graph) { g.Nodes[1].In[0] = poison }},
		"input of another graph":  {"input 0 belongs to other", func(g *Graph) { g.Nodes[1].In[0] = elsewhere(g) }},
		"type":                    {"result 0 is f32[3], inferred f32[2]", func(g *Graph) { g.Nodes[1].Out[0] = T(Float32, 3) }},
		"number of node results":  {"2 results, 1 inferred", func(g *Graph) { g.Nodes[1].Out = append(g.Nodes[1].Out, T(Float32)) }},
		"order":                   {"node 1 of main says that it is node 2 of main", func(g *Graph) { g.Nodes[1], g.Nodes[2] = g.Nodes[2], g.Nodes[1] }},
		"foreign node":            {"says that it is node 1 of other", func(g *Graph) { g.Nodes[1] = elsewhere(g).node }},
		"lost parameter":          {"main has 0 parameters for 1 inputs and 0 captured values", func(g *Graph) { g.Params = nil }},
		"parameter out of place":  {"parameter 0 of main is not its node 0", func(g *Graph) { g.Params[0] = g.Nodes[1].Result(0) }},
		"number of results":       {"main returns 0 results for 1 declared", func(g *Graph) { g.Results = nil }},
		"result":                  {"result 0 of main is the zero Value", func(g *Graph) { g.Results[0] = Value{} }},
		"result of another graph": {"result 0 of main is the f32[2] of double", func(g *Graph) { g.Results[0] = elsewhere(g) }},
		"declared result":         {"result 0 of main is f32[2], declared f32", func(g *Graph) { g.Out[0] = T(Float32) }},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := chain(double{})
			require.NoError(t, err)
			require.NoError(t, p.Verify())
			c.breakG(p.Graphs[0])
			err = p.Verify()
			require.ErrorIs(t, err, ErrInvalid)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// elsewhere returns a value of another graph of g's module.
func elsewhere(g *Graph) Value {
	other := &Graph{Name: "other", Module: g.Module, defined: true}
	x := other.addParam(Param{}, T(Float32, 2))
	return other.add(double{}, []Value{x}, []Type{x.Type()}, Pos{}).Result(0)
}

func TestWrongGradientRulesAreFound(t *testing.T) {
	_, err := chain(wrongRule{contributions: func(Value) []Value { return nil }})
	require.ErrorIs(t, err, ErrInvalid)
	assert.ErrorContains(t, err, "gradient of double: invalid program: the rule gives 0 contributions for 1 inputs")

	_, err = chain(wrongRule{contributions: func(ct Value) []Value { return []Value{ct.Module().Float(1)} }})
	require.ErrorIs(t, err, ErrShape)
	assert.ErrorContains(t, err, "contribution 0 is f32, the input is f32[2]")
}

func TestAdjointHoldsWhatIsNeeded(t *testing.T) {
	p, err := chain(double{})
	require.NoError(t, err)
	adj := p.Graphs[0].Adjoint
	require.Len(t, adj.Steps, 2)
	assert.Equal(t, 2, adj.Steps[0].Node.Index, "the last node comes first")
	assert.Empty(t, adj.Missing)

	p, err = chain(noRule{})
	require.NoError(t, err)
	adj = p.Graphs[0].Adjoint
	assert.Empty(t, adj.Steps, "nothing is known of what lies behind the missing rule")
	require.Len(t, adj.Missing, 1)
	assert.Equal(t, "no_rule", adj.Missing[0].Op.Name())

	// A rule that contributes nothing stops the gradient.
	p, err = chain(wrongRule{contributions: func(Value) []Value { return []Value{{}} }})
	require.NoError(t, err)
	assert.Len(t, p.Graphs[0].Adjoint.Steps, 1)
}

func TestVerifyChecksAdjoints(t *testing.T) {
	p, err := chain(double{})
	require.NoError(t, err)
	p.Graphs[0].Adjoint.Body.Nodes[1].Out[0] = T(Float32, 3)
	assert.ErrorIs(t, p.verifyAdjoints(), ErrInvalid)
}
