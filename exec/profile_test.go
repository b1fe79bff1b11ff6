package exec

import (
	"bytes"
	"context"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// written parses what the profile writes.
func written(t testing.TB, p *Profile) *profile.Profile {
	t.Helper()
	var buf bytes.Buffer
	require.NoError(t, p.Write(&buf))
	q, err := profile.Parse(&buf)
	require.NoError(t, err)
	require.NoError(t, q.CheckValid())
	return q
}

// stackOf names the functions of a sample, outermost first.
func stackOf(s *profile.Sample) string {
	var names []string
	for _, l := range slices.Backward(s.Location) {
		names = append(names, l.Line[0].Function.Name)
	}
	return strings.Join(names, " > ")
}

// The values of a sample.
const (
	atCalls = iota
	atRows
	atTime
	atFlop
	atBytes
)

// sumOf adds the samples of a stack and pass.
func sumOf(q *profile.Profile, stack, pass string) []int64 {
	sum := make([]int64, len(q.SampleType))
	for _, s := range q.Sample {
		if stackOf(s) == stack && s.Label["pass"][0] == pass {
			for i, v := range s.Value {
				sum[i] += v
			}
		}
	}
	return sum
}

func TestProfileOfTrees(t *testing.T) {
	const d, h, classes = 6, 5, 3
	p, g := treeProgram(t, 30, d, h, classes)
	trees := testTrees(7, 9)
	var prof Profile
	s := session(t, p, Options{Profile: &prof, NoSharing: true, Workers: 2})
	_, err := s.Gradients(context.Background(), g, trees, GradOptions{})
	require.NoError(t, err)
	var nodes, leaves int64
	for _, in := range trees {
		nodes += int64(len(in[0].I))
		leaves += int64(len(in[0].I)+1) / 2
	}
	inner, roots := nodes-leaves, int64(len(trees))
	q := written(t, &prof)

	var kinds []string
	for _, v := range q.SampleType {
		kinds = append(kinds, v.Type+"/"+v.Unit)
	}
	assert.Equal(t, []string{"calls/count", "rows/count", "time/nanoseconds", "flop/count", "bytes/bytes"}, kinds)
	assert.Equal(t, "time", q.DefaultSampleType)

	// What rows cost follows from the equations, whatever the batches.
	for _, c := range []struct {
		stack, pass string
		rows, flop  int64
	}{
		{"classify > subtree > subtree.then > matmul", "forward", leaves, leaves * (2*d*3*h + 3*h)},
		{"classify > subtree > subtree.else > matmul", "forward", inner, inner * (2*2*h*5*h + 5*h)},
		{"classify > subtree > matmul", "forward", nodes, nodes * (2*h*classes + classes)},
		{"classify > matmul", "forward", roots, roots * (2*h*classes + classes)},
		{"classify > subtree > subtree.then > sigmoid", "forward", 2 * leaves, 2 * leaves * h * transcendental},
		{"classify > subtree > subtree.else > mul", "forward", 4 * inner, 4 * inner * h},
		{"classify > subtree > cross_entropy", "forward", nodes, nodes * classes * (transcendental + 4)},
		{"classify > subtree > subtree.else > gradient of U", "backward", inner, 2 * inner * 2 * h * 5 * h},
		{"classify > subtree > gradient of Ws", "backward", nodes, 2 * nodes * h * classes},
	} {
		sum := sumOf(q, c.stack, c.pass)
		assert.Equal(t, []int64{c.rows, c.flop}, []int64{sum[atRows], sum[atFlop]}, "%s, %s", c.stack, c.pass)
		assert.Positive(t, sum[atTime], c.stack)
		assert.Positive(t, sum[atBytes], c.stack)
		assert.LessOrEqual(t, sum[atCalls], sum[atRows], c.stack)
	}

	var total int64
	for _, sample := range q.Sample {
		total += sample.Value[atTime]
	}
	assert.InDelta(t, s.Stats().Busy, total, float64(s.Stats().Busy)/100, "every moment of a batch is somewhere")
}

// Stacks carry the lines of the program.
func TestProfileHasLines(t *testing.T) {
	var here, invoked int
	line := func() int { _, _, l, _ := runtime.Caller(1); return l }
	p, g := function(t, one{graph.I32()}, one{graph.I32()}, func(m *graph.Module, self *recursion.SubGraph[one, one], in one) one {
		return recursion.If(ops.Less(in.N, m.Int(1)), func() one { return in }, func() one {
			invoked = line() + 1
			rest := self.Invoke(one{ops.Sub(in.N, m.Int(1))})
			here = line() + 1
			return one{ops.Mul(rest.N, m.Int(3))}
		})
	})
	var prof Profile
	s := session(t, p, Options{Profile: &prof, Workers: 1})
	for range 2 {
		result(t, s, g, integer(4))
	}
	q := written(t, &prof)
	found := map[string]bool{}
	for _, sample := range q.Sample {
		op := sample.Location[0].Line[0]
		if op.Function.Name != "mul" && op.Function.Name != "sub" {
			continue
		}
		found[op.Function.Name] = true
		want := map[string]int{"mul": here, "sub": invoked}[op.Function.Name]
		assert.Equal(t, "profile_test.go", op.Function.Filename)
		assert.EqualValues(t, want, op.Line)
		assert.Equal(t, "main > main.else > "+op.Function.Name, stackOf(sample), "recursion is written once")
		assert.EqualValues(t, want, sample.Location[1].Line[0].Line)
		assert.Equal(t, []int64{8, 8, 0}, []int64{sample.Value[atCalls], sample.Value[atRows], sample.Value[atFlop]}, "integers are no flop")
	}
	assert.Len(t, found, 2)
}

func TestPathsAreShortest(t *testing.T) {
	p, g := treeProgram(t, 4, 2, 2, 2)
	pl, err := newPlan(p)
	require.NoError(t, err)
	entries := make([]bool, len(pl.subs))
	for _, r := range pl.findPaths(entries) {
		assert.False(t, r.reached)
	}
	entries[pl.subOf[g].id] = true
	paths := pl.findPaths(entries)
	var names []string
	for id := range paths {
		assert.True(t, paths[id].reached)
		var stack []string
		for _, f := range paths.stack("op", pl.subs[id], graph.Pos{}) {
			stack = append(stack, f.function)
		}
		names = append(names, strings.Join(stack, " < "))
	}
	assert.ElementsMatch(t, []string{"op < classify", "op < subtree < classify", "op < subtree.then < subtree < classify", "op < subtree.else < subtree < classify"}, names)
}

// A profile takes the costs of all its sessions, while they run.
func TestProfileOfConcurrentRuns(t *testing.T) {
	const runs = 6
	p, g := treeProgram(t, 30, 4, 4, 3)
	other, fib := fibProgram(t)
	var prof Profile
	s, f := session(t, p, Options{Profile: &prof, Workers: 2, NoSharing: true}), session(t, other, Options{Profile: &prof, Workers: 2})
	trees := testTrees(3, 6)
	var nodes int64
	for _, in := range trees {
		nodes += int64(len(in[0].I))
	}
	var group sync.WaitGroup
	for i := range runs {
		group.Go(func() {
			if i%2 == 0 {
				_, err := s.Run(context.Background(), g, trees)
				assert.NoError(t, err)
			} else {
				_, err := s.Gradients(context.Background(), g, trees, GradOptions{})
				assert.NoError(t, err)
			}
			_, err := f.Run(context.Background(), fib, [][]Array{scalar(8)})
			assert.NoError(t, err)
			assert.NoError(t, prof.Write(&bytes.Buffer{}))
		})
	}
	group.Wait()
	q := written(t, &prof)
	assert.EqualValues(t, runs*nodes, sumOf(q, "classify > subtree > matmul", "forward")[atRows])
	assert.EqualValues(t, runs/2*nodes, sumOf(q, "classify > subtree > gradient of Ws", "backward")[atRows])
	assert.EqualValues(t, runs*33, sumOf(q, "fib > fib.else > add", "forward")[atRows], "fib(8) adds 33 times")
	assert.Len(t, q.Mapping, 2)
}

// What frames share is counted once: rows are those that were computed.
func TestProfileCountsWhatIsComputed(t *testing.T) {
	p, g := treeProgram(t, 30, 4, 4, 3)
	trees := testTrees(1, 12)
	var prof Profile
	s := session(t, p, Options{Profile: &prof, Workers: 1})
	_, err := s.Gradients(context.Background(), g, [][]Array{trees[0], trees[0]}, GradOptions{})
	require.NoError(t, err)
	q := written(t, &prof)
	leaves := int64(len(trees[0][0].I)+1) / 2
	rows := sumOf(q, "classify > subtree > subtree.then > matmul", "forward")[atRows]
	assert.Positive(t, rows)
	assert.LessOrEqual(t, rows, leaves)
}

func TestProfileReportsErrorsOfWriting(t *testing.T) {
	require.ErrorIs(t, new(Profile).Write(brokenWriter{}), errBroken)
}

func TestPprofReadsTheProfile(t *testing.T) {
	goTool, err := osexec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not installed")
	}
	p, g := treeProgram(t, 30, 60, 50, 3)
	var prof Profile
	s := session(t, p, Options{Profile: &prof, Workers: 1})
	_, err = s.Gradients(context.Background(), g, testTrees(25, 20), GradOptions{})
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "trees.pb.gz")
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, prof.Write(f))
	require.NoError(t, f.Close())
	out, err := osexec.CommandContext(t.Context(), goTool, "tool", "pprof", "-top", "-nodefraction=0", "-sample_index=time", name).CombinedOutput()
	if err != nil && strings.Contains(string(out), "no such tool") {
		t.Skip("the go command has no pprof")
	}
	require.NoError(t, err, "%s", out)
	for _, want := range []string{"File: treelstm", "Type: time", "matmul", "gradient of U", "subtree.else"} {
		assert.Contains(t, string(out), want)
	}
}

