package recursion

import (
	"strings"

	"github.com/frondml/frond/graph"
)

// mismatch returns the kind of mistake that a value of type got is where one of
// type want belongs, nil when it is none.
func mismatch(got, want graph.Type) error {
	switch {
	case got.Equal(want):
		return nil
	case got.DType != want.DType:
		return graph.ErrDType
	}
	return graph.ErrShape
}

// resultName names a result by its path, which is empty for a result that is the
// only one.
func resultName(path string) string {
	if path == "" {
		return "the result"
	}
	return "result " + path
}

// fit poisons the values of a body that are not of the types wanted, having
// recorded each with its name: the kind of value and its path. explain says what
// is wrong with the type of value i.
func fit(m *graph.Module, what, kind string, vs []graph.Value, paths []string, want []graph.Type, explain func(name string, i int) string) {
	for i, v := range vs {
		if v.IsPoison() {
			continue
		}
		name := strings.TrimSpace(kind + " " + paths[i])
		if !m.Check(what+", "+name, v) {
			vs[i] = graph.Poisoned()
		} else if err := mismatch(v.Type(), want[i]); err != nil {
			vs[i] = m.Errorf(what, "%w: %s", err, explain(name, i))
		}
	}
}
