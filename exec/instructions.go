package exec

import (
	"fmt"
	"unsafe"

	"github.com/frondml/frond/exec/internal/callkey"
	"github.com/frondml/frond/internal/kernel"
	"github.com/frondml/frond/ops"
)

// instruction executes one step for all rows of the batch.
func (x *engine) instruction(in *instr) error {
	x.run.expandTo = in.space
	if in.out.kind == inBuffer && x.limit > 0 {
		if err := x.roomFor(&x.run.code.buffers[in.out.index]); err != nil {
			return err
		}
	}
	switch in.kind {
	case doRows, doSegments:
		return x.kernel(in)
	case doNames:
		return x.rename(in)
	case doGemm:
		return x.gemm(in)
	case doReserve:
		return x.reserve(in)
	case doIota:
		r, row0 := x.run.regs[in.out.index], x.run.row0[in.in[0].index]
		for j := range r {
			r[j] = int32(row0 + j)
		}
	case doListNames:
		return x.listNames(in)
	case doConst:
		r := x.run.regs[in.out.index]
		for j := range r {
			r[j] = int32(in.index)
		}
	case doFlatten:
		return x.flatten(in.space, x.run.regs[in.index])
	case doSameLength:
		return x.sameLength(in)
	case doBounds:
		return x.bounds(in)
	case doCopy:
		x.copyRows(in)
	case doAdd, doScatter:
		x.addRows(in)
	case doZero:
		dst := x.rows(&in.out, 0)
		for j := range x.run.count(in.space) {
			clear(dst.Row(j, in.size))
		}
	case doScatterAt:
		x.scatterAt(in)
	case doLoss:
		x.addLoss(in)
	case doCollect:
		x.collect(in)
	case doSumRows:
		x.grads.addDense(in.index, x.rows(&in.in[0], 0), x.run.n, in.size)
	case doSparseRows:
		x.sparseRows(in)
	case doKeep:
		return x.keep(in)
	case doAdvance:
		x.dys[in.index].n += x.run.count(in.space)
	case doFused:
		return x.fusedRows(in)
	}
	return nil
}

func (x *engine) kernel(in *instr) error {
	b := &x.run.batch
	b.N = x.run.count(in.space)
	b.Seg = nil
	if in.kind == doSegments {
		b.N, b.Seg = x.run.n, x.run.spaces[in.space].seg
	} else if b.N == 0 {
		return nil
	}
	b.In = b.In[:0]
	for i := range in.in {
		b.In = append(b.In, x.rows(&in.in[i], i))
	}
	b.Out = x.rows(&in.out, len(in.in))
	b.Seed, b.Tmp, b.Keys = x.seed, &x.scratch, nil
	if in.keys >= 0 {
		b.Keys = x.keys(in)
	}
	x.counts.kernel(in, b.N)
	if x.helped && in.kind == doRows && b.N > 1 && b.N*in.size >= helpedElements && x.team.asked() {
		return x.team.kernel(in.run, b)
	}
	return in.run(b)
}

// keys returns the key of every row's frame.
func (x *engine) keys(in *instr) []uint32 {
	k := x.run.regs[in.keys]
	if in.space != frameSpace && in.kind != doSegments {
		sp := &x.run.spaces[in.space]
		x.run.elemKeys = sized(x.run.elemKeys, len(sp.rowOf))
		for e, j := range sp.rowOf {
			x.run.elemKeys[e] = int32(callkey.Element(uint32(k[j]), e-int(sp.seg[j])))
		}
		k = x.run.elemKeys
	}
	if len(k) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&k[0])), len(k))
}

func (x *engine) rename(in *instr) error {
	w := &x.run.words
	w.N, w.Lists = x.run.n, &x.lists
	w.In = w.In[:0]
	for i := range in.in {
		w.In = append(w.In, x.run.regs[in.in[i].index])
	}
	w.Out = x.run.regs[in.out.index]
	if err := in.names(w); err != nil {
		return err
	}
	return x.lists.failure()
}

func (x *engine) gemm(in *instr) error {
	m := x.run.count(in.space)
	if m == 0 {
		return nil
	}
	p := matrixProduct{m: m, w: x.packed[in.index], a: x.rows(&in.in[0], 0), c: x.rows(&in.out, 1), add: in.add}
	p.bias = x.biases[in.index]
	if !in.bias.IsZero() {
		p.bias, _ = x.params.global(in.bias)
	}
	x.counts.kernel(in, m)
	if p.a.Stride == 0 { // the same row for all
		p.a.Index, p.a.Stride = x.zeros(m), p.w.K
	}
	if in.reps > 1 {
		a, c := p.a, p.c
		p.m, p.a, p.c = in.reps, ops.Rows{Stride: p.w.K}, ops.Rows{Stride: p.w.N}
		for j := range m {
			p.a.F, p.c.F = a.F[a.At(j):], c.F[c.At(j):]
			p.panels(0, p.w.Panels)
		}
		return nil
	}
	if x.helped {
		if done, err := x.team.multiply(&p); done {
			return err
		}
	}
	p.panels(0, p.w.Panels)
	return nil
}

