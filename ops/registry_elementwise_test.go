package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

func TestElementwiseRegistryRefusesWrongAttributes(t *testing.T) {
	for name, attrs := range map[string][]graph.Attr{
		"sigmoid":    {{Key: "c", Value: 1.0}},                                          // unknown
		"add_scalar": {{Key: "c", Value: 1}},                                            // not a float
		"clip":       {{Key: "lo", Value: 1.0}},                                         // hi is missing
		"cast":       {{Key: "to", Value: "f32"}},                                       // not an element type
		"sum":        {{Key: "axes", Value: []int{0, 40}}, {Key: "keep", Value: false}}, // no such axis
		"max":        {{Key: "axes", Value: []int{-1}}},                                 // axes are resolved
	} {
		_, err := ops.Registry()[name](attrs)
		assert.ErrorIs(t, err, graph.ErrInvalid, name)
	}
}
