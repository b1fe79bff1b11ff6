package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// nodes reads the lines of a graph after its heading.
func (p *parser) nodes(g *parsedGraph) error {
	returned := false
	for {
		s, ok := g.body.next()
		if !ok {
			return nil // the first pass has seen the closing brace
		}
		switch {
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

// node reads a line that applies an operator.
func (p *parser) node(s *lineScanner, g *parsedGraph) error {
	out, err := s.resultTypes(len(g.values))
	if err != nil {
		return err
	}
	start := s.pos
	op, err := p.operator(s)
	if err != nil {
		return err
	}
	in, err := p.operands(s, g)
	if err != nil {
		return err
	}
	types := make([]Type, len(in))
	for i, v := range in {
		types[i] = v.Type()
	}
	inferred, err := infer(op, types)
	if err != nil {
		return s.at(start, err)
	}
	if !slices.EqualFunc(out, inferred, Type.Equal) {
		return s.at(start, fmt.Errorf("%w: the results of %s are %v, not %v", ErrShape, op.Name(), inferred, out))
	}
	n := g.add(op, in, out, Pos{})
	for i := range out {
		g.values = append(g.values, n.Result(i))
	}
	if _, ok := op.(Invoker); ok {
		g.invokes[n] = s.line
	}
	return nil
}

// resultTypes reads the results of a node: their numbers, from next, and types.
func (s *lineScanner) resultTypes(next int) ([]Type, error) {
	var out []Type
	for strings.HasPrefix(s.text[s.pos:], "%") {
		if err := s.newNumber(next + len(out)); err != nil {
			return nil, err
		}
		t, err := s.typ()
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		if s.accept("=") {
			return out, nil
		}
		if err := s.expect(","); err != nil {
			return nil, err
		}
	}
	if len(out) > 0 {
		return nil, s.unexpected("a result")
	}
	return nil, nil
}

// operator reads the name of an operator, the graphs that it invokes and its
// attributes.
func (p *parser) operator(s *lineScanner) (Op, error) {
	start := s.pos
	name, err := s.name()
	if err != nil {
		return nil, err
	}
	var attrs []Attr
	var callees []*Graph
	if s.accept("{") {
		for !s.accept("}") {
			if s.accept("&") {
				g, err := p.graphName(s)
				if err != nil {
					return nil, err
				}
				callees = append(callees, g.Graph)
				continue
			}
			a, err := s.attr()
			if err != nil {
				return nil, err
			}
			attrs = append(attrs, a)
		}
	}
	make, ok := p.registry[name]
	if !ok {
		return nil, s.at(start, fmt.Errorf("%w: operator %s", ErrUndefined, quote(name)))
	}
	op, err := make(attrs, callees)
	if err != nil {
		return nil, s.at(start, err)
	}
	return op, nil
}

// attr reads an attribute, KEY=VALUE.
func (s *lineScanner) attr() (Attr, error) {
	key, err := s.name()
	if err != nil {
		return Attr{}, err
	}
	if err := s.expect("="); err != nil {
		return Attr{}, err
	}
	value, err := s.attrValue()
	return Attr{Key: key, Value: value}, err
}

// attrValue reads what formatAttr prints.
func (s *lineScanner) attrValue() (any, error) {
	switch {
	case strings.HasPrefix(s.text[s.pos:], `"`):
		return s.quoted()
	case strings.HasPrefix(s.text[s.pos:], "["):
		ints := []int{}
		err := s.group("[", "]", func() error {
			start := s.pos
			i, ok := s.plainValue().(int)
			if !ok {
				s.pos = start
				return s.unexpected("an integer")
			}
			ints = append(ints, i)
			return nil
		})
		return ints, err
	case strings.HasPrefix(s.text[s.pos:], "("):
		words := []string{}
		err := s.group("(", ")", func() error {
			w, err := s.quoted()
			words = append(words, w)
			return err
		})
		return words, err
	case s.accept("<"):
		t, err := s.typ()
		if err != nil {
			return nil, err
		}
		return t, s.expect(">")
	}
	start := s.pos
	v := s.plainValue()
	if v == nil {
		s.pos = start
		return nil, s.unexpected("the value of an attribute")
	}
	return v, nil
}

// plainValue reads a truth value, an element type, an integer or a float; it
// returns nil for anything else.
func (s *lineScanner) plainValue() any {
	n := strings.IndexAny(s.text[s.pos:], " \t\r,]}")
	if n < 0 {
		return nil
	}
	text := s.text[s.pos : s.pos+n]
	s.accept(text)
	if text == "true" || text == "false" {
		return text == "true"
	}
	if d, ok := parseDType(text); ok {
		return d
	}
	if i, err := strconv.Atoi(text); err == nil {
		return i
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return f
	}
	return nil
}

func parseDType(name string) (DType, bool) {
	i := slices.Index(dtypeNames[:], name)
	return DType(i), i > 0
}
