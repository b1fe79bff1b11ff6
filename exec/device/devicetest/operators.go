package devicetest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Operators compares every operator with its batching rule executed in Go. Operators
// without a kernel are logged, and errors if Options.Requires wants them to have one.
func Operators(t *testing.T, d device.Device, o Options) {
	t.Helper()
	newSuite(t, d, o).operators()
}

func (s *suite) operators() {
	seen, missing, tested := map[string]bool{}, []string(nil), map[string]bool{}
	for _, c := range operatorCases() {
		nodes, err := c.nodes(s.rng, 5)
		require.NoError(s.t, err)
		for _, n := range nodes {
			key := fmt.Sprint(n.Op.Name(), n.Op.Attrs(), n.InTypes(), c.floats, c.special)
			if seen[key] {
				continue
			}
			seen[key] = true
			tested[n.Op.Name()] = true
			if err := s.operator(n); err != nil {
				missing = append(missing, err.Error())
			}
			s.freeAll()
		}
	}
	if len(missing) > 0 {
		s.t.Logf("without a kernel:\n%s", strings.Join(missing, "\n"))
	}
	for name := range ops.Registry() {
		assert.True(s.t, tested[name], "the suite has no case of operator %s", name)
	}
}

// rule is a batching rule that a device may have a kernel for.
type rule struct {
	*node
	out  graph.Type
	low  ops.Lowering
	seed uint64
}

// operator tests an operator, or returns an error if it has no kernel.
func (s *suite) operator(n *node) error {
	r := &rule{node: n, out: n.Out[0], low: n.op.Lower(n.InTypes(), n.Out[0])}
	if r.low.Rows == nil && r.low.Segments == nil {
		return nil
	}
	o := device.Operator{Op: n.Op, In: n.InTypes(), Out: r.out, Segments: r.low.Segments != nil}
	kernel, err := s.device.Compile(o)
	if errors.Is(err, device.ErrNoKernel) {
		required := s.o.Requires != nil && s.o.Requires(o)
		assert.False(s.t, required, "%v", err)
		return err
	}
	require.NoError(s.t, err, r)
	for i, l := range r.arrangements(s.o) {
		r.seed = uint64(i%2) * 0x9e3779b97f4a7c15
		s.run(r, kernel, n.frames, l)
		if i == 0 {
			s.run(r, kernel, nil, l)
		}
		s.freeAll()
	}
	if r.low.Elements != nil {
		s.fused(r)
	}
	return nil
}

func (r *rule) String() string {
	return fmt.Sprintf("%s%v %v -> %v", r.Op.Name(), r.Op.Attrs(), r.InTypes(), r.out)
}

// arrangements returns layouts of the operands to be tried.
func (r *rule) arrangements(o Options) [][]layout {
	n := len(r.In)
	all := [][]layout{slices.Repeat([]layout{contiguous}, n), slices.Repeat([]layout{permuted}, n)}
	if o.Small {
		return all
	}
	all = append(all, slices.Repeat([]layout{strided}, n))
	for i, t := range r.InTypes() {
		if t.IsList() {
			continue
		}
		mixed := slices.Repeat([]layout{permuted}, n)
		mixed[i] = repeated
		all = append(all, mixed)
	}
	return all
}

// run executes a kernel on frames and compares.
func (s *suite) run(r *rule, kernel device.Kernel, frames [][]*ops.Tensor, layouts []layout) {
	s.t.Helper()
	b := &ops.Batch{N: len(frames), Tmp: &ops.Scratch{}, Seed: r.seed}
	counts := r.counts(frames)
	seg := []int32{0}
	for _, n := range counts {
		seg = append(seg, seg[len(seg)-1]+int32(n))
	}
	length := int(seg[len(frames)])
	call := &device.Call{N: b.N, Seed: r.seed}
	if r.low.Segments != nil {
		call.Segments, call.Length, b.Seg = s.index(seg), length, seg
	} else if r.lists() {
		call.N, b.N = length, length
	}
	for i, t := range r.InTypes() {
		rows := s.input(r.rowsOf(i, frames, counts), t, layouts[i])
		call.In = append(call.In, rows.Rows)
		b.In = append(b.In, rows.host(t))
	}
	keys := make([]int32, b.N)
	for i := range keys {
		keys[i] = int32(uint32(i+1) * 2654435761)
		b.Keys = append(b.Keys, uint32(keys[i]))
	}
	call.Keys = s.index(keys)
	outputs := b.N
	if r.low.Segments != nil && r.out.IsList() {
		outputs = length
	}
	out := s.place(outputs, rowSize(r.out), layouts[0]%2) // contiguous or strided
	out.Buffer = s.floats(out.memory)
	call.Out = out.Rows
	s.equal(r, kernel, call, b, out, outputs, layouts)
}

