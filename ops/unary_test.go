package ops_test

import (
	"slices"

	"github.com/frondml/frond/ops"
)

var unaryCases = slices.Concat(
	unaryCasesOf("neg", ops.Neg, f32),
	with(unaryCasesOf("neg", ops.Neg, i32), signedInts),
	unaryCasesOf("exp", ops.Exp, f32),
	unaryCasesOf("sigmoid", ops.Sigmoid, f32),
	unaryCasesOf("tanh", ops.Tanh, f32),
)
