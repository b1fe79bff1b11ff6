package graph

import "fmt"

// heading reads the line that opens a graph.
func (p *parser) heading(s *lineScanner, body bool) (*parsedGraph, error) {
	start := s.pos
	name, err := s.name()
	if err != nil {
		return nil, err
	}
	if other := p.graphs[name]; other != nil {
		return nil, s.at(start, fmt.Errorf("%w: graph %s, first on line %d", ErrRedefined, quote(name), other.line))
	}
	g := &parsedGraph{
		Graph:   &Graph{Name: name, Module: p.module, defined: true, body: body},
		line:    s.line,
		inner:   map[Value]Value{},
		invokes: map[*Node]int{},
	}
	if err := p.params(s, g); err != nil {
		return nil, err
	}
	err = s.group("(", ")", func() error {
		t, err := s.typ()
		g.Out = append(g.Out, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.acceptWord("in") {
		parent, err := p.graphName(s)
		if err != nil {
			return nil, err
		}
		g.Parent = parent.Graph
	} else if body {
		return nil, s.unexpected("in and the graph in which the body is written")
	}
	if err := s.expect("{"); err != nil {
		return nil, err
	}
	p.graphs[name] = g
	p.order = append(p.order, g)
	p.module.graphs = append(p.module.graphs, g.Graph)
	return g, s.end()
}

// group reads items in brackets, separated by commas.
func (s *lineScanner) group(opening, closing string, item func() error) error {
	if err := s.expect(opening); err != nil {
		return err
	}
	if s.accept(closing) {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if s.accept(closing) {
			return nil
		}
		if err := s.expect(","); err != nil {
			return err
		}
	}
}

// graphName reads the name of a graph whose heading was read.
func (p *parser) graphName(s *lineScanner) (*parsedGraph, error) {
	start := s.pos
	name, err := s.name()
	if err != nil {
		return nil, err
	}
	g := p.graphs[name]
	if g == nil {
		return nil, s.at(start, fmt.Errorf("%w: graph %s", ErrUndefined, quote(name)))
	}
	return g, nil
}

// params reads the parameters; captured ones come last.
func (p *parser) params(s *lineScanner, g *parsedGraph) error {
	return s.group("(", ")", func() error {
		start := s.pos
		if err := s.newNumber(len(g.values)); err != nil {
			return err
		}
		param, t, err := s.param()
		if err != nil {
			return err
		}
		column := s.pos
		switch param.Captured = s.acceptWord("captured"); {
		case param.Captured:
			c, err := p.source(s)
			if err != nil {
				return err
			}
			c.column = column
			g.captures = append(g.captures, c)
		case len(g.captures) > 0:
			return s.at(start, fmt.Errorf("%w: a parameter that is not captured follows one that is", ErrSyntax))
		default:
			g.In = append(g.In, t)
		}
		g.values = append(g.values, g.addParam(param, t))
		return nil
	})
}

// source reads which value a captured parameter stands for.
func (p *parser) source(s *lineScanner) (c capture, err error) {
	if c.graph, err = p.graphName(s); err != nil {
		return c, err
	}
	c.number, err = s.number()
	return c, err
}

// param reads an optional label and a type. A label may look like a type; then a
// type follows it.
func (s *lineScanner) param() (Param, Type, error) {
	start := *s
	t, err := s.typ()
	if err == nil {
		probe := *s
		if _, err := probe.typ(); err != nil {
			return Param{}, t, nil
		}
	}
	*s = start
	label, err := s.name()
	if err != nil {
		return Param{}, t, err
	}
	t, err = s.typ()
	return Param{Label: label}, t, err
}

// number reads a reference to a value, %N.
func (s *lineScanner) number() (int, error) {
	if err := s.expect("%"); err != nil {
		return 0, err
	}
	return s.integer()
}

// newNumber reads the number of the next new value.
func (s *lineScanner) newNumber(want int) error {
	start := s.pos
	n, err := s.number()
	if err != nil {
		return err
	}
	if n != want {
		s.pos = start
		return s.errorf("want %%%d, found %%%d: values are numbered in order", want, n)
	}
	return nil
}
