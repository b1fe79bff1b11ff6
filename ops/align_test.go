package ops

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
)

// FuzzAlign compares the runs of an alignment with the definition of
// broadcasting, element by element. Every byte gives an extent, its high bits
// say of which operands the axis is repeated.
func FuzzAlign(f *testing.F) {
	f.Add([]byte{3, 5}, uint8(0), uint8(0))
	f.Add([]byte{3, 1 << 4, 5}, uint8(0), uint8(1))
	f.Add([]byte{2 | 1<<4, 3, 4 | 2<<4, 2}, uint8(1), uint8(0))
	f.Add([]byte{1, 2 | 3<<4, 3}, uint8(0), uint8(0))
	f.Add([]byte{}, uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, axes []byte, dropX, dropY uint8) {
		out, x, y := graph.Shape{}, graph.Shape{}, graph.Shape{}
		for _, a := range axes[:min(len(axes), 5)] {
			d := int(a%4) + 1
			out = append(out, d)
			x = append(x, repeated(d, a>>4&1))
			y = append(y, repeated(d, a>>5&1))
		}
		x, y = lacking(x, dropX), lacking(y, dropY)
		a := align(out, x, y)
		operands := []*Tensor{{Shape: x}, {Shape: y}}
		i := 0
		positions(out, func(at []int) {
			for k, o := range a.in {
				got := o.starts[i/a.run] + i%a.run*o.step
				assert.Equal(t, operands[k].index(at), got, "operand %d %v of %v at %v", k, operands[k].Shape, out, at)
				if o.same {
					assert.Equal(t, i, got)
				}
			}
			i++
		})
		assert.Equal(t, i, a.size)
		assert.Equal(t, i, a.runs*a.run)
	})
}

func repeated(d int, yes byte) int {
	if yes != 0 {
		return 1
	}
	return d
}

// lacking removes leading axes.
func lacking(s graph.Shape, n uint8) graph.Shape { return s[int(n)%(len(s)+1):] }