// The table of costs names operators that exist.
func TestCostsAreOfOperators(t *testing.T) {
	registry := ops.Registry()
	for name := range flopsPerElement {
		assert.Contains(t, registry, name)
	}
}

// Operands that all rows share count once per call, rows of tables once per row.
func TestCosts(t *testing.T) {
	type in struct{ I, X graph.Value }
	var table, scale graph.Value
	m := graph.NewModule("costs")
	f := recursion.Declare(m, "f", in{graph.I32(), graph.F32(4)}, one{graph.F32(4)})
	f.Define(func(v in) one {
		table, scale = m.Var("T", graph.F32(100, 4), graph.Zeros()), m.Var("s", graph.F32(4), graph.Zeros())
		row := ops.At(table, v.I)
		return one{ops.Mul(ops.Tanh(ops.Add(row, v.X)), scale)}
	})
	p, err := m.Build()
	require.NoError(t, err)
	pl, err := newPlan(p)
	require.NoError(t, err)
	costs := map[string]cost{}
	for _, st := range pl.stages {
		for i := range st.infer.instrs {
			in := &st.infer.instrs[i]
			costs[in.name()] = pl.costOf(in)
		}
	}
	assert.Equal(t, cost{row: work{flops: 4, bytes: 4 * (4 + 4 + 4)}}, costs["add"])
	assert.Equal(t, cost{row: work{flops: 4 * transcendental, bytes: 4 * (4 + 4)}}, costs["tanh"])
	assert.Equal(t, cost{row: work{flops: 4, bytes: 4 * (4 + 4)}, call: work{bytes: 4 * 4}}, costs["mul"])
}