// zeros returns n zero row numbers.
func (x *engine) zeros(n int) []int32 {
	if len(x.run.zero) < n {
		x.run.zero = make([]int32, n+n/2)
	}
	return x.run.zero[:n]
}

func (x *engine) reserve(in *instr) error {
	n := x.run.count(in.space)
	if in.index >= 0 {
		own := x.run.code.own[in.index]
		x.run.row0[in.index] = x.stores[own.store].rows
		return x.appendRows(own.store, n)
	}
	if x.dev != nil {
		return x.dev.s.failed(x.dev.reserve(-1-in.index, n))
	}
	d := &x.dys[-1-in.index]
	if need := (d.n + n) * x.plan.dys[-1-in.index].width; len(d.rows) < need {
		if cap(d.rows) < need {
			grown := need + need/2
			if err := x.mayGrow(int64(grown-cap(d.rows)) * 4); err != nil {
				return err
			}
			d.rows = append(make([]float32, 0, grown), d.rows...)
		}
		d.rows = d.rows[:need]
	}
	return nil
}

// listNames makes, per frame, the list of the names of its own rows, or of its
// integers when the elements are integers.
func (x *engine) listNames(in *instr) error {
	s := &x.run.spaces[in.space]
	out := x.run.regs[in.out.index]
	named := hasRows(in.node.Out[0])
	src := x.rows(&in.in[0], 0)
	for j := range out {
		from, to := s.seg[j], s.seg[j+1]
		h, elems := x.lists.New(int(to - from))
		for e := range elems {
			if named {
				elems[e] = int32(x.run.row0[in.in[0].index]) + from + int32(e)
			} else {
				elems[e] = src.I[src.At(int(from)+e)]
			}
		}
		out[j] = h
	}
	return x.lists.failure()
}

func (x *engine) sameLength(in *instr) error {
	a, b := x.run.spaces[in.space].seg, x.run.spaces[in.index].seg
	for j := range x.run.n {
		if la, lb := a[j+1]-a[j], b[j+1]-b[j]; la != lb {
			return &ops.RowError{Row: j, Err: fmt.Errorf("%w: %d and %d elements", ops.ErrLength, la, lb)}
		}
	}
	return nil
}

func (x *engine) bounds(in *instr) error {
	q := x.rows(&in.in[0], 0)
	for j := range x.run.count(in.space) {
		if i := q.I[q.At(j)]; i < 0 || int(i) >= in.index {
			return &ops.RowError{Row: j, Err: fmt.Errorf("%w: index %d, %d elements", ops.ErrIndex, i, in.index)}
		}
	}
	return nil
}

func (x *engine) copyRows(in *instr) {
	src, dst := x.rows(&in.in[0], 0), x.rows(&in.out, 1)
	for j := range x.run.count(in.space) {
		if dst.F != nil {
			copy(dst.Row(j, in.size), src.Row(j, in.size))
		} else {
			copy(dst.Ints(j, in.size), src.Ints(j, in.size))
		}
	}
}

func (x *engine) addRows(in *instr) {
	src, dst := x.rows(&in.in[0], 0), x.rows(&in.out, 1)
	for j := range x.run.count(in.space) {
		kernel.AddTo(dst.Row(j, in.size), src.Row(j, in.size))
	}
}

func (x *engine) scatterAt(in *instr) {
	src, idx, dst := x.rows(&in.in[0], 0), x.rows(&in.in[1], 1), x.rows(&in.out, 2)
	for j := range x.run.count(in.space) {
		at := dst.At(j) + int(idx.I[idx.At(j)])*in.width
		kernel.AddTo(dst.F[at:at+in.size], src.Row(j, in.size))
	}
}

func (x *engine) addLoss(in *instr) {
	q := x.rows(&in.in[0], 0)
	for j, f := range x.run.frames {
		x.roots[x.mem[f+hRoot]].loss.add(q.F[q.At(j)])
	}
}

func (x *engine) sparseRows(in *instr) {
	src, idx := x.rows(&in.in[0], 0), x.rows(&in.in[1], 1)
	size := in.size / in.reps
	for j := range x.run.count(in.space) {
		rows, data := idx.Ints(j, in.reps), src.Row(j, in.size)
		for k, r := range rows {
			x.grads.addRow(in.index, r, data[k*size:(k+1)*size])
		}
	}
}
