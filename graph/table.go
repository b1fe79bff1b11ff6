package graph

import "fmt"

// conflict is a row of another type than an earlier one of its table.
type conflict struct {
	table         string
	first, second *Node
	want, got     Type
}

func (c conflict) err() error {
	return fmt.Errorf("%w: a row of table %q is %v here and %v at %v", ErrShape, c.table, c.got, c.want, c.first.Pos)
}

// conflicts returns the rows that differ from the first one of their table.
func conflicts(graphs []*Graph) (found []conflict) {
	type row struct {
		node *Node
		t    Type
	}
	tables := map[string]row{}
	for _, g := range graphs {
		for _, n := range g.Nodes {
			op, ok := n.Op.(Tabular)
			if !ok {
				continue
			}
			table, t := op.Row(n.InTypes())
			first, ok := tables[table]
			switch {
			case !ok:
				tables[table] = row{n, t}
			case !t.Equal(first.t):
				found = append(found, conflict{table, first.node, n, first.t, t})
			}
		}
	}
	return found
}
