package optest

import (
	"errors"
	"fmt"
	"maps"
	"reflect"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// checkRegistry makes every operator of the case and its adjoint anew from its
// printed name and attributes.
func checkRegistry(c Case) error {
	g, err := c.build(nil)
	if err != nil {
		return err
	}
	registry := ops.Registry()
	maps.Copy(registry, c.Registry)
	var errs []error
	for _, n := range operatorNodes(g) {
		if err := roundTrip(registry, n.Op); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func roundTrip(registry map[string]func([]graph.Attr) (graph.Op, error), op graph.Op) error {
	newOp, ok := registry[op.Name()]
	if !ok {
		return fmt.Errorf("%s is not registered", op.Name())
	}
	again, err := newOp(op.Attrs())
	if err != nil {
		return fmt.Errorf("%s%v: %w", op.Name(), op.Attrs(), err)
	}
	if !reflect.DeepEqual(again, op) {
		return fmt.Errorf("%s%v gives %#v, want %#v", op.Name(), op.Attrs(), again, op)
	}
	return nil
}

// operatorNodes returns the nodes of g and of its adjoint that apply operators
// of package ops.
func operatorNodes(g *graph.Graph) []*graph.Node {
	var nodes []*graph.Node
	add := func(ns []*graph.Node) {
		for _, n := range ns {
			if _, ok := n.Op.(ops.Op); ok {
				nodes = append(nodes, n)
			}
		}
	}
	add(g.Nodes)
	for _, s := range g.Adjoint.Steps {
		add(s.Nodes)
	}
	return nodes
}
