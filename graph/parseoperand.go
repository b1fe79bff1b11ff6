package graph

import (
	"fmt"
	"strconv"
	"strings"
)

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
