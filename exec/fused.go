package exec

import (
	"time"

	"github.com/frondml/frond/ops"
)

// fusedRows executes a group of element-wise instructions, a few rows at a time.
func (x *engine) fusedRows(in *instr) error {
	n := x.run.count(in.space)
	if n == 0 {
		return nil
	}
	rows, err := x.groupOperands(in)
	if err != nil {
		return err
	}
	for i := range in.parts {
		x.countPart(&in.parts[i], n)
	}
	if x.helped && in.splits && n > 1 && n*in.work >= helpedElements && x.team.asked() {
		return x.team.fused(in, rows, n)
	}
	in.rowRange(rows, 0, n)
	return nil
}

// rowRange executes the group for the rows from begin to end-1.
func (in *instr) rowRange(rows []ops.Rows, begin, end int) {
	for from := begin; from < end; from += in.chunk {
		to := min(from+in.chunk, end)
		for i := range in.parts {
			in.parts[i].apply(rows, from, to)
		}
	}
}

// apply executes one instruction of a group for some rows.
func (in *instr) apply(rows []ops.Rows, from, to int) {
	n := in.size
	z, x := &rows[in.to], &rows[in.from[0]]
	if in.zipRow == nil {
		for j := from; j < to; j++ {
			in.mapRow(z.Row(j, n), x.Row(j, n))
		}
		return
	}
	y := &rows[in.from[1]]
	for j := from; j < to; j++ {
		in.zipRow(z.Row(j, n), x.Row(j, n), y.Row(j, n))
	}
}

// partByPart executes the instructions of a group one after the other for all rows, so
// that each can be measured and its result checked.
func (x *engine) partByPart(in *instr, counts *[]instrCount, clock *time.Time) *batchError {
	n := x.run.count(in.space)
	rows, err := x.groupOperands(in)
	if err != nil {
		return x.rowFailed(in, err)
	}
	for i := range in.parts {
		p := &in.parts[i]
		if n > 0 {
			x.countPart(p, n)
			p.apply(rows, 0, n)
		}
		if x.opts.CheckFinite && p.node != nil {
			if err := x.checkFinite(p); err != nil {
				return x.rowFailed(p, err)
			}
		}
		if *counts != nil {
			*clock = (*counts)[0].note(x.run, p, *clock)
			*counts = (*counts)[1:]
		}
	}
	return nil
}

// groupOperands resolves the operands of a group.
func (x *engine) groupOperands(in *instr) ([]ops.Rows, error) {
	x.run.expandTo = in.space
	rows := x.run.operands[:0]
	for k := range in.in {
		o := &in.in[k]
		if o.kind == inBuffer && x.limit > 0 {
			if err := x.roomFor(&x.run.code.buffers[o.index]); err != nil {
				return nil, err
			}
		}
		rows = append(rows, x.rows(o, k))
	}
	x.run.operands = rows
	return rows, nil
}

func (x *engine) countPart(p *instr, n int) {
	if p.kind == doRows {
		x.counts.kernel(p, n)
	}
}
