package exec

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
	"github.com/stretchr/testify/require"
)

// hostileOp is an operator of a user whose kernel does not keep its contract for
// negative numbers.
type hostileOp struct{ how string }

func (hostileOp) Name() string        { return "hostile" }
func (hostileOp) Attrs() []graph.Attr { return nil }

func (hostileOp) Infer(in []graph.Type) ([]graph.Type, error) { return in, nil }

func (hostileOp) Eval(in []*ops.Tensor) (*ops.Tensor, error) { return in[0], nil }

func (o hostileOp) Gradient(*graph.Node, graph.Value) []graph.Value { return []graph.Value{{}} }

var errHostile = errors.New("hostile kernel")

func (o hostileOp) Lower([]graph.Type, graph.Type) ops.Lowering {
	return ops.Lowering{Rows: func(b *ops.Batch) error {
		for i := range b.N {
			x := b.In[0].Row(i, 1)
			if x[0] < 0 {
				switch o.how {
				case "panics":
					panic("cannot be")
				case "fails":
					return errHostile
				case "fails in a row":
					return &ops.RowError{Row: i, Err: errHostile}
				}
			}
			copy(b.Out.Row(i, 1), x)
		}
		return nil
	}}
}

func hostileProgram(t testing.TB, how string) (*graph.Program, *graph.Graph) {
	type in struct{ X, N graph.Value }
	return function(t, in{graph.F32(), graph.I32()}, graph.F32(), func(m *graph.Module, self *recursion.SubGraph[in, graph.Value], v in) graph.Value {
		return recursion.If(ops.Equal(v.N, m.Int(0)), func() graph.Value { return graph.Apply(hostileOp{how}, v.X) }, func() graph.Value {
			return ops.AddScalar(self.Invoke(in{v.X, ops.Sub(v.N, m.Int(1))}), 1)
		})
	})
}

// Whatever a kernel does, the process and the session survive.
func TestHostileKernels(t *testing.T) {
	for how, want := range map[string]error{"panics": ErrPanic, "fails": errHostile, "fails in a row": errHostile} {
		for _, o := range []Options{{Workers: 1}, {Workers: 2}, {Workers: 1, Batching: BatchOff}, {Workers: 1, NoSharing: true}} {
			p, g := hostileProgram(t, how)
			s := session(t, p, o)
			for range 3 {
				_, err := s.Run(context.Background(), g, [][]Array{{number(-1), integer(4)}})
				require.ErrorIs(t, err, want, how)
				require.Contains(t, err.Error(), "hostile (hostile_test.go:")
				_, err = s.Gradients(context.Background(), g, [][]Array{{number(-1), integer(4)}, {number(1), integer(4)}}, GradOptions{})
				require.ErrorIs(t, err, want, how)
				require.Equal(t, []float32{7}, result(t, s, g, number(2), integer(5)).F)
			}
			r, err := s.Run(context.Background(), g, [][]Array{{number(2), integer(5)}, {number(-1), integer(5)}})
			require.ErrorIs(t, err, want)
			if how == "fails in a row" || o.Batching == BatchOff {
				require.Equal(t, []float32{7}, r.Outputs[0][0].F, "the other input goes on")
			}
		}
	}
}

// Errors of runs that share an engine stay apart, and no run gets another's results.
func TestHostileKernelsConcurrently(t *testing.T) {
	p, g := hostileProgram(t, "fails in a row")
	s := session(t, p, Options{Workers: 1})
	var wrong sync.Map
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			x := float32(i - 3)
			for n := range int32(100) {
				r, err := s.Run(context.Background(), g, [][]Array{{number(x), integer(n)}})
				switch {
				case x < 0 && !errors.Is(err, errHostile):
					wrong.Store(i, err)
				case x >= 0 && (err != nil || r.Outputs[0][0].F[0] != x+float32(n)):
					wrong.Store(i, r)
				}
			}
		})
	}
	group.Wait()
	wrong.Range(func(k, v any) bool { t.Errorf("goroutine %v: %v", k, v); return true })
}
