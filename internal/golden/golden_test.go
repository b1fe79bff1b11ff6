package golden

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The numbers were computed with the formula by another program.
func TestValuesFollowTheFormula(t *testing.T) {
	f := &File{Seed: 1}
	assert.Equal(t, []float64{-0.42532113194465637, 0.19271287322044373, -0.18925315141677856, 0.42878085374832153}, f.Values(Array{Index: 0, Shape: []int{2, 2}, Scale: 1}))
	assert.Equal(t, []float64{-0.040256910026073456, 0.08334989100694656, 0.006956686265766621}, f.Values(Array{Index: 3, Shape: []int{3}, Scale: 0.2}))
	f.Seed = 13832380
	assert.Equal(t, []float64{0.0409829244017601, 0.00278632459230721, -0.03541027754545212}, f.Values(Array{Index: 7, Shape: []int{3}, Scale: 0.1}))
}

// recorder is a test that only remembers that it failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

// Fatalf ends the goroutine, as that of a test does.
func (r *recorder) Fatalf(string, ...any) {
	r.failed = true
	runtime.Goexit()
}

func fails(check func(t testing.TB)) bool {
	var r recorder
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(&r)
	}()
	<-done
	return r.failed
}

func TestChecksRejectWrongResults(t *testing.T) {
	want := Gradient{Name: "w", L2: 5, Sum: -1, Values: []float64{3, -4}}
	for _, c := range []struct {
		got   []float64
		fails bool
	}{
		{[]float64{3, -4}, false},
		{[]float64{3.002, -4.002}, false},
		{[]float64{3.01, -4}, true},
		{[]float64{-4, 3}, true},
		{[]float64{3}, true},
		{[]float64{3, -4, 0}, true},
		{nil, true},
	} {
		assert.Equal(t, c.fails, fails(func(t testing.TB) { CheckGradient(t, c.got, want, Float32) }), "%v", c.got)
	}
	assert.True(t, fails(func(t testing.TB) { CheckGradient(t, []float64{3, -4.00001}, want, Float64) }))

	zero := Gradient{Name: "w", Values: []float64{0, 0}}
	assert.False(t, fails(func(t testing.TB) { CheckGradient(t, []float64{0, 0}, zero, Float32) }))
	assert.True(t, fails(func(t testing.TB) { CheckGradient(t, []float64{1e-30, 0}, zero, Float32) }), "zeros are exact")

	some := Gradient{Name: "w", L2: 5, Sum: -1, Values: []float64{-4}, Indexes: []int{1}}
	assert.False(t, fails(func(t testing.TB) { CheckGradient(t, []float64{3, -4}, some, Float32) }))
	assert.True(t, fails(func(t testing.TB) { CheckGradient(t, []float64{-4, 3}, some, Float32) }))
	assert.True(t, fails(func(t testing.TB) { CheckGradient(t, []float64{-4}, some, Float32) }))

	assert.False(t, fails(func(t testing.TB) { CheckLoss(t, "", 100.005, 100, Float32) }))
	assert.True(t, fails(func(t testing.TB) { CheckLoss(t, "", 100.02, 100, Float32) }))
	nan := 0.0
	nan /= nan
	assert.True(t, fails(func(t testing.TB) { CheckLoss(t, "", nan, 100, Float32) }))
	assert.True(t, fails(func(t testing.TB) { CheckValues(t, "", []float64{nan}, []float64{1}, Float32) }))
}

func TestGoldenFilesAreComplete(t *testing.T) {
	for _, name := range []string{"treelstm_binary_e12_h10", "treelstm_binary_e300_h150", "treernn", "rntn", "treelstm_childsum", "topdown", "topdown_wide"} {
		f := Load(t, name)
		var r Trained
		f.Decode(t, &r)
		assert.NotZero(t, r.TotalLoss, name)
		assert.NotEmpty(t, r.LossPerItem, name)
		require.Len(t, r.Gradients, len(f.Params), name)
		for i, g := range r.Gradients {
			a := f.Params[i]
			assert.Equal(t, a.Name, g.Name)
			assert.Equal(t, i, a.Index)
			if g.Indexes == nil {
				CheckGradient(t, g.Values, g, Float64)
			}
		}
		require.Len(t, r.Curves, 3)
		for _, c := range r.Curves {
			assert.Len(t, c.Losses, c.Steps+1)
			assert.Len(t, c.FinalParamL2, len(f.Params))
			assert.NotZero(t, c.LR)
		}
	}
	f := Load(t, "integers")
	assert.Len(t, f.Integers(t), 9)
	assert.Len(t, f.Trees(t), 50)
}
