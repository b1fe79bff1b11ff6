package devicetest

import (
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
)

// fused tests an element-wise operator as a chain of one step, which stores and which
// adds.
func (s *suite) fused(r *rule) {
	s.t.Helper()
	counts := r.counts(r.frames)
	var operands []*rows
	n := 0
	for i, t := range r.InTypes() {
		from := r.rowsOf(i, r.frames, counts)
		n = len(from)
		operands = append(operands, s.input(from, t, permuted))
	}
	for _, add := range []bool{false, true} {
		out := s.operand(n, rowSize(r.out), strided)
		s.fuse(r, operands, out, n, add)
	}
	s.freeAll()
}

func (s *suite) fuse(r *rule, operands []*rows, out *rows, n int, add bool) {
	s.t.Helper()
	step := device.Step{Kind: device.Apply, Op: r.Op, In: r.InTypes(), Out: r.out, Add: add, Size: out.width, To: len(operands), From: [2]int{0, len(operands) - 1}}
	kernel, err := s.device.Fuse(device.Chain{Operands: len(operands) + 1, Steps: []device.Step{step}})
	require.NoError(s.t, err, r)
	call := &device.Call{N: n}
	for _, o := range operands {
		call.In = append(call.In, o.Rows)
	}
	call.In = append(call.In, out.Rows)
	require.NoError(s.t, s.stream.Launch(kernel, call), r)
	want := imageOf(out.memory)
	result := make([]float32, out.width)
	for i := range n {
		if e := r.low.Elements; e.Zip != nil {
			e.Zip(result, operands[0].row(i), operands[1].row(i))
		} else {
			e.Map(result, operands[0].row(i))
		}
		for j, x := range result {
			if add {
				x += out.row(i)[j]
			}
			want.set(out.at(i)+j, float64(x))
		}
	}
	s.holds(out.Buffer, want, s.o.tolerance(), "%v in a chain, add %v", r, add)
}
