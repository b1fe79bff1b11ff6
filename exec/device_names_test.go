package exec

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// otherOp has the name of an operator of package ops and another meaning: for two
// operands 2x - y, for one 3x.
type otherOp struct{ name string }

func (o otherOp) Name() string                                { return o.name }
func (o otherOp) Attrs() []graph.Attr                         { return nil }
func (o otherOp) Infer(in []graph.Type) ([]graph.Type, error) { return in[:1], nil }
func (o otherOp) Eval(in []*ops.Tensor) (*ops.Tensor, error) {
	return nil, fmt.Errorf("not for the reference")
}
func (o otherOp) Lower(in []graph.Type, out graph.Type) ops.Lowering {
	n := out.Size()
	e := &ops.Elements{}
	if len(in) == 2 {
		e.Zip = func(dst, x, y []float32) {
			for i := range dst {
				dst[i] = 2*x[i] - y[i]
			}
		}
	} else {
		e.Map = func(dst, x []float32) {
			for i := range dst {
				dst[i] = 3 * x[i]
			}
		}
	}
	return ops.Lowering{Elements: e, Rows: func(b *ops.Batch) error {
		for j := range b.N {
			if e.Map != nil {
				e.Map(b.Out.Row(j, n), b.In[0].Row(j, n))
			} else {
				e.Zip(b.Out.Row(j, n), b.In[0].Row(j, n), b.In[1].Row(j, n))
			}
		}
		return nil
	}}
}

// An operator of a user is executed as it says, whatever its name is.
func TestNamesOfOperatorsMeanNothing(t *testing.T) {
	const d = 40
	m := graph.NewModule(t.Name())
	w := m.Var("w", graph.F32(d, d), graph.Uniform(1))
	f := recursion.Declare(m, "main", graph.F32(d), graph.F32(d))
	f.Define(func(x graph.Value) graph.Value {
		product := ops.MatMul(x, w) // which additions of package ops would become a part of
		y := graph.Apply(otherOp{"add"}, product, ops.Mul(x, x))
		return graph.Apply(otherOp{"tanh"}, ops.Sigmoid(y))
	})
	p, err := m.Build()
	require.NoError(t, err)
	x := make([]float32, d)
	for i := range x {
		x[i] = float32(i%7)/8 - 0.3
	}
	var want []float32
	for _, on := range []device.Device{nil, host.New(host.Options{Poison: true, Check: true}), cudaDevice(t)} {
		s := session(t, p, Options{Workers: 1, Device: on})
		got := result(t, s, f.Graph(), numbers(x...)).F
		if on == nil {
			want = got
			v := s.Parameters().Value(p.Variables[0])
			for j := range got {
				sum := float32(0)
				for k := range x {
					sum += x[k] * v[k*d+j]
				}
				require.InDelta(t, 3/(1+math.Exp(-float64(2*sum-x[j]*x[j]))), got[j], 1e-5)
			}
		}
		require.InDeltaSlice(t, want, got, 1e-5)
		require.NoError(t, s.Close())
	}
}

func TestNilDevice(t *testing.T) {
	p, g := fibProgram(t)
	_, err := New(p, Options{Device: (*cuda.Device)(nil)})
	require.ErrorIs(t, err, ErrDevice)
	s := session(t, p, Options{Device: nil})
	_, err = s.Run(context.Background(), g, [][]Array{scalar(5)})
	require.NoError(t, err)
}
