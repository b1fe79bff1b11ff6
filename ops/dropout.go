package ops

import (
	"fmt"
	"hash/fnv"

	"github.com/frondml/frond/graph"
)

// DropoutOp sets elements to 0 at random. Which ones is a function of the seed
// of the run, the key of the row, Salt and the element's place, so that it
// depends neither on the schedule nor on other rows and is the same for a value
// and for its cotangent.
type DropoutOp struct {
	Rate float64
	Salt int // distinguishes the operators of a program
}

// Dropout sets elements of x to 0 with the given probability, 0 <= rate < 1, and
// divides the others by 1-rate, when the run has a seed; without one (in
// evaluation) it returns x. Gradient: the same elements of ct.
func Dropout(x graph.Value, rate float64) graph.Value {
	return apply(DropoutOp{rate, salt(x)}, x)
}

// salt hashes the place where a node is about to be added.
func salt(x graph.Value) int {
	m := x.Module()
	if m == nil {
		return 0
	}
	h := fnv.New32a()
	for g := m.Open(); g != nil; g = g.Parent {
		fmt.Fprintf(h, "%s/%d/", g.Name, len(g.Nodes))
	}
	return int(h.Sum32() >> 1)
}

// Name implements graph.Op.
func (DropoutOp) Name() string { return "dropout" }

// Attrs implements graph.Op.
func (o DropoutOp) Attrs() []graph.Attr {
	return []graph.Attr{{Key: "rate", Value: o.Rate}, {Key: "salt", Value: o.Salt}}
}

// Infer implements graph.Op.
func (o DropoutOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if !(o.Rate >= 0 && o.Rate < 1) {
		return nil, fmt.Errorf("%w: rate %v, want 0 <= rate < 1", graph.ErrInvalid, o.Rate)
	}
	return inferFloatMap(in)
}

// Gradient implements graph.Differentiable.
func (o DropoutOp) Gradient(_ *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{apply(o, ct)}
}

// Lower implements Op. Batches of a run with a seed have keys.
func (o DropoutOp) Lower(_ []graph.Type, out graph.Type) Lowering {
	n := rowType(out).Size()
	return Lowering{Rows: func(b *Batch) error {
		for i := range b.N {
			x, z := b.In[0].Row(i, n), b.Out.Row(i, n)
			copy(z, x)
			if b.Seed != 0 {
				thin(o, z, b.Seed, b.Keys[i])
			}
		}
		return nil
	}}
}

// thin drops elements of a row and scales those that stay. One random number
// decides about four elements, so rates are rounded down to multiples of 2^-16.
func thin[T float32 | float64](o DropoutOp, row []T, seed uint64, key uint32) {
	base := scramble(seed ^ scramble(uint64(o.Salt)<<32|uint64(key)))
	limit, scale := uint64(o.Rate*(1<<16)), T(1/(1-o.Rate))
	for j := 0; j < len(row); j += 4 {
		random := scramble(base + uint64(j))
		for k := j; k < min(j+4, len(row)); k++ {
			if random&0xffff < limit {
				row[k] = 0
			} else {
				row[k] *= scale
			}
			random >>= 16
		}
	}
}

// scramble is the output function of SplitMix64 (Steele, Lea, Flood 2014).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Eval implements Op for a run without a seed.
func (DropoutOp) Eval(in []*Tensor) (*Tensor, error) { return in[0].Clone(), nil }

// EvalKeyed is Eval for a run with a seed: with one key x is a row, with more
// they are the keys of its elements along the first axis, as for a list.
func (o DropoutOp) EvalKeyed(in []*Tensor, seed uint64, keys ...uint32) (*Tensor, error) {
	z := in[0].Clone()
	if seed == 0 || len(keys) == 0 {
		return z, nil
	}
	n := len(z.F) / len(keys)
	if n*len(keys) != len(z.F) {
		return nil, fmt.Errorf("%w: %d keys for %v", ErrLength, len(keys), z.Type())
	}
	for i, key := range keys {
		thin(o, z.F[i*n:(i+1)*n], seed, key)
	}
	return z, nil
}

var _ graph.Differentiable = DropoutOp{}
