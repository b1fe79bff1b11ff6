package optest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// row holds the bits of the elements of a row, floats and integers alike.
type row []uint32

// canary fills memory that nobody may read or write: a NaN, or a large integer.
const canary = 0x7fe5beef

// rowsOf returns the rows of a list, or the only row of another value.
func rowsOf(x *ops.Tensor, list bool) []row {
	bits := make(row, 0, x.Len())
	for _, f := range x.F {
		bits = append(bits, math.Float32bits(float32(f)))
	}
	for _, i := range x.I {
		bits = append(bits, uint32(i))
	}
	if !list {
		return []row{bits}
	}
	size := graph.Shape(x.Shape[1:]).Size()
	rows := make([]row, x.Shape[0])
	for i := range rows {
		rows[i] = bits[i*size : (i+1)*size]
	}
	return rows
}

// tensorOf is the inverse of rowsOf for a value of type t.
func tensorOf(t graph.Type, rows []row) *ops.Tensor {
	shape := slices.Clone(t.Shape)
	if t.IsList() {
		shape[0] = len(rows)
	}
	x := ops.NewTensor(t.DType, shape...)
	for i, bits := range slices.Concat(rows...) {
		if t.DType.IsFloat() {
			x.F[i] = float64(math.Float32frombits(bits))
		} else {
			x.I[i] = int32(bits)
		}
	}
	return x
}

// style says how the rows of an operand lie in memory.
type style int

const (
	contiguous style = iota
	strided          // with gaps between rows
	indexed          // scattered, found through an index
	shared           // all rows are the same one
)

func (s style) String() string { return [...]string{"contiguous", "strided", "indexed", "shared"}[s] }

// layout gives the style of each operand; operands beyond its end are contiguous.
// The zero layout also has a result without gaps.
type layout []style

func (l layout) String() string { return fmt.Sprintf("operands %v", []style(l)) }

func (l layout) style(i int) style {
	if i < len(l) {
		return l[i]
	}
	return contiguous
}

// gap is the number of elements between the rows of the result.
func (l layout) gap() int {
	if slices.Contains(l, strided) || slices.Contains(l, indexed) {
		return 5
	}
	return 0
}

// layouts are those that are tried for every batch.
func (k kernel) layouts() []layout {
	n := len(k.in)
	all := []layout{{}}
	if k.function() == nil || n == 0 {
		return all
	}
	uniform := func(s style) layout { return slices.Repeat(layout{s}, n) }
	all = append(all, uniform(strided), uniform(indexed))
	everyShared := uniform(strided)
	for i, t := range k.in {
		if t.IsList() {
			continue // rows of different lists do not coincide
		}
		everyShared[i] = shared
		for _, rest := range []style{contiguous, indexed} {
			l := uniform(rest)
			l[i] = shared
			all = append(all, l)
		}
	}
	for _, mix := range [][]style{{contiguous, indexed}, {indexed, strided}} {
		l := uniform(mix[0])
		for i := 1; i < n; i += 2 {
			l[i] = mix[1]
		}
		all = append(all, l)
	}
	return append(all, everyShared)
}

// shareInputs gives all frames the first one's value of the shared operands.
func (l layout) shareInputs(frames [][]*ops.Tensor) [][]*ops.Tensor {
	if !slices.Contains(l, shared) {
		return frames
	}
	result := make([][]*ops.Tensor, len(frames))
	for f := range frames {
		result[f] = slices.Clone(frames[f])
		for i, s := range l {
			if s == shared {
				result[f][i] = frames[0][i]
			}
		}
	}
	return result
}

// operand lays out the rows of input i.
func (l layout) operand(i int, t graph.Type, rows []row, rng *rand.Rand) ops.Rows {
	size := rowSize(t)
	o := ops.Rows{Stride: size}
	switch l.style(i) {
	case strided:
		o.Stride = size + 3
	case shared:
		o.Stride = 0
		rows = rows[:min(1, len(rows))]
	case indexed:
		o.Stride = size + 1
		o.Index = []int32{}
		for _, at := range rng.Perm(len(rows) + 2)[:len(rows)] {
			o.Index = append(o.Index, int32(at))
		}
	}
	places := len(rows)
	if o.Index != nil {
		places += 2
	}
	memory := make(row, places*max(o.Stride, size))
	for j := range memory {
		memory[j] = canary
	}
	for j, r := range rows {
		copy(memory[o.At(j):], r)
	}
	o.F, o.I = words(t.DType, memory)
	return o
}

// rowSize is the number of elements of a row of a value.
func rowSize(t graph.Type) int {
	if t.IsList() {
		t = t.Elem()
	}
	return t.Size()
}

// words returns the memory of an operand as the floats or integers it holds.
func words(d graph.DType, memory row) (f []float32, i []int32) {
	if d.IsFloat() {
		f = make([]float32, len(memory))
		for k, bits := range memory {
			f[k] = math.Float32frombits(bits)
		}
		return f, nil
	}
	i = make([]int32, len(memory))
	for k, bits := range memory {
		i[k] = int32(bits)
	}
	return nil, i
}

// output is the destination of a kernel with canaries around every row.
type output struct {
	operand ops.Rows
	n, size int
	floats  []float32
	ints    []int32
}

const margin = 16 // elements before and after the destination

func newOutput(t graph.Type, n, gap int) *output {
	size := rowSize(t)
	memory := make(row, n*(size+gap)+2*margin)
	for i := range memory {
		memory[i] = canary
	}
	o := &output{n: n, size: size, operand: ops.Rows{Stride: size + gap}}
	o.floats, o.ints = words(t.DType, memory)
	end := len(memory) - margin
	if t.DType.IsFloat() {
		o.operand.F = o.floats[margin:end:end]
	} else {
		o.operand.I = o.ints[margin:end:end]
	}
	return o
}

// rows returns the rows that a kernel wrote, or where it wrote besides them.
func (o *output) rows() ([]row, error) {
	memory := make(row, 0, len(o.floats)+len(o.ints))
	for _, f := range o.floats {
		memory = append(memory, math.Float32bits(f))
	}
	for _, i := range o.ints {
		memory = append(memory, uint32(i))
	}
	rows := make([]row, o.n)
	at := 0
	for i := range rows {
		start := margin + i*o.operand.Stride
		if err := untouched(memory[at:start], i-1); err != nil {
			return nil, err
		}
		at = start + o.size
		rows[i] = memory[start:at]
	}
	return rows, untouched(memory[at:], o.n-1)
}

func untouched(gap row, i int) error {
	for j, bits := range gap {
		if bits != canary {
			return fmt.Errorf("the kernel writes beside its rows: element %d after row %d", j, i)
		}
	}
	return nil
}

func cloneOperands(in []ops.Rows) []ops.Rows {
	clones := slices.Clone(in)
	for i, o := range in {
		clones[i].F, clones[i].I = slices.Clone(o.F), slices.Clone(o.I)
		clones[i].Index = slices.Clone(o.Index)
	}
	return clones
}

func equalOperands(a, b []ops.Rows) bool {
	return slices.EqualFunc(a, b, func(x, y ops.Rows) bool {
		return slices.Equal(x.I, y.I) && slices.Equal(x.Index, y.Index) && x.Stride == y.Stride &&
			slices.EqualFunc(x.F, y.F, func(p, q float32) bool { return math.Float32bits(p) == math.Float32bits(q) })
	})
}
