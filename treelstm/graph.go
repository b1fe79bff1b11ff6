package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/treelstm/internal/flowchart"
)

const graphUsage = `Usage: treelstm graph [flags]

Shows the program that a model is: graphs that invoke each other and themselves. Without
a flag that says how, it is written for Graphviz, in the language DOT. -svg draws it for
a browser and needs no other program; with -plan the drawing also tells the stages, the
parts of a graph that are executed at once.

	treelstm graph -svg > model.svg
	treelstm graph -plan -svg -model model.safetensors > plan.svg
	treelstm graph | dot -Tpdf > model.pdf
	treelstm graph -text

`

// graphFlags is the command line of graph.
type graphFlags struct {
	subjectFlags
	svg, text, gradient, plan bool
}

func graphCommand(_ context.Context, args []string, s streams) error {
	var f graphFlags
	fs := flag.NewFlagSet("graph", flag.ContinueOnError)
	f.subjectFlags.vars(fs)
	fs.BoolVar(&f.svg, "svg", false, "draw the program as SVG")
	fs.BoolVar(&f.text, "text", false, "print the program, an operator per line")
	fs.BoolVar(&f.gradient, "gradient", false, "print the program of the gradients")
	fs.BoolVar(&f.plan, "plan", false, "print how the program is executed; with -svg, mark the stages in the drawing")
	if err := parse(fs, args, s.out, func() string { return graphUsage + describe(fs, ownDefault) }); err != nil {
		return err
	}
	if err := f.check(fs); err != nil {
		return err
	}
	subject, err := f.open(s.err)
	if err != nil {
		return err
	}
	m, err := subject.load(exec.Options{Workers: 1})
	if err != nil {
		return err
	}
	var text bytes.Buffer // half a drawing is of no use
	err = errors.Join(f.write(&text, m.session), m.session.Close())
	if err == nil {
		_, err = text.WriteTo(s.out)
	}
	return err
}

func (f *graphFlags) check(fs *flag.FlagSet) error {
	err := errors.Join(dataNamed(fs), f.subjectFlags.check("graph"))
	ways := 0
	for _, way := range []bool{f.svg || f.plan, f.text, f.gradient} {
		if way {
			ways++
		}
	}
	switch {
	case err != nil:
		return err
	case fs.NArg() > 0:
		return usageError{fmt.Errorf("graph: unexpected argument %q", fs.Arg(0))}
	case ways > 1:
		return usageError{errors.New("graph: -svg or -plan, -text, -gradient: want one of them")}
	}
	return nil
}

func (f *graphFlags) write(w io.Writer, s *exec.Session) error {
	p := s.Program()
	var err error
	switch {
	case f.svg:
		var o flowchart.Options
		if f.plan {
			o.Groups = func(g *graph.Graph) []flowchart.Group { return stages(s, g) }
		}
		err = flowchart.Write(w, p, o)
	case f.plan:
		_, err = io.WriteString(w, s.Plan())
	case f.text:
		_, err = p.WriteTo(w)
	case f.gradient:
		_, err = io.WriteString(w, p.GradientString())
	default:
		err = p.WriteDOT(w)
	}
	return err
}

// stages are the groups of a drawing of the plan.
func stages(s *exec.Session, g *graph.Graph) []flowchart.Group {
	var groups []flowchart.Group
	for _, st := range s.Stages(g) {
		if len(st.Nodes) > 0 {
			groups = append(groups, flowchart.Group{Name: fmt.Sprintf("stage %s: %s", st.Name, st.Role), Nodes: st.Nodes})
		}
	}
	return groups
}
