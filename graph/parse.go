package graph

import (
	"errors"
	"fmt"
	"io"
)

// ErrSyntax is wrapped by errors about text that is no printed program.
var ErrSyntax = errors.New("syntax error")

// MaxProgramSize is the number of bytes of the longest text that Parse accepts.
const MaxProgramSize = 8 << 20

// Registry makes operators from their printed names, attributes and the graphs
// that they invoke. Its functions check what they are given.
type Registry map[string]func(attrs []Attr, callees []*Graph) (Op, error)

// ParseError is a mistake in the text of a program.
type ParseError struct {
	Line, Column int // from 1; the column counts bytes
	Err          error
}

// Error returns "line:column: what went wrong".
func (e *ParseError) Error() string { return fmt.Sprintf("%d:%d: %v", e.Line, e.Column, e.Err) }

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }

// Parse reads a program in the form in which WriteTo prints it, checks it and
// derives its adjoints. Variables start with zeros, and nodes have no position.
// The first mistake is returned as a [*ParseError].
//
// The text consists of lines; blank ones do not matter:
//
//	module NAME
//	var @NAME TYPE [frozen]
//	graph NAME(%0 [LABEL] TYPE [captured GRAPH%N], ...) (TYPE, ...) [in GRAPH] {
//		%1 TYPE, %2 TYPE = OPERATOR{&GRAPH KEY=VALUE ...} OPERAND, ...
//		OPERATOR{KEY=VALUE} OPERAND, ...
//		return OPERAND, ...
//	}
//
// A body is a graph that begins with the word body. An operand is %N, a value of
// the same graph; @NAME, a variable; or a constant, such as f32[2](0.5 -1). The
// values of a graph are numbered from 0 in the order of the text. Names are
// letters, digits and _./- or quoted as in Go. Attributes are 2, 2.0, true, "2",
// [2,3], ("2","3"), f32 and <f32[2 3]>.
func Parse(r io.Reader, registry Registry) (*Program, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxProgramSize+1))
	if err != nil {
		return nil, fmt.Errorf("reading a program: %w", err)
	}
	if len(text) > MaxProgramSize {
		return nil, fmt.Errorf("%w: the program is longer than %d bytes", ErrSyntax, MaxProgramSize)
	}
	p := &parser{
		registry: registry,
		vars:     map[string]Value{},
		consts:   map[string]Value{},
		graphs:   map[string]*parsedGraph{},
	}
	if err := p.declarations(&lineReader{rest: string(text)}); err != nil {
		return nil, err
	}
	for _, pass := range []func(*parsedGraph) error{p.nodes, p.captured, p.invocations} {
		for _, g := range p.order {
			if err := pass(g); err != nil {
				return nil, err
			}
		}
	}
	return p.program()
}

// parser holds what is known of a program. The first pass reads declarations, so
// that the second knows every graph that bodies invoke.
type parser struct {
	registry Registry
	module   *Module
	vars     map[string]Value
	consts   map[string]Value // by their text
	graphs   map[string]*parsedGraph
	order    []*parsedGraph
}

// parsedGraph is a graph with what is needed until all of it is read.
type parsedGraph struct {
	*Graph
	line     int        // of the heading
	body     lineReader // what follows the heading
	values   []Value
	captures []capture
	inner    map[Value]Value // captured values: the parameters that stand for them
	invokes  map[*Node]int   // the line of each invocation
}

// capture names the value that a captured parameter stands for.
type capture struct {
	graph  *parsedGraph
	number int
	column int
}

// program finishes what was read.
func (p *parser) program() (*Program, error) {
	m := p.module
	prog := &Program{Name: m.Name, Graphs: m.graphs, Variables: m.vars}
	if err := prog.finish(m); err != nil {
		return nil, err
	}
	m.built = true
	return prog, nil
}

// declarations reads everything but the bodies of graphs.
func (p *parser) declarations(r *lineReader) error {
	var open *parsedGraph // the graph whose body is passed over
	for {
		s, ok := r.next()
		if !ok {
			break
		}
		var err error
		switch {
		case open != nil:
			if s.accept("}") {
				open, err = nil, s.end()
			}
		case p.module == nil:
			err = p.moduleLine(s)
		default:
			if open, err = p.declaration(s); open != nil {
				open.body = *r
			}
		}
		if err != nil {
			return err
		}
	}
	end := &lineScanner{line: max(1, r.line)} // the last line
	if p.module == nil {
		return end.errorf("want module, found the end of the text")
	}
	if open != nil {
		return end.errorf("want }, found the end of the text")
	}
	return nil
}

func (p *parser) moduleLine(s *lineScanner) error {
	if !s.acceptWord("module") {
		return s.unexpected("module")
	}
	name, err := s.name()
	if err != nil {
		return err
	}
	p.module = NewModule(name)
	return s.end()
}

// declaration reads a variable or the heading of a graph, which it returns.
func (p *parser) declaration(s *lineScanner) (*parsedGraph, error) {
	switch {
	case s.acceptWord("var"):
		return nil, p.variable(s)
	case s.acceptWord("graph"):
		return p.heading(s, false)
	case s.acceptWord("body"):
		return p.heading(s, true)
	}
	return nil, s.unexpected("var, graph or body")
}

func (p *parser) variable(s *lineScanner) error {
	if err := s.expect("@"); err != nil {
		return err
	}
	start := s.pos
	name, err := s.name()
	if err != nil {
		return err
	}
	t, err := s.typ()
	if err != nil {
		return err
	}
	v := p.module.Var(name, Spec(t), Zeros())
	if err := p.mistake(); err != nil {
		return s.at(start, err)
	}
	v.Variable().Frozen = s.acceptWord("frozen")
	p.vars[name] = v
	return s.end()
}

// mistake returns the cause of a mistake that the module has recorded.
func (p *parser) mistake() error {
	if errs := p.module.errs; len(errs) > 0 {
		return errors.Unwrap(errs[0])
	}
	return nil
}
