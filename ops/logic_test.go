package ops_test

import (
	"slices"

	"github.com/frondml/frond/ops"
)

var logicCases = slices.Concat(
	binaryCases("and", ops.And, boolean),
	binaryCases("or", ops.Or, boolean),
	binaryCases("xor", ops.Xor, boolean),
)
