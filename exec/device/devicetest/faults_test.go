package devicetest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

func TestSuiteAcceptsDevice(t *testing.T) {
	for _, test := range []func(*suite){
		(*suite).multiply, (*suite).multiplyBits, (*suite).outerProducts, (*suite).groups, (*suite).columns, (*suite).updates,
		(*suite).matrixCopies, (*suite).fetch, (*suite).mistakes, (*suite).copies, (*suite).scaleAndSquares, (*suite).chains,
	} {
		d := host.New(host.Options{Check: true})
		assert.Empty(t, judge(t, d, test))
		assert.Zero(t, d.Held())
	}
}

// calls counts calls, for mistakes that are made every other time.
type calls int

func (c *calls) odd() bool {
	*c++
	return *c%2 == 1
}

// A device whose products are not batch-invariant passes if the suite is told.
func TestSuiteAcceptsBatchVariance(t *testing.T) {
	d := faulty{Device: host.New(host.Options{}), wrap: func(s device.Stream) device.Stream {
		return &mistaken{Stream: s, multiply: func(p device.Product) error {
			if err := s.Multiply(p); err != nil || p.M < 20 {
				return err
			}
			return s.Scale(p.C.Buffer, p.C.Buffer.Words(), 1.000001)
		}}
	}}
	assert.NotEmpty(t, judge(t, d, (*suite).multiplyBits))
	Run(t, func(*testing.T) device.Device { return d }, Options{Small: true, BatchVariant: true})
}

func TestSuiteFindsFaultsOfStreams(t *testing.T) {
	var count calls
	for _, fault := range []struct {
		name string
		test func(*suite)
		make func(s device.Stream, m *mistaken)
	}{
		{"bias is ignored", (*suite).multiply, func(s device.Stream, m *mistaken) {
			m.multiply = func(p device.Product) error { p.Bias = nil; return s.Multiply(p) }
		}},
		{"offset of the bias is ignored", (*suite).multiply, func(s device.Stream, m *mistaken) {
			m.multiply = func(p device.Product) error { p.BiasOffset = 0; return s.Multiply(p) }
		}},
		{"product is not added", (*suite).multiply, func(s device.Stream, m *mistaken) {
			m.multiply = func(p device.Product) error { p.Add = false; return s.Multiply(p) }
		}},
		{"index of a product is ignored", (*suite).multiply, func(s device.Stream, m *mistaken) {
			m.multiply = func(p device.Product) error { p.A.Index = device.Index{}; return s.Multiply(p) }
		}},
		{"bits depend on the rows", (*suite).multiplyBits, func(s device.Stream, m *mistaken) {
			m.multiply = func(p device.Product) error {
				if err := s.Multiply(p); err != nil || p.M < 20 {
					return err
				}
				return s.Scale(p.C.Buffer, p.C.Buffer.Words(), 1.000001)
			}
		}},
		{"outer products are always added", (*suite).outerProducts, func(s device.Stream, m *mistaken) {
			m.addOuter = func(o device.OuterSum) error { o.Set = false; return s.AddOuter(o) }
		}},
		{"no outer products set nothing", (*suite).outerProducts, func(s device.Stream, m *mistaken) {
			m.addOuter = func(o device.OuterSum) error {
				if o.N == 0 {
					return nil
				}
				return s.AddOuter(o)
			}
		}},
		{"groups forget a row", (*suite).groups, func(s device.Stream, m *mistaken) {
			m.addGroups = func(g device.Groups) error {
				g.N = max(0, g.N-1)
				return s.AddGroups(g)
			}
		}},
		{"sums of rows go elsewhere", (*suite).columns, func(s device.Stream, m *mistaken) {
			m.addColumns = func(c device.ColumnSum) error { c.Offset--; return s.AddColumns(c) }
		}},
		{"no weight decays", (*suite).updates, func(s device.Stream, m *mistaken) {
			m.update = func(u device.Update) error { u.L2 = 0; return s.Update(u) }
		}},
		{"rows of an update are ignored", (*suite).updates, func(s device.Stream, m *mistaken) {
			m.update = func(u device.Update) error {
				if u.Count > 1 {
					u.Count--
				}
				return s.Update(u)
			}
		}},
		{"nothing is transposed", (*suite).matrixCopies, func(s device.Stream, m *mistaken) {
			m.copyMatrix = func(to, from device.Matrix, transpose bool) error {
				if transpose && to.Rows == from.Rows {
					transpose = false
				}
				return s.CopyMatrix(to, from, transpose)
			}
		}},
		{"free twice", (*suite).mistakes, func(s device.Stream, m *mistaken) {
			m.free = func(b device.Buffer) error { s.Free(b); return nil }
		}},
		{"copies are short", (*suite).copies, func(s device.Stream, m *mistaken) {
			m.copy = func(to device.Buffer, at int, from device.Buffer, fromAt, words int) error {
				return s.Copy(to, at, from, fromAt, max(0, words-1))
			}
		}},
		{"squares have other bits", (*suite).scaleAndSquares, func(s device.Stream, m *mistaken) {
			m.addSquares = func(sum device.Buffer, at int, b device.Buffer, words int) error {
				if err := s.AddSquares(sum, at, b, words); err != nil || count.odd() {
					return err
				}
				return s.Scale(sum, at+1, 1.000001)
			}
		}},
		{"fetches are late", (*suite).fetch, func(s device.Stream, m *mistaken) {
			m.fetch = func(b device.Buffer, at, words int) (device.Fetch, error) { return &late{s, b, at, words}, nil }
		}},
	} {
		d := faulty{Device: host.New(host.Options{}), wrap: func(s device.Stream) device.Stream {
			m := &mistaken{Stream: s}
			fault.make(s, m)
			return m
		}}
		assert.NotEmpty(t, judge(t, d, fault.test), fault.name)
	}
}

