package graph

import (
	"fmt"
	"strconv"
	"strings"
)

// heading reads the line that opens a graph.
func (p *parser) heading(s *lineScanner, body bool) error {
	start := s.pos
	name, err := s.name()
	if err != nil {
		return err
	}
	if other := p.graphs[name]; other != nil {
		return s.at(start, fmt.Errorf("%w: graph %s, first on line %d", ErrRedefined, quote(name), other.line))
	}
	g := &parsedGraph{
		Graph:   &Graph{Name: name, Module: p.module, defined: true, body: body},
		line:    s.line,
		inner:   map[Value]Value{},
		invokes: map[*Node]int{},
	}
	if err := p.params(s, g); err != nil {
		return err
	}
	err = s.group("(", ")", func() error {
		t, err := s.typ()
		g.Out = append(g.Out, t)
		return err
	})
	if err != nil {
		return err
	}
	if s.acceptWord("in") {
		parent, err := p.graphName(s)
		if err != nil {
			return err
		}
		g.Parent = parent.Graph
	} else if body {
		return s.unexpected("in and the graph in which the body is written")
	}
	if err := s.expect("{"); err != nil {
		return err
	}
	p.graphs[name] = g
	p.order = append(p.order, g)
	p.module.graphs = append(p.module.graphs, g.Graph)
	return s.end()
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

// body reads the lines of a graph after its heading.
func (p *parser) body(g *parsedGraph) error {
	returned := false
	for line := g.line + 1; ; line++ {
		s := p.scan(line)
		switch {
		case s.atEnd():
		case s.accept("}"):
			if !returned {
				s.pos = 0
				return s.errorf("want return before }")
			}
			return nil
		case returned:
			return s.unexpected("} after return")
		case s.acceptWord("return"):
			vs, err := p.operands(s, g)
			if err != nil {
				return err
			}
			g.Results, returned = vs, true
		default:
			if err := p.node(s, g); err != nil {
				return err
			}
		}
	}
}

// operands reads the operands that end a line.
func (p *parser) operands(s *lineScanner, g *parsedGraph) ([]Value, error) {
	var vs []Value
	for !s.atEnd() {
		if len(vs) > 0 {
			if err := s.expect(","); err != nil {
				return nil, err
			}
		}
		v, err := p.operand(s, g)
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
	}
	return vs, nil
}

func (p *parser) operand(s *lineScanner, g *parsedGraph) (Value, error) {
	start := s.pos
	switch {
	case strings.HasPrefix(s.text[s.pos:], "%"):
		n, err := s.number()
		if err != nil {
			return Value{}, err
		}
		if n >= len(g.values) {
			return Value{}, s.at(start, fmt.Errorf("%w: %%%d is not computed before", ErrUndefined, n))
		}
		return g.values[n], nil
	case s.accept("@"):
		name, err := s.name()
		if err != nil {
			return Value{}, err
		}
		v, ok := p.vars[name]
		if !ok {
			return Value{}, s.at(start, fmt.Errorf("%w: variable %s", ErrUndefined, quote(name)))
		}
		return v, nil
	case s.word() == "":
		return Value{}, s.unexpected("a value, a variable or a constant")
	}
	return p.constant(s)
}

// constant reads a type and the elements in parentheses. Equal constants are one.
func (p *parser) constant(s *lineScanner) (Value, error) {
	start := s.pos
	t, err := s.typ()
	if err != nil {
		return Value{}, err
	}
	length := strings.IndexByte(s.text[s.pos:], ')')
	if !strings.HasPrefix(s.text[s.pos:], "(") || length < 0 {
		return Value{}, s.unexpected("the elements of a constant in parentheses")
	}
	elems := strings.Fields(s.text[s.pos+1 : s.pos+length])
	s.pos += length + 1
	text := s.text[start:s.pos]
	s.space()
	if v, ok := p.consts[text]; ok {
		return v, nil
	}
	c, err := newConst(t, elems)
	if err != nil {
		return Value{}, s.at(start, err)
	}
	v := p.module.tensor(c, len(elems))
	if err := p.mistake(); err != nil {
		return Value{}, s.at(start, err)
	}
	p.consts[text] = v
	return v, nil
}

func newConst(t Type, elems []string) (*Const, error) {
	c := &Const{Type: t}
	for _, e := range elems {
		var err error
		switch t.DType {
		case Float32:
			var f float64
			f, err = strconv.ParseFloat(e, 32)
			c.F = append(c.F, float32(f))
		case Int32:
			var i int64
			i, err = strconv.ParseInt(e, 10, 32)
			c.I = append(c.I, int32(i))
		case Boolean:
			if e != "true" && e != "false" {
				err = strconv.ErrSyntax
			}
			c.I = append(c.I, 0)
			if e == "true" {
				c.I[len(c.I)-1] = 1
			}
		default:
			return nil, fmt.Errorf("%w: a constant of type %v", ErrDType, t)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: element %.40q is no %v", ErrSyntax, e, t.DType)
		}
	}
	return c, nil
}
