// Package treepage writes a page for browsers that draws trees with the class that a
// model gives to each node.
//
//	p, err := treepage.New(w, treepage.Head{Title: "predict", Classes: treepage.Numbered(5)})
//	err = p.Add(treepage.Tree{Tree: t, Probabilities: rows})
//	err = p.Close()
//
// The page is one file: it loads nothing, works without a network, and a policy in it
// forbids the browser to do otherwise. Words may be any text: they are data to the page,
// never markup. A class is told by its number as well as by its colour, and the colours
// differ for people who do not see red or green. Everything can be reached by keys.
//
// Trees are written as they are added and drawn when they are looked at, a few at a
// time; of a large tree the upper part is shown first and the rest on demand.
//
// # Errors and concurrency
//
// A tree that breaks the promises of data.Tree, or whose probabilities do not fit its
// nodes, wraps [ErrTree]; nothing is written of it. Errors of the writer are returned as
// they are. A page belongs to one goroutine.
package treepage
