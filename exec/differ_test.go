package exec

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// differ describes the first difference of the forward values of two results,
// beyond a relative tolerance, or in any bit when that is 0.
func differ(what string, want, got *Result, tol float64) error {
	for i := range want.Outputs {
		for k := range want.Outputs[i] {
			if d := differArray(want.Outputs[i][k], got.Outputs[i][k], tol); d != "" {
				return fmt.Errorf(what+": result %d of input %d: %s", k, i, d)
			}
		}
		if !close64(want.Losses[i], got.Losses[i], tol) {
			return fmt.Errorf(what+": loss of input %d: want %v, got %v", i, want.Losses[i], got.Losses[i])
		}
		if d := differTables(want.Tables[i], got.Tables[i], tol); d != "" {
			return fmt.Errorf(what+": input %d: %s", i, d)
		}
	}
	if !close64(want.Loss, got.Loss, tol) {
		return fmt.Errorf(what+": loss: want %v, got %v", want.Loss, got.Loss)
	}
	return nil
}

func close64(want, got, tol float64) bool { return math.Abs(got-want) <= tol*(1+math.Abs(want)) }

func differArray(want, got Array, tol float64) string {
	if !slices.Equal(want.Shape, got.Shape) || (want.F == nil) != (got.F == nil) {
		return fmt.Sprintf("want shape %v of %v, got shape %v of %v", want.Shape, want, got.Shape, got)
	}
	if !slices.Equal(want.I, got.I) {
		return fmt.Sprintf("want %v, got %v", want, got)
	}
	return differFloats(want.F, got.F, tol)
}

// differFloats compares with a tolerance relative to the largest finite element. Elements
// of the same bits are equal, and so are two that are no numbers.
func differFloats(want, got []float32, tol float64) string {
	if len(want) != len(got) {
		return fmt.Sprintf("want %d elements, got %d", len(want), len(got))
	}
	scale := 1.0
	for _, x := range want {
		if a := math.Abs(float64(x)); a <= math.MaxFloat32 {
			scale = max(scale, a)
		}
	}
	for j := range want {
		w, g := float64(want[j]), float64(got[j])
		if math.Float32bits(want[j]) == math.Float32bits(got[j]) || w != w && g != g {
			continue
		}
		if tol == 0 || !(math.Abs(w-g) <= tol*scale) {
			return fmt.Sprintf("element %d: want %v, got %v\nwant %v\ngot  %v", j, w, g, want, got)
		}
	}
	return ""
}

func differTables(want, got map[string]*Table, tol float64) string {
	if len(want) != len(got) {
		return fmt.Sprintf("want %d tables, got %d", len(want), len(got))
	}
	for name, w := range want {
		g := got[name]
		if g == nil {
			return fmt.Sprintf("no table %q", name)
		}
		if !slices.Equal(w.Keys, g.Keys) || w.Width != g.Width {
			return fmt.Sprintf("%q: want keys %v and width %d, got %v and %d", name, w.Keys, w.Width, g.Keys, g.Width)
		}
		if !slices.Equal(w.Ints, g.Ints) {
			return fmt.Sprintf("%q: want %v, got %v", name, w.Ints, g.Ints)
		}
		if d := differRows(w, g, tol); d != "" {
			return fmt.Sprintf("%q: %s", name, d)
		}
	}
	return ""
}

// differRows compares float rows. Rows of one key are ordered by value, so that
// those that nearly agree may change places: each needs a counterpart.
func differRows(want, got *Table, tol float64) string {
	if len(want.Values) != len(got.Values) {
		return fmt.Sprintf("want %d values, got %d", len(want.Values), len(got.Values))
	}
	if len(want.Values) == 0 {
		return ""
	}
	taken := make([]bool, len(got.Keys))
next:
	for i, key := range want.Keys {
		for j := range got.Keys {
			if !taken[j] && got.Keys[j] == key && differFloats(want.Row(i), got.Row(j), tol) == "" && (tol > 0 || i == j) {
				taken[j] = true
				continue next
			}
		}
		return fmt.Sprintf("no row like %v of key %d\nwant %v %v\ngot  %v %v", want.Row(i), key, want.Keys, want.Values, got.Keys, got.Values)
	}
	return ""
}

// What cannot be compared by a difference has a counterpart, too, and hides no others.
func TestDifferRowsThatAreNotFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	table := func(values ...float32) *Table { return &Table{Keys: []int32{1, 1}, Width: 2, Values: values} }
	want := table(1.5, nan, inf, 2)
	for _, tol := range []float64{0, 1e-5} {
		require.Empty(t, differRows(want, table(1.5, -nan, inf, 2), tol))
		require.NotEmpty(t, differRows(want, table(1.6, nan, inf, 2), tol))
		require.NotEmpty(t, differRows(want, table(1.5, 0, inf, 2), tol))
		require.NotEmpty(t, differRows(want, table(1.5, nan, inf, 3), tol))
		require.NotEmpty(t, differRows(want, table(1.5, nan, -inf, 2), tol))
		require.NotEmpty(t, differRows(want, table(1.5, nan, nan, 2), tol))
		require.NotEmpty(t, differRows(want, table(1.5, nan, 1e30, 2), tol))
	}
	require.Empty(t, differRows(want, table(inf, 2.00001, 1.50001, nan), 1e-5))
}
