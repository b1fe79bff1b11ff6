package models

import (
	"math/rand/v2"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// MVRNNConfig holds the sizes of a matrix-vector network.
type MVRNNConfig struct {
	Vocab   int // words
	Hidden  int // elements n of a vector; matrices are n by n
	Rank    int // of the matrices of words, beside their diagonals; the paper has 3
	Classes int
}

// MatrixVector is what a phrase means by itself, and what it makes of its neighbour.
type MatrixVector struct {
	Vector graph.Value // [n]
	// MatrixT [n n] is the transpose of the matrix. In this form the product by which
	// two matrices become one has its variable on the right, as products of vectors
	// have, so that it is one product for all nodes that are executed together.
	MatrixT graph.Value
}

// NewMVRNN adds the matrix-vector recursive neural network of Socher, Huval, Manning
// and Ng (EMNLP 2012, sections 2.1-2.3 and 2.6). A node has a vector a and a matrix A;
// with b and B those of its sibling:
//
//	leaf    a = row of E              A = Uw Vwᵀ + diag(dw)
//	inner   p = tanh(W [B a  A b])    P = WM [A; B]
//
// [A; B] is A above B. Uw and Vw [n rank] and dw [n] belong to the word w; they are
// slices of U and V [words n rank] and of D [words n]. At first A is close to the unit
// matrix, and P to the mean of A and B. The classes are told from p, with a bias that
// the paper does not have; see Classify.
func NewMVRNN(m *graph.Module, c MVRNNConfig) *recursion.SubGraph[BinaryTree, Scores] {
	graph.Helper()
	cell := newMVRNNCell(m, c)
	return Classify(m, "mvrnn", c.Hidden, c.Classes, Cell[MatrixVector]{
		State:  MatrixVector{Vector: graph.F32(c.Hidden), MatrixT: graph.F32(c.Hidden, c.Hidden)},
		Leaf:   cell.leaf,
		Join:   cell.join,
		Hidden: func(s MatrixVector) graph.Value { return s.Vector },
	})
}

type mvrnnCell struct {
	vectors, diagonals Embedding
	u, v               graph.Value // [words n rank]
	w, wm              graph.Value // [n 2n]
}

func newMVRNNCell(m *graph.Module, c MVRNNConfig) mvrnnCell {
	graph.Helper()
	n := c.Hidden
	// Products of Rank such numbers leave A within a few hundredths of the unit matrix.
	noise := graph.Normal(0.1)
	return mvrnnCell{
		vectors:   NewEmbedding(m, "E", c.Vocab, n),
		u:         m.Var("U", graph.F32(c.Vocab, n, c.Rank), noise),
		v:         m.Var("V", graph.F32(c.Vocab, n, c.Rank), noise),
		diagonals: Embedding{m.Var("D", graph.F32(c.Vocab, n), graph.Constant(1))},
		w:         m.Var("W", graph.F32(n, 2*n), graph.Xavier()),
		wm:        m.Var("WM", graph.F32(n, 2*n), meanOfTwo),
	}
}

// meanOfTwo starts WM [n 2n] so that it makes about the mean of two matrices. Nothing
// bounds P, unlike p: with a WM that is not like this, the matrices of deep trees vanish
// or explode.
func meanOfTwo(rng *rand.Rand, shape graph.Shape, dst []float32) {
	graph.Uniform(0.01)(rng, shape, dst)
	n := shape[0]
	for i := range n {
		row := dst[i*2*n:]
		row[i] += 0.5
		row[n+i] += 0.5
	}
}

func (c mvrnnCell) leaf(word graph.Value) MatrixVector {
	product := ops.MatMulT(ops.At(c.v, word), ops.At(c.u, word))
	diagonal := diagonal(c.diagonals.Apply(word))
	return MatrixVector{Vector: c.vectors.Apply(word), MatrixT: ops.Add(product, diagonal)}
}

func (c mvrnnCell) join(l, r MatrixVector) MatrixVector {
	ba, ab := ops.MatMul(l.Vector, r.MatrixT), ops.MatMul(r.Vector, l.MatrixT)
	return MatrixVector{
		Vector:  ops.Tanh(ops.MatVec(c.w, ops.Concat(ba, ab))),
		MatrixT: ops.MatMulT(ops.ConcatAxis(1, l.MatrixT, r.MatrixT), c.wm),
	}
}

// diagonal returns the matrix [n n] with d [n] on its diagonal: where rows have n
// elements, the first of every n+1 lies there.
func diagonal(d graph.Value) graph.Value {
	n := d.Type().Size()
	apart := ops.Pad(ops.Reshape(d, n, 1), 1, 0, n+1)
	return ops.Reshape(ops.Slice(ops.Reshape(apart, n*(n+1)), 0, 0, n*n), n, n)
}
