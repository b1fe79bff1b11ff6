package exec

import "math/rand/v2"

// testTrees makes n random trees with up to the given number of leaves for
// treeProgram with a vocabulary of 30 and 3 classes.
func testTrees(n, leaves int) [][]Array {
	rng := rand.New(rand.NewPCG(3, 4))
	trees := make([][]Array, n)
	for i := range trees {
		trees[i] = randomTree(rng, 1+rng.IntN(leaves), 30, 3)
	}
	return trees
}