func TestSuiteFindsFaultsOfKernels(t *testing.T) {
	change := func(f func(*device.Step)) func(device.Chain) device.Chain {
		return func(c device.Chain) device.Chain {
			steps := append([]device.Step(nil), c.Steps...)
			for i := range steps {
				f(&steps[i])
			}
			c.Steps = steps
			return c
		}
	}
	for name, d := range map[string]faulty{
		"steps do not add":   {fuse: change(func(s *device.Step) { s.Add = false })},
		"steps forget a row": {fuse: change(func(s *device.Step) { s.Size -= s.Size / 20 })},
		"operands are swapped": {fuse: change(func(s *device.Step) {
			if len(s.In) == 2 {
				s.From[0], s.From[1] = s.From[1], s.From[0]
			}
		})},
		"zero is copied": {fuse: change(func(s *device.Step) {
			if s.Kind == device.Zero {
				s.Kind = device.Copy
			}
		})},
		"steps in another order": {fuse: func(c device.Chain) device.Chain {
			steps := append([]device.Step(nil), c.Steps...)
			if n := len(steps); n > 2 {
				steps[0], steps[n-1] = steps[n-1], steps[0]
			}
			c.Steps = steps
			return c
		}},
	} {
		d.Device = host.New(host.Options{})
		assert.NotEmpty(t, judge(t, d, (*suite).chains), name)
	}
}

func TestSuiteFindsFaultsOfOperators(t *testing.T) {
	if testing.Short() {
		t.Skip("every mistake costs a run of all operators")
	}
	alter := func(from, to string) func(device.Operator) device.Operator {
		other, err := ops.Registry()[to](nil)
		require.NoError(t, err)
		return func(o device.Operator) device.Operator {
			if o.Op.Name() == from && !o.In[0].DType.IsFloat() == (from == "mod") {
				o.Op = other
			}
			return o
		}
	}
	for from, to := range map[string]string{
		"add": "sub", "less": "less_equal", "maximum": "minimum", "softplus": "relu", "sigmoid_grad": "tanh_grad", "mod": "div",
	} {
		d := faulty{Device: host.New(host.Options{}), compile: alter(from, to)}
		assert.NotEmpty(t, judge(t, d, (*suite).operators), "%s instead of %s", to, from)
	}
	for name, launch := range map[string]func(c *device.Call){
		"no seed":       func(c *device.Call) { c.Seed = 0 },
		"no index":      func(c *device.Call) { c.In[0].Index = device.Index{} },
		"a row less":    func(c *device.Call) { c.N = max(0, c.N-1) },
		"other offset":  func(c *device.Call) { c.Out.Offset = 0 },
		"another order": func(c *device.Call) { c.In[0], c.In[len(c.In)-1] = c.In[len(c.In)-1], c.In[0] },
	} {
		d := faulty{Device: host.New(host.Options{}), wrap: func(s device.Stream) device.Stream {
			return &mistaken{Stream: s, launch: func(k device.Kernel, c *device.Call) error {
				wrong := *c
				wrong.In = append([]device.Rows(nil), c.In...)
				if len(c.In) > 0 {
					launch(&wrong)
				}
				return s.Launch(k, &wrong)
			}}
		}}
		assert.NotEmpty(t, judge(t, d, (*suite).operators), name)
	}
}

func TestSuiteWantsKernels(t *testing.T) {
	d := host.New(host.Options{Without: func(o graph.Op) bool { return o.Name() == "matmul" }})
	requires := func(s *suite) {
		s.o.Requires = func(o device.Operator) bool { return o.Op.Name() == "matmul" }
		s.operators()
	}
	assert.Contains(t, judge(t, d, requires), "matmul")
	assert.Empty(t, judge(t, d, (*suite).operators))
}
