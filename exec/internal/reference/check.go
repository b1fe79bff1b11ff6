package reference

import (
	"errors"
	"fmt"

	"github.com/frondml/frond/graph"
)

// ErrNoGradient is wrapped by the error of a run that asks for gradients through
// an operator that has no gradient rule.
var ErrNoGradient = errors.New("no gradient rule")

// checkReachable looks through every graph that the run may invoke for variables
// without a value and, when gradients are wanted, for operators without a rule.
func checkReachable(r Request) error {
	for _, g := range reachable(r.Graph) {
		for _, n := range g.Nodes {
			if err := checkVariables(n.In, r); err != nil {
				return fmt.Errorf("%s: %s (%v): %w", g.Name, n.Op.Name(), n.Pos, err)
			}
		}
		if err := checkVariables(g.Results, r); err != nil {
			return fmt.Errorf("%s: result: %w", g.Name, err)
		}
		if !r.Grad {
			continue
		}
		if g.Adjoint == nil {
			return fmt.Errorf("%w: %s has no adjoint; was the module built?", graph.ErrInvalid, g.Name)
		}
		for _, n := range g.Adjoint.Missing {
			return fmt.Errorf("%s: %s (%v): %w", g.Name, n.Op.Name(), n.Pos, ErrNoGradient)
		}
	}
	return nil
}

func checkVariables(vs []graph.Value, r Request) error {
	for _, v := range vs {
		if read := v.Variable(); read != nil && r.Vars[read] == nil {
			return fmt.Errorf("%w: variable %q has no value in this run", graph.ErrUndefined, read.Name)
		}
	}
	return nil
}

// reachable returns g and every graph that it leads to.
func reachable(g *graph.Graph) []*graph.Graph {
	all := []*graph.Graph{g}
	seen := map[*graph.Graph]bool{g: true}
	for i := 0; i < len(all); i++ {
		for _, n := range all[i].Nodes {
			inv, ok := n.Op.(graph.Invoker)
			if !ok {
				continue
			}
			for _, callee := range inv.Callees() {
				if !seen[callee] {
					seen[callee] = true
					all = append(all, callee)
				}
			}
		}
	}
	return all
}
