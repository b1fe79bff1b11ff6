package optest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// kernel is an operator with its batching rule for certain types.
type kernel struct {
	op  ops.Op
	in  []graph.Type
	out graph.Type
	low ops.Lowering
	tmp *ops.Scratch
}

// lower prepares the batching rule of an operator for certain types.
func lower(op ops.Op, in []graph.Type, out graph.Type) kernel {
	return kernel{op, in, out, op.Lower(in, out), &ops.Scratch{}}
}

// rule says which field of a Lowering is set.
type rule int

const (
	noRule rule = iota
	byRows
	bySegments
	byNames
	byWindow
	severalRules
)

// kernelOf lowers n; a node whose operator is not one of package ops has no rule.
func kernelOf(n *graph.Node) kernel {
	op, ok := n.Op.(ops.Op)
	if !ok {
		return kernel{}
	}
	return lower(op, n.InTypes(), n.Out[0])
}

func (k kernel) rule() rule {
	found := noRule
	for i, set := range []bool{k.low.Rows != nil, k.low.Segments != nil, k.low.Names != nil, k.low.Window != nil} {
		switch {
		case set && found == noRule:
			found = byRows + rule(i)
		case set:
			return severalRules
		}
	}
	return found
}

// overLists reports whether an input is a list.
func (k kernel) overLists() bool { return slices.ContainsFunc(k.in, graph.Type.IsList) }

// check reports a rule that cannot be right for the types.
func (k kernel) check() error {
	switch r := k.rule(); {
	case r == noRule || r == severalRules:
		return errors.New("the batching rule must set exactly one of Rows, Segments, Names and Window")
	case r == bySegments && !k.overLists():
		return errors.New("a rule over segments, but no input is a list")
	case (r == byRows || r == byWindow) && k.overLists() != k.out.IsList():
		return fmt.Errorf("a rule that works row by row gives %v", k.out)
	}
	return nil
}

// function returns the kernel over batches, nil when the rule has none.
func (k kernel) function() func(*ops.Batch) error {
	if k.low.Rows != nil {
		return k.low.Rows
	}
	return k.low.Segments
}

// run executes the rule for some frames and returns the result of each.
func (k kernel) run(frames [][]*ops.Tensor, l layout, rng *rand.Rand) ([]*ops.Tensor, error) {
	switch k.rule() {
	case byNames:
		return k.runNames(frames)
	case byWindow:
		return k.runWindow(frames)
	}
	c, err := k.call(frames, l, rng)
	if err != nil {
		return nil, err
	}
	before := cloneOperands(c.batch.In)
	if err := k.function()(c.batch); err != nil {
		return nil, err
	}
	if !equalOperands(before, c.batch.In) {
		return nil, errors.New("the kernel writes to its inputs")
	}
	rows, err := c.out.rows()
	if err != nil {
		return nil, err
	}
	return k.split(rows, c.counts), nil
}

// call is a prepared call of a kernel.
type call struct {
	batch  *ops.Batch
	out    *output
	counts []int // per frame, the number of elements of its lists
}

func (k kernel) call(frames [][]*ops.Tensor, l layout, rng *rand.Rand) (*call, error) {
	counts, err := k.counts(frames)
	if err != nil {
		return nil, err
	}
	total := 0
	b := &ops.Batch{N: len(frames), Tmp: k.tmp, Seg: []int32{0}}
	for _, n := range counts {
		total += n
		b.Seg = append(b.Seg, int32(total))
	}
	perElement := k.rule() == byRows && k.overLists()
	if perElement {
		b.N = total
	}
	if k.rule() == byRows {
		b.Seg = nil
	}
	for i, t := range k.in {
		var rows []row
		for f, frame := range frames {
			switch {
			case t.IsList():
				rows = append(rows, rowsOf(frame[i], true)...)
			case perElement:
				rows = append(rows, slices.Repeat(rowsOf(frame[i], false), counts[f])...)
			default:
				rows = append(rows, rowsOf(frame[i], false)...)
			}
		}
		b.In = append(b.In, l.operand(i, t, rows, rng))
	}
	outRows := len(frames)
	if k.out.IsList() {
		outRows = total
	}
	out := newOutput(k.out, outRows, l.gap())
	b.Out = out.operand
	for i := range max(total, len(frames)) {
		b.Keys = append(b.Keys, uint32(i)*2654435761)
	}
	fillWithNaN(k.tmp.Floats(1 << 9))
	return &call{b, out, counts}, nil
}

func fillWithNaN(x []float32) {
	for i := range x {
		x[i] = math.Float32frombits(canary)
	}
}

// counts returns the number of elements of each frame's lists, which must agree.
func (k kernel) counts(frames [][]*ops.Tensor) ([]int, error) {
	counts := make([]int, len(frames))
	for f, frame := range frames {
		counts[f] = -1
		for i, t := range k.in {
			if !t.IsList() {
				continue
			}
			n := frame[i].Shape[0]
			if counts[f] >= 0 && n != counts[f] {
				return nil, fmt.Errorf("frame %d: %w: %d and %d elements", f, ops.ErrLength, counts[f], n)
			}
			counts[f] = n
		}
		counts[f] = max(counts[f], 0)
	}
	return counts, nil
}

// split gives every frame its rows of the result.
func (k kernel) split(rows []row, counts []int) []*ops.Tensor {
	results := make([]*ops.Tensor, len(counts))
	for f, n := range counts {
		if !k.out.IsList() {
			n = 1
		}
		results[f] = tensorOf(k.out, rows[:n])
		rows = rows[n:]
	}
	return results
}

func (k kernel) runWindow(frames [][]*ops.Tensor) ([]*ops.Tensor, error) {
	w, t := k.low.Window, k.in[0]
	size := t.Size()
	if w.From < 0 || w.From+w.Size > size || w.Size != k.out.Size() {
		return nil, fmt.Errorf("window %+v of a row of %d for a result of %d elements", *w, size, k.out.Size())
	}
	results := make([]*ops.Tensor, len(frames))
	for f, frame := range frames {
		rows := rowsOf(frame[0], t.IsList())
		for i, r := range rows {
			rows[i] = r[w.From : w.From+w.Size]
		}
		results[f] = tensorOf(k.out, rows)
	}
	return results, nil
}
