package reference

import (
	"cmp"
	"slices"

	"github.com/frondml/frond/ops"
)

// Row is a row of a table that the run collected.
type Row struct {
	Key   int32
	Value *ops.Tensor
}

// sortTables puts the rows into an order that does not depend on the execution:
// by key, equal keys by their values.
func sortTables(tables map[string][]Row) {
	for _, rows := range tables {
		slices.SortStableFunc(rows, func(a, b Row) int {
			return cmp.Or(
				cmp.Compare(a.Key, b.Key),
				slices.Compare(a.Value.Shape, b.Value.Shape),
				slices.Compare(a.Value.F, b.Value.F),
				slices.Compare(a.Value.I, b.Value.I),
			)
		})
	}
}