// equal executes a call on both sides.
func (s *suite) equal(r *rule, kernel device.Kernel, call *device.Call, b *ops.Batch, out *rows, n int, layouts []layout) {
	s.t.Helper()
	what := fmt.Sprintf("%v, %d rows, operands %v, seed %d", r, call.N, layouts, r.seed)
	require.NoError(s.t, s.stream.Launch(kernel, call), what)
	host := rows{Rows: out.Rows, memory: slices.Clone(out.memory), width: out.width}
	b.Out = host.host(r.out)
	run := r.low.Rows
	if run == nil {
		run = r.low.Segments
	}
	require.NoError(s.t, run(b), what)
	if !r.out.DType.IsFloat() {
		host.takeInts(b.Out.I)
		require.Equal(s.t, bits(host.memory), s.downloadInts(out.Buffer), what)
		return
	}
	m := imageOf(out.memory)
	for i := range n {
		for j, x := range host.row(i) {
			m.set(out.at(i)+j, float64(x))
		}
	}
	s.holds(out.Buffer, m, s.o.tolerance(), "%s", what)
}

// lists reports whether an input is a list.
func (r *rule) lists() bool { return slices.ContainsFunc(r.InTypes(), graph.Type.IsList) }

// counts returns the number of elements of each frame's lists.
func (r *rule) counts(frames [][]*ops.Tensor) []int {
	counts := make([]int, len(frames))
	for f, in := range frames {
		for i, t := range r.InTypes() {
			if t.IsList() {
				counts[f] = in[i].Shape[0]
			}
		}
	}
	return counts
}

// rowsOf returns the rows of input i as words.
func (r *rule) rowsOf(i int, frames [][]*ops.Tensor, counts []int) [][]float32 {
	t, size := r.InTypes()[i], rowSize(r.InTypes()[i])
	var all [][]float32
	for f, in := range frames {
		words := wordsOf(in[i])
		switch {
		case t.IsList():
			for e := range counts[f] {
				all = append(all, words[e*size:(e+1)*size])
			}
		case r.low.Rows != nil && r.lists(): // beside lists: a row per element
			all = append(all, slices.Repeat([][]float32{words}, counts[f])...)
		default:
			all = append(all, words)
		}
	}
	return all
}

// rowSize is the number of elements of a row of a value.
func rowSize(t graph.Type) int {
	if t.IsList() {
		t = t.Elem()
	}
	return t.Size()
}

// wordsOf returns the elements of a tensor as words: integers by their bits.
func wordsOf(x *ops.Tensor) []float32 {
	words := make([]float32, 0, x.Len())
	for _, f := range x.F {
		words = append(words, float32(f))
	}
	for _, i := range x.I {
		words = append(words, math.Float32frombits(uint32(i)))
	}
	return words
}

// bits returns words as integers.
func bits(words []float32) []int32 {
	ints := make([]int32, len(words))
	for i, w := range words {
		ints[i] = int32(math.Float32bits(w))
	}
	return ints
}

// input lays out the rows of an input; repeated rows are the first one.
func (s *suite) input(from [][]float32, t graph.Type, l layout) *rows {
	r := s.place(len(from), rowSize(t), l)
	for i, words := range from {
		if l != repeated || i == 0 {
			copy(r.row(i), words)
		}
	}
	r.Buffer = s.alloc(len(r.memory))
	require.NoError(s.t, s.stream.UploadInts(r.Buffer, 0, bits(r.memory)))
	return r
}

// host returns an operand for a batching rule.
func (r *rows) host(t graph.Type) ops.Rows {
	o := ops.Rows{Stride: r.Stride, Index: r.index}
	if t.DType.IsFloat() {
		o.F = r.memory[r.Offset:]
	} else {
		o.I = bits(r.memory[r.Offset:])
	}
	return o
}

// takeInts stores the integers that a batching rule wrote.
func (r *rows) takeInts(ints []int32) {
	for i, x := range ints {
		r.memory[r.Offset+i] = math.Float32frombits(uint32(x))
	}
}
