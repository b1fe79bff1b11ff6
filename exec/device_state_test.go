package exec

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// linear is a program whose gradient is 2 for the row of the table that the input names,
// and 1 for the vector.
type linear struct {
	prog  *graph.Program
	graph *graph.Graph
}

func newLinear(t testing.TB) linear {
	p, g := function(t, graph.I32(), graph.F32(), func(m *graph.Module, _ *recursion.SubGraph[graph.Value, graph.Value], i graph.Value) graph.Value {
		row := ops.At(m.Var("table", graph.F32(3, 2), graph.Zeros()), i)
		sum := ops.Add(ops.Sum(ops.Add(row, row)), ops.Sum(m.Var("vector", graph.F32(2), graph.Zeros())))
		recursion.Loss(sum)
		return sum
	})
	return linear{p, g}
}

func (l linear) session(t testing.TB, d device.Device, p *Parameters) *Session {
	return session(t, l.prog, Options{Workers: 1, Device: d, Parameters: p})
}

func (l linear) gradients(t testing.TB, s *Session, row int32) *DeviceGradients {
	t.Helper()
	r, err := s.Gradients(context.Background(), l.graph, runs(1, integer(row)), GradOptions{OnDevice: true})
	require.NoError(t, err)
	return r.DeviceGradients
}

func (l linear) require(t testing.TB, p *Parameters, table, vector []float32) {
	t.Helper()
	require.Equal(t, table, p.Value(l.prog.Variable("table")))
	require.Equal(t, vector, p.Value(l.prog.Variable("vector")))
}

// momentum is v = v/2 + g; w -= v.
var momentum = DeviceStep{Rule: device.Momentum, Coefficients: [6]float32{1, 0.5}}

// The state goes where the steps are: to a second device, and to the host when the session
// is closed.
func TestDeviceStateMoves(t *testing.T) {
	l := newLinear(t)
	params := NewParameters(l.prog, 0)
	a, b := host.New(host.Options{Poison: true, Check: true}), host.New(host.Options{Poison: true, Check: true})
	first, second := l.session(t, a, params), l.session(t, b, params)
	var state DeviceState
	require.NoError(t, l.gradients(t, first, 1).Step(&state, momentum))
	l.require(t, params, []float32{0, 0, -2, -2, 0, 0}, []float32{-1, -1})
	require.NoError(t, l.gradients(t, second, 1).Step(&state, momentum))
	l.require(t, params, []float32{0, 0, -5, -5, 0, 0}, []float32{-2.5, -2.5})
	require.NoError(t, first.Close())
	require.Zero(t, a.Held())
	require.NoError(t, second.Close())
	require.Zero(t, b.Held())
	values, err := state.Values(0)
	require.NoError(t, err)
	require.Equal(t, [][]float32{{0, 0, 3, 3, 0, 0}, {1.5, 1.5}}, values)

	third := l.session(t, a, params)
	every := momentum
	every.EveryRow = true
	g := l.gradients(t, third, 0)
	require.NoError(t, g.Step(&state, every))
	l.require(t, params, []float32{-2, -2, -6.5, -6.5, 0, 0}, []float32{-4.25, -4.25})
	require.NoError(t, state.SetValues(0, [][]float32{nil, {-2, -2}}))
	require.NoError(t, l.gradients(t, third, 2).Step(&state, momentum))
	l.require(t, params, []float32{-2, -2, -6.5, -6.5, -2, -2}, []float32{-4.25, -4.25})
	require.NoError(t, state.Discard())
	values, err = state.Values(0)
	require.NoError(t, err)
	require.Empty(t, values)
	require.NoError(t, third.Close())
	require.ErrorIs(t, g.Step(&state, momentum), ErrClosed)
	require.Zero(t, a.Held())
}

// requireClosed requires that the gradients of a closed session say so.
func requireClosed(t *testing.T, g *DeviceGradients) {
	t.Helper()
	var state DeviceState
	_, err := g.Norm()
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, g.Scale(2), ErrClosed)
	_, err = g.Download()
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, g.Step(&state, momentum), ErrClosed)
}

// Gradients of a session that was closed touch nothing of the device, whose memory others
// may have now.
func TestDeviceGradientsOfAClosedSession(t *testing.T) {
	l := newLinear(t)
	calls := 0
	d := host.New(host.Options{Poison: true, Check: true, Failure: func(string) error { calls++; return nil }})
	s := l.session(t, d, nil)
	g := l.gradients(t, s, 1)
	n, err := g.Norm()
	require.NoError(t, err)
	require.InDelta(t, math.Sqrt(2*2*2+1+1), n, 1e-6)
	require.NoError(t, g.Scale(2))
	down, err := g.Download()
	require.NoError(t, err)
	require.Equal(t, []float32{2, 2}, down.vars[1].Full())
	require.NoError(t, s.Close())
	calls = 0
	requireClosed(t, g)
	require.Zero(t, calls)
	require.Zero(t, d.Held())
}

