package exec

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// strictDevices are devices that check everything that they can: one with all kernels, one
// without any, and one without some.
var strictDevices = map[string]func() *host.Device{
	"all kernels": func() *host.Device { return host.New(host.Options{Poison: true, Check: true, SlowFetch: 2}) },
	"no kernels": func() *host.Device {
		return host.New(host.Options{Poison: true, Check: true, Without: func(graph.Op) bool { return true }})
	},
	"some kernels": func() *host.Device {
		return host.New(host.Options{Poison: true, Check: true, SlowFetch: 1, Without: withoutSome(5)})
	},
}

// What tests require of sessions on the processor they require of sessions on devices.
func TestAsOnTheProcessor(t *testing.T) {
	for name, device := range strictDevices {
		t.Run(name, func(t *testing.T) {
			deviceOfTest = device
			defer func() { deviceOfTest = nil }()
			tests := map[string]func(*testing.T){
				"index":               TestIndexOutOfRange,
				"concurrent bad data": TestBadDataAmongConcurrentRuns,
				"gradients":           TestGradientsFailWithBadData,
				"not finite":          TestCheckFiniteNamesTheFirstOperator,
				"lists":               TestListErrors,
				"inputs":              TestWrongInputs,
				"input errors":        TestInputErrorsSayItOnce,
				"nil context":         TestNilContextIsAnError,
				"hostile":             TestHostileKernels,
				"hostile, concurrent": TestHostileKernelsConcurrently,
				"cancel":              TestCancel,
				"cancel one":          TestCancelOneOfManyRuns,
				"cancel gradients":    TestCancelGradientsAnywhere,
				"cancelled before":    TestCancelledBefore,
				"close":               TestClose,
				"short and long":      TestLongRunsDoNotHoldUpShortOnes,
				"small memory":        TestSmallMemoryLimit,
				"large list":          TestListThatCannotBe,
				"input list":          TestInputListBeyondTheMemoryLimit,
				"depth":               TestDepthOfOneInput,
				"frames":              TestFramesAreFew,
			}
			if name == "all kernels" { // the lengthy ones
				maps.Copy(tests, map[string]func(*testing.T){"faults": TestFaults, "stress": TestStress, "memory": TestMemoryLimit})
				if !testing.Short() {
					maps.Copy(tests, map[string]func(*testing.T){"load": TestConstantLoad, "list memory": TestListsKeepTheMemoryLimit})
				}
			}
			for name, test := range tests {
				t.Run(name, func(t *testing.T) {
					watchdog(t, time.Minute)
					test(t)
				})
			}
		})
	}
}

type troubled struct{ X, Xs, Ys, I, D graph.Value }

// troubledProgram fails in many ways, in nested invocations.
func troubledProgram(t testing.TB) (*graph.Program, *graph.Graph) {
	n := graph.Any
	in := troubled{graph.F32(3), graph.F32(n, 3), graph.F32(n, 3), graph.I32(), graph.I32()}
	return function(t, in, graph.F32(3), func(m *graph.Module, self *recursion.SubGraph[troubled, graph.Value], v troubled) graph.Value {
		w := m.Var("W", graph.F32(3, 3), graph.Xavier())
		deeper := func() graph.Value {
			return ops.Tanh(self.Invoke(troubled{v.X, v.Xs, v.Ys, v.I, ops.Sub(v.D, m.Int(1))}))
		}
		h := recursion.If(ops.Less(m.Int(0), v.D), deeper, func() graph.Value {
			quotient := ops.Div(m.Int(12), v.I)
			both := ops.Mul(ops.Tanh(v.Xs), v.Ys)
			return ops.Add(ops.Sqrt(v.X), ops.MatMulT(ops.At(v.Xs, quotient), w), ops.MaxOver(both, 0))
		})
		recursion.Loss(ops.CrossEntropy(h, ops.Mod(v.I, m.Int(4))))
		recursion.Collect("h", v.D, h)
		return h
	})
}

// Errors on a device are, word by word, those on the processor, and the inputs beside a bad
// one have the same results, losses and tables.
func TestErrorsAreThoseOfTheProcessor(t *testing.T) {
	p, g := troubledProgram(t)
	rows := func(n int) Array {
		a := Array{Shape: []int{n, 3}, F: make([]float32, 3*n)}
		for i := range a.F {
			a.F[i] = float32(i%5)/4 - 0.5
		}
		return a
	}
	x := numbers(1, 2, 3)
	inputs := [][]Array{
		{x, rows(7), rows(7), integer(2), integer(3)},
		{x, rows(7), rows(7), integer(0), integer(2)},
		{x, rows(7), rows(7), integer(1), integer(2)},
		{x, rows(5), rows(6), integer(5), integer(1)},
		{numbers(1, -2, 3), rows(4), rows(4), integer(6), integer(2)},
		{x, rows(4), rows(4), integer(7), integer(4)},
		{x, rows(0), rows(0), integer(-1), integer(0)},
		{x, rows(3), rows(3), integer(6), integer(5000)},
		{x, rows(3), rows(3), integer(6), integer(4)},
	}
	type report struct {
		errs    []string
		outcome *outcome
	}
	run := func(t *testing.T, d func() *host.Device, o Options) (all []report) {
		if d != nil {
			o.Device = d()
		}
		o.MaxDepth = 1000
		s := session(t, p, o)
		defer s.Close()
		for _, inputs := range append([][][]Array{inputs}, each(inputs)...) {
			r, err := s.Run(context.Background(), g, inputs)
			one := report{outcome: outcomeOf(r)}
			if err != nil {
				one.errs = append(one.errs, err.Error())
			}
			_, err = s.Gradients(context.Background(), g, inputs, GradOptions{})
			if err != nil {
				one.errs = append(one.errs, err.Error())
			}
			all = append(all, one)
		}
		return all
	}
	nan := inputs[4][0]
	for _, o := range []Options{{Workers: 1}, {Workers: 1, CheckFinite: true}, {Workers: 1, NoSharing: true}, {Workers: 2, Batching: BatchOff}} {
		if inputs[4][0] = x; o.CheckFinite {
			inputs[4][0] = nan
		}
		want := run(t, nil, o)
		require.Len(t, want[0].errs, 2)
		for name, d := range strictDevices {
			got := run(t, d, o)
			for i := range want {
				require.Equal(t, want[i].errs, got[i].errs, "%s, %v", name, o)
				for k := range want[i].outcome.Outputs {
					require.Equal(t, want[i].outcome.Outputs[k] == nil, got[i].outcome.Outputs[k] == nil)
					require.InDelta(t, want[i].outcome.Losses[k], got[i].outcome.Losses[k], 1e-5)
					require.Empty(t, differTables(want[i].outcome.Tables[k], got[i].outcome.Tables[k], 1e-5))
					if out := want[i].outcome.Outputs[k]; out != nil {
						require.Empty(t, differArray(out[0], got[i].outcome.Outputs[k][0], 1e-5))
					}
				}
			}
		}
	}
}

// each returns every input alone.
func each(inputs [][]Array) (all [][][]Array) {
	for i := range inputs {
		all = append(all, inputs[i:i+1])
	}
	return all
}
