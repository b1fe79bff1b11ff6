package exec

import (
	"fmt"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// checkBounds checks, before an operator is issued, the integers by which its kernel
// addresses memory.
func (d *deviceEngine) checkBounds(w *deviceWork) error {
	if device.WantsElements(w.operator) {
		seg := d.x.run.spaces[w.in.space].seg
		for j := range d.x.run.n {
			if seg[j] == seg[j+1] {
				return &ops.RowError{Row: j, Err: fmt.Errorf("%w: the list is empty", ops.ErrLength)}
			}
		}
	}
	input, limit, ok := device.Bounds(w.operator)
	if !ok {
		return nil
	}
	in := w.in
	sp, size := operandSpace(in, input), inputSize(in, input)
	at := d.lists.index(listKey{kind: listIntegers, source: &in.in[input]}).Offset
	n := d.x.run.count(sp)
	if in.in[input].kind == inGlobal {
		n = min(n, 1)
	}
	for j := range n {
		most := limit
		if limit == graph.Any { // the elements of the frame's list
			seg := d.x.run.spaces[in.space].seg
			most = int(seg[j+1] - seg[j])
		}
		for _, i := range d.lists.words[at+j*size : at+(j+1)*size] {
			if i < 0 || int(i) >= most {
				if in.kind == doSegments && sp != frameSpace {
					j = int(d.x.run.spaces[sp].rowOf[j])
				}
				return &ops.RowError{Row: j, Err: fmt.Errorf("%w: index %d, %d elements", ops.ErrIndex, i, most)}
			}
		}
	}
	return nil
}