func TestDeviceStateDoesNotFit(t *testing.T) {
	l, other := newLinear(t), newLinear(t)
	s, o := l.session(t, host.New(host.Options{}), nil), other.session(t, host.New(host.Options{}), nil)
	var state DeviceState
	require.NoError(t, state.SetValues(0, [][]float32{nil, {1}}))
	require.ErrorIs(t, l.gradients(t, s, 0).Step(&state, momentum), ErrInput)
	require.NoError(t, state.SetValues(0, [][]float32{nil, nil, {1}}))
	require.ErrorIs(t, l.gradients(t, s, 0).Step(&state, momentum), ErrInput)
	require.NoError(t, state.Discard())
	require.NoError(t, l.gradients(t, s, 0).Step(&state, momentum))
	require.ErrorIs(t, other.gradients(t, o, 0).Step(&state, momentum), ErrInput)
	l.require(t, s.Parameters(), []float32{-2, -2, 0, 0, 0, 0}, []float32{-1, -1})
	require.NoError(t, s.Close())
	require.NoError(t, o.Close())
}

// failAt is a device of which an operation fails, counted from when it is armed.
type failAt struct {
	*host.Device
	left int
	what string
}

func newFailAt(err error) *failAt {
	f := &failAt{}
	f.Device = host.New(host.Options{Poison: true, Check: true, Failure: func(what string) error {
		if f.left--; f.left != 0 {
			return nil
		}
		f.what = what
		return err
	}})
	return f
}

// A step that finds no memory has changed nothing, or says that it has.
func TestDeviceStepWithoutMemory(t *testing.T) {
	l := newLinear(t)
	table, vector := []float32{-2, -2, 0, 0, 0, 0}, []float32{-1, -1}
	for _, every := range []bool{false, true} {
		step := momentum
		step.EveryRow = every
		inconsistent := 0
		for n := 1; ; n++ {
			d := newFailAt(fmt.Errorf("%w: taken", device.ErrMemory))
			s := l.session(t, d, nil)
			var state DeviceState
			g := l.gradients(t, s, 0)
			d.left = n
			err := g.Step(&state, step)
			failed := d.left <= 0
			d.left = 0
			switch {
			case !failed:
				require.NoError(t, err)
			case n == 1 || d.what == "Alloc":
				require.NotErrorIs(t, err, ErrInconsistent, d.what)
				require.ErrorIs(t, err, ErrMemory, d.what)
				l.require(t, s.Parameters(), make([]float32, 6), make([]float32, 2))
				require.NoError(t, l.gradients(t, s, 0).Step(&state, step))
			default:
				require.ErrorIs(t, err, device.ErrMemory, d.what)
			}
			if failed && d.what == "Update" {
				require.ErrorIs(t, err, ErrInconsistent)
				inconsistent++
			} else if err == nil || d.what == "Alloc" {
				l.require(t, s.Parameters(), table, vector)
			}
			require.NoError(t, s.Close())
			require.Zero(t, d.Held(), "operation %d, %s", n, d.what)
			if !failed {
				break
			}
		}
		require.Equal(t, 2, inconsistent, "one for each variable")
	}
}

// What is lost with a device stays lost until it is discarded.
func TestDeviceStateIsLost(t *testing.T) {
	l := newLinear(t)
	d := newFailAt(fmt.Errorf("unplugged"))
	s := l.session(t, d, nil)
	var state DeviceState
	require.NoError(t, l.gradients(t, s, 0).Step(&state, momentum))
	d.left = 1
	_, err := state.Values(0)
	require.ErrorIs(t, err, device.ErrLost)
	require.ErrorIs(t, s.Close(), device.ErrLost)
	require.Zero(t, d.Held())
	_, err = state.Values(0)
	require.ErrorIs(t, err, device.ErrLost)
	again := l.session(t, host.New(host.Options{}), nil)
	require.ErrorIs(t, l.gradients(t, again, 0).Step(&state, momentum), device.ErrLost)
	require.NoError(t, state.Discard())
	require.NoError(t, l.gradients(t, again, 0).Step(&state, momentum))
	l.require(t, again.Parameters(), []float32{-2, -2, 0, 0, 0, 0}, []float32{-1, -1})
	require.NoError(t, again.Close())
}
