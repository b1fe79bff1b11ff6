package main

import (
	"io"

	"github.com/frondml/frond/data"
)

// parseListOps reads expressions, one per line. All mistakes are reported.
func parseListOps(r io.Reader, name string) ([]*data.Tree, error) {
	var trees []*data.Tree
	var errs []error
	for t, err := range data.NewListOpsTextReader(r, name).All() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		trees = append(trees, t)
	}
	return trees, nothingRead(name, trees, errs)
}
