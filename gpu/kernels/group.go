package kernels

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/gpu"
)

// GroupRows turns the index list of a [Set.ScatterAddRows] into lists for
// [Set.AddSegments], which adds in the order of the index, the same every time: row
// target[i] of the table, of so many rows, gets the rows source[start[i]:start[i+1]].
// Negative indices name no row. It takes O(n log n) time on the host.
func GroupRows(index []int32, rows int) (target, start, source []int32, err error) {
	for i, row := range index {
		if int(row) >= rows {
			return nil, nil, nil, fmt.Errorf("group rows: %w: index %d is %d, the table has %d rows", gpu.ErrArgument, i, row, rows)
		}
		if row >= 0 {
			source = append(source, int32(i))
		}
	}
	slices.SortStableFunc(source, func(a, b int32) int { return int(index[a]) - int(index[b]) })
	start = []int32{0}
	for i, s := range source {
		if i > 0 && index[s] == target[len(target)-1] {
			start[len(start)-1]++
			continue
		}
		target, start = append(target, index[s]), append(start, int32(i+1))
	}
	return target, start, source, nil
}
