package train

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train/safetensors"
)

// forge writes a file whose check sum is right, whatever its content.
func forge(t *testing.T, tensors []safetensors.Tensor, meta map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "forged")
	require.NoError(t, safetensors.WriteFile(path, slices.Clone(tensors), meta))
	r, err := safetensors.Open(path)
	require.NoError(t, err)
	defer r.Close()
	var d digest
	for _, name := range r.Names() {
		data, err := r.Section(name)
		require.NoError(t, err)
		require.NoError(t, d.addReader(name, data))
	}
	meta[metaDigest] = d.sum(meta)
	require.NoError(t, safetensors.WriteFile(path, tensors, meta))
	return path
}

func oneVariable(t *testing.T) *graph.Program {
	t.Helper()
	m := graph.NewModule("one")
	w := m.Var("w", graph.F32(2), graph.Zeros())
	f := m.Declare("f", nil, []graph.Value{graph.F32()})
	f.Define(nil, func([]graph.Value) []graph.Value {
		recursion.Loss(ops.Sum(w))
		return []graph.Value{ops.Sum(w)}
	})
	p, err := m.Build()
	require.NoError(t, err)
	return p
}

func TestForgedMetadata(t *testing.T) {
	w := safetensors.Of("w", []int{2}, []float32{1, 2})
	for _, c := range []struct {
		tensors []safetensors.Tensor
		meta    map[string]string
		want    string
	}{
		{nil, map[string]string{metaVersion: "2"}, `it has version "2", this program reads version 1`},
		{nil, map[string]string{metaVersion: "1", metaProgress: "{"}, "frond.progress: unexpected EOF"},
		{nil, map[string]string{metaVersion: "1", metaProgress: `{"speed":1}`}, `unknown field "speed"`},
		{nil, map[string]string{metaVersion: "1", metaOptimizer: `[]`}, "frond.optimizer: json:"},
		{[]safetensors.Tensor{safetensors.Of(vocabularyName, []int{1}, []float32{1})}, map[string]string{metaVersion: "1"}, "frond/vocabulary is F32[1], want U8"},
	} {
		_, err := Open(forge(t, append(c.tensors, w), c.meta))
		require.ErrorIs(t, err, ErrCheckpoint)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestForgedArrays(t *testing.T) {
	p := oneVariable(t)
	adam := `{"name":"adam","steps":3,"settings":{"learning_rate":1,"beta1":0.9,"beta2":0.9,"epsilon":1e-8,"l2":0,"lazy_rows":false}}`
	for _, c := range []struct {
		tensors []safetensors.Tensor
		meta    map[string]string
		want    []string
	}{
		{[]safetensors.Tensor{safetensors.Of("w", []int{2}, []float64{1, 2})}, nil, []string{"variable w is F64[2] in it, want F32[2]"}},
		{[]safetensors.Tensor{safetensors.Of("w", []int{1, 2}, []float32{1, 2})}, nil, []string{"variable w is F32[1 2] in it, want F32[2]"}},
		{[]safetensors.Tensor{
			safetensors.Of("w", []int{2}, []float32{1, 2}),
			safetensors.Of("frond/optimizer/mean/w", []int{2}, []int32{1, 2}),
		}, map[string]string{metaOptimizer: adam}, []string{"mean of variable w is I32[2] in it, want F32[2]", "it has no square of variable w"}},
		{[]safetensors.Tensor{safetensors.Of("w", []int{2}, []float32{1, 2})},
			map[string]string{metaOptimizer: `{"name":"adam","steps":3,"settings":{"speed":1}}`}, []string{`settings of adam: json: unknown field "speed"`}},
	} {
		meta := map[string]string{metaVersion: "1", metaProgram: "one"}
		if c.meta != nil {
			meta[metaOptimizer] = c.meta[metaOptimizer]
		}
		f, err := Open(forge(t, c.tensors, meta))
		require.NoError(t, err)
		into := &Checkpoint{Params: exec.NewParameters(p, 0)}
		if c.meta != nil {
			into.Optimizer = NewAdam(1)
		}
		err = f.Load(into)
		require.ErrorIs(t, err, ErrMismatch)
		for _, want := range c.want {
			assert.ErrorContains(t, err, want)
		}
		assert.Equal(t, []float32{0, 0}, into.Params.Value(p.Variables[0]))
		require.NoError(t, f.Close())
	}
}

// What differs is known from the header: the values, 4 GiB of them for one variable, are
// not needed.
func TestComparingReadsNoValues(t *testing.T) {
	path := forge(t, []safetensors.Tensor{safetensors.Of("w", []int{2}, []float32{1, 2})},
		map[string]string{metaVersion: "1", metaProgram: "one"})
	f, err := Open(path)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, f.Compare(oneVariable(t)))

	m := graph.NewModule("two")
	w, b := m.Var("w", graph.F32(1<<15, 1<<15), graph.Zeros()), m.Var("b", graph.F32(), graph.Zeros())
	g := m.Declare("f", nil, []graph.Value{graph.F32()})
	g.Define(nil, func([]graph.Value) []graph.Value { return []graph.Value{ops.Add(ops.Sum(ops.Sum(w)), b)} })
	p, err := m.Build()
	require.NoError(t, err)
	err = f.Compare(p)
	require.ErrorIs(t, err, ErrMismatch)
	assert.ErrorContains(t, err, "train: "+path+": checkpoint does not fit: ")
	assert.ErrorContains(t, err, `it is of program "one", want "two"`)
	assert.ErrorContains(t, err, "variable w is F32[2] in it, want F32[32768 32768]")
	assert.ErrorContains(t, err, "it has no variable b f32")
	require.ErrorIs(t, f.Compare(nil), ErrSetting)
}
