package devicetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Chains compares random chains of element-wise operators with float64: operands are
// parts of the same rows and rows found through indices, and results are stored or
// added.
func Chains(t *testing.T, d device.Device, o Options) {
	t.Helper()
	newSuite(t, d, o).chains()
}

func (s *suite) chains() {
	for i := range s.o.repeat(200) {
		c := s.chain()
		kernel, err := s.device.Fuse(c.chain)
		require.NoError(s.t, err, "chain %d: %v", i, c)
		for _, n := range s.o.sizes([]int{0, 1, 7}, 33) {
			s.runChain(c, kernel, n)
			s.freeAll()
		}
	}
}

// chain is a random chain. Its first operands are parts of one row, of which operand i
// begins at parts[i] and which are all written; then there is one that is written
// through an index, and others that are only read.
type chain struct {
	chain device.Chain
	row   int
	parts []int
	read  []layout
}

func (c *chain) String() string {
	text := fmt.Sprintf("parts at %v of rows of %d, %v:", c.parts, c.row, c.read)
	for _, st := range c.chain.Steps {
		name := [...]string{"apply", "copy", "zero"}[st.Kind]
		if st.Op != nil {
			name = st.Op.Name()
		}
		text += fmt.Sprintf(" %s%v->%d size %d add %v;", name, st.From, st.To, st.Size, st.Add)
	}
	return text
}

// chain draws a chain.
func (s *suite) chain() *chain {
	c := &chain{row: 4 + s.rng.IntN(60)}
	if !s.o.Small && s.rng.IntN(8) == 0 {
		c.row += 700
	}
	parts, steps := 2+s.rng.IntN(3), 1+s.rng.IntN(8)
	if s.rng.IntN(8) == 0 { // more than one launch may have room for
		parts, steps = parts+18, steps+32
	}
	for range parts {
		c.parts = append(c.parts, s.rng.IntN(c.row))
	}
	for range s.rng.IntN(4) {
		c.read = append(c.read, layout(s.rng.IntN(int(layouts))))
	}
	c.chain.Operands = len(c.parts) + 1 + len(c.read)
	for range steps {
		c.chain.Steps = append(c.chain.Steps, s.step(c))
	}
	return c
}

// width returns how many words of operand i there are.
func (c *chain) width(i int) int {
	if i < len(c.parts) {
		return c.row - c.parts[i]
	}
	return c.row
}

// apart reports whether a step of some size may read one operand and write another:
// they are the same or do not overlap.
func (c *chain) apart(from, to, size int) bool {
	if from >= len(c.parts) || to >= len(c.parts) {
		return true
	}
	distance := c.parts[from] - c.parts[to]
	return distance == 0 || distance >= size || -distance >= size
}

// same reports whether two operands begin with the same word.
func (c *chain) same(i, j int) bool {
	return i == j || i < len(c.parts) && j < len(c.parts) && c.parts[i] == c.parts[j]
}

// step draws a step that a chain may have.
func (s *suite) step(c *chain) device.Step {
	for {
		st := device.Step{To: s.rng.IntN(len(c.parts) + 1), Add: s.rng.IntN(3) == 0}
		st.From = [2]int{s.rng.IntN(c.chain.Operands), s.rng.IntN(c.chain.Operands)}
		st.Size = 1 + s.rng.IntN(min(c.width(st.To), c.width(st.From[0]), c.width(st.From[1])))
		switch s.rng.IntN(8) {
		case 0:
			st.Kind = device.Copy
		case 1:
			st.Kind, st.Add = device.Zero, false
			return st
		default:
			f := smooth[s.rng.IntN(len(smooth))]
			st.Op = f.operator(s.t)
			for range f.operands {
				st.In = append(st.In, graph.T(graph.Float32, st.Size))
			}
			st.Out = graph.T(graph.Float32, st.Size)
		}
		ok := true
		for _, from := range st.From {
			ok = ok && c.apart(from, st.To, st.Size) && !(st.Add && c.same(from, st.To))
		}
		if ok {
			return st
		}
	}
}

// function is an element-wise operator by name.
type function struct {
	name     string
	operands int
	attrs    []graph.Attr
}

func (f function) operator(t testing.TB) ops.Op {
	op, err := ops.Registry()[f.name](f.attrs)
	require.NoError(t, err)
	return op.(ops.Op)
}

// smooth are operators whose error does not grow beyond that of their operands: small
// differences between devices stay small behind any number of them.
var smooth = []function{
	{"add", 2, nil}, {"sub", 2, nil}, {"mul", 2, nil}, {"maximum", 2, nil}, {"minimum", 2, nil},
	{"neg", 1, nil}, {"abs", 1, nil}, {"softplus", 1, nil}, {"stop_gradient", 1, nil},
	{"sigmoid", 1, nil}, {"sigmoid_grad", 2, nil}, {"tanh", 1, nil}, {"tanh_grad", 2, nil}, {"relu", 1, nil},
	{"add_scalar", 1, []graph.Attr{{Key: "c", Value: 0.25}}},
	{"mul_scalar", 1, []graph.Attr{{Key: "c", Value: -0.5}}},
	{"clip", 1, []graph.Attr{{Key: "lo", Value: -0.5}, {Key: "hi", Value: 1.0}}},
}

// runChain executes a chain on n rows.
func (s *suite) runChain(c *chain, kernel device.Kernel, n int) {
	s.t.Helper()
	shared := s.operand(n, c.row, strided)
	operands := make([]*rows, 0, c.chain.Operands)
	for i, part := range c.parts {
		r := *shared
		r.Offset += part
		r.width = c.width(i)
		operands = append(operands, &r)
	}
	scattered := s.operand(n, c.row, permuted)
	operands = append(operands, scattered)
	for _, l := range c.read {
		operands = append(operands, s.operand(n, c.row, l))
	}
	images := map[device.Buffer]*image{}
	call := &device.Call{N: n}
	for _, r := range operands {
		if images[r.Buffer] == nil {
			images[r.Buffer] = imageOf(r.memory)
		}
		call.In = append(call.In, r.Rows)
	}
	for i := range c.chain.Steps {
		for j := range n {
			s.apply(&c.chain.Steps[i], operands, images, j)
		}
	}
	require.NoError(s.t, s.stream.Launch(kernel, call), "%d rows, %v", n, c)
	for b, m := range images {
		s.holds(b, m, 20*s.o.tolerance(), "%d rows, %v", n, c)
	}
}

// apply executes a step for a row in float64.
func (s *suite) apply(st *device.Step, operands []*rows, images map[device.Buffer]*image, row int) {
	to := operands[st.To]
	result := &ops.Tensor{F: make([]float64, st.Size)}
	load := func(operand int) *ops.Tensor {
		r := operands[operand]
		x := ops.NewTensor(graph.Float32, st.Size)
		for i := range x.F {
			x.F[i] = images[r.Buffer].get(r.at(row) + i)
		}
		return x
	}
	switch st.Kind {
	case device.Copy:
		result = load(st.From[0])
	case device.Apply:
		var in []*ops.Tensor
		for i := range st.In {
			in = append(in, load(st.From[i]))
		}
		var err error
		result, err = st.Op.(ops.Op).Eval(in)
		require.NoError(s.t, err)
	}
	for i, x := range result.F {
		at := to.at(row) + i
		if st.Add {
			images[to.Buffer].add(at, x)
		} else {
			images[to.Buffer].set(at, x)
		}
	}
}
