package ops_test

import (
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var crossEntropyCases = with([]optest.Case{
	binaryCase("cross entropy", ops.CrossEntropy, f32(5), i32()),
	binaryCase("cross entropy", ops.CrossEntropy, f32(3, 5), i32(3)),
	binaryCase("cross entropy", ops.CrossEntropy, f32(anyLen, 5), i32(anyLen)),
	binaryCase("cross entropy", ops.CrossEntropy, f32(anyLen, 3, 5), i32(anyLen, 3)),
	binaryCase("cross entropy", ops.CrossEntropy, f32(5), i32(anyLen)),
	binaryCase("cross entropy", ops.CrossEntropy, f32(anyLen, 5), i32()),
}, func(c *optest.Case) { c.IntRange = optest.Ints(0, 5) })
