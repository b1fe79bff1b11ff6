package ops_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// cases are the conformance cases of all operators.
var cases = slices.Concat(elementwiseCases, structureCases)

func TestEveryOperatorHasACase(t *testing.T) {
	used := map[string]bool{}
	for _, c := range cases {
		forward, adjoint, err := c.Ops()
		require.NoError(t, err, c.Name)
		for _, op := range slices.Concat(forward, adjoint) {
			used[op.Name()] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ops.Registry())) {
		assert.True(t, used[name], "no case uses %s", name)
	}
}

func TestOperatorsRefuseMissingInputs(t *testing.T) {
	for _, c := range cases {
		forward, adjoint, err := c.Ops()
		require.NoError(t, err, c.Name)
		for _, op := range slices.Concat(forward, adjoint) {
			_, err := op.Infer(nil)
			assert.ErrorIs(t, err, graph.ErrInvalid, op.Name())
		}
	}
}

func TestRegistryRefusesWrongAttributes(t *testing.T) {
	for name, attrs := range map[string][]graph.Attr{
		"outer":   {{Key: "axis", Value: 1}},                                   // unknown
		"slice":   {{Key: "axis", Value: 1}, {Key: "from", Value: 0}},          // to is missing
		"concat":  {{Key: "axis", Value: "0"}},                                 // not an int
		"reshape": {{Key: "dims", Value: 3}},                                   // not a list
		"matmul":  {{Key: "trans_a", Value: 1}, {Key: "trans_b", Value: true}}, // not a truth value
	} {
		_, err := ops.Registry()[name](attrs)
		assert.ErrorIs(t, err, graph.ErrInvalid, name)
	}
}
