package ops

import "github.com/frondml/frond/graph"

var mod = &pairwise{
	name: "mod", ints: modInts, divides: true,
	evalInt: func(x, y int32) int32 { return x % y },
}

// Mod returns the remainder of x / y, element-wise and broadcast, of i32. As in
// Go it has the sign of x; y = 0 is an error of the run that wraps ErrDivide.
func Mod(x, y graph.Value) graph.Value { return apply(mod, x, y) }

func modInts(dst, x, y []int32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] % y[i]
	}
}
