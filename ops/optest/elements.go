package optest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/frondml/frond/ops"
)

// checkElements checks the element-wise description of a rule on the inputs of one
// frame: it must give what Eval gives, also when it writes over an operand, and the
// forms that add must add that.
func (c Case) checkElements(k kernel, frame []*ops.Tensor, want *ops.Tensor) error {
	e := k.low.Elements
	if e == nil || k.overLists() { // over lists the same function is called elsewhere
		return nil
	}
	if k.low.Rows == nil || (e.Map == nil) == (e.Zip == nil) || e.AddMap != nil && e.Map == nil || e.AddZip != nil && e.Zip == nil {
		return errors.New("rule Elements needs Rows, one of Map and Zip, and the same form for what adds")
	}
	in := make([][]float32, len(frame))
	for i, x := range frame {
		if in[i] = singles(x.F); len(in[i]) != len(want.F) {
			return fmt.Errorf("rule Elements: an operand of %d elements, the result has %d", len(in[i]), len(want.F))
		}
	}
	for over := -1; over < len(in); over++ {
		operands := slices.Clone(in)
		dst := make([]float32, len(want.F))
		fillWithNaN(dst)
		if over >= 0 {
			dst = slices.Clone(in[over])
			operands[over] = dst
		}
		apply(e.Map, e.Zip, dst, operands)
		if err := c.compareSingles(dst, want); err != nil {
			return fmt.Errorf("rule Elements, written over operand %d: %w", over, err)
		}
	}
	if e.AddMap == nil && e.AddZip == nil {
		return nil
	}
	sum := slices.Repeat([]float32{0.75}, len(want.F))
	apply(e.AddMap, e.AddZip, sum, in)
	added := want.Clone()
	for i := range added.F {
		added.F[i] += 0.75
	}
	if err := c.compareSingles(sum, added); err != nil {
		return fmt.Errorf("rule Elements, adding: %w", err)
	}
	return nil
}

func apply(oneOperand func(dst, x []float32), two func(dst, x, y []float32), dst []float32, in [][]float32) {
	if two != nil {
		two(dst, in[0], in[1])
		return
	}
	oneOperand(dst, in[0])
}

func (c Case) compareSingles(got []float32, want *ops.Tensor) error {
	x := want.Clone()
	for i, f := range got {
		x.F[i] = float64(f)
	}
	return c.compare(x, want)
}

func singles(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, f := range x {
		y[i] = float32(f)
	}
	return y
}
