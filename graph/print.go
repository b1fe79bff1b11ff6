package graph

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteTo prints the program; Parse reads it back. The text is stable: it
// depends on the program alone.
func (p *Program) WriteTo(w io.Writer) (int64, error) {
	pr := newPrinter(p)
	pr.printf("module %s\n", quote(p.Name))
	for _, v := range p.Variables {
		pr.printf("\nvar @%s %v", quote(v.Name), v.Type)
		if v.Frozen {
			pr.printf(" frozen")
		}
	}
	if len(p.Variables) > 0 {
		pr.printf("\n")
	}
	for _, g := range p.Graphs {
		pr.graph(g)
	}
	return pr.buf.WriteTo(w)
}

// String returns the printed program.
func (p *Program) String() string {
	var b strings.Builder
	p.WriteTo(&b) // a Builder accepts every write
	return b.String()
}

// GradientString prints the adjoints of the program's graphs. In them,
// "accumulate a, b" adds b to the cotangent of a, and "reverse" hands the
// cotangents of an invocation's results to the callee's adjoint, which
// accumulates into the cotangents of the arguments.
func (p *Program) GradientString() string {
	pr := newPrinter(p)
	pr.printf("gradient %s\n", quote(p.Name))
	for _, g := range p.Graphs {
		pr.adjoint(g)
	}
	return pr.buf.String()
}

// printer numbers values per graph and names graphs uniquely.
type printer struct {
	buf    bytes.Buffer
	names  map[*Graph]string
	number map[Value]int
	next   int // number of the next value that an adjoint computes
}

func newPrinter(p *Program) *printer {
	pr := &printer{names: map[*Graph]string{}, number: map[Value]int{}}
	taken := map[string]bool{}
	for _, g := range p.Graphs {
		name := g.Name
		for i := 2; taken[name]; i++ {
			name = g.Name + "." + strconv.Itoa(i)
		}
		taken[name] = true
		pr.names[g] = name
		pr.next = 0
		for _, n := range g.Nodes {
			pr.define(n)
		}
	}
	return pr
}

// define gives the next numbers to the results of n.
func (pr *printer) define(n *Node) {
	for i := range n.Out {
		pr.number[n.Result(i)] = pr.next
		pr.next++
	}
}

func (pr *printer) printf(format string, args ...any) { fmt.Fprintf(&pr.buf, format, args...) }

// quote leaves plain names as they are.
func quote(s string) string {
	plain := s != ""
	for _, r := range s {
		plain = plain && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./-", r))
	}
	if plain {
		return s
	}
	return strconv.Quote(s)
}

func (pr *printer) graph(g *Graph) {
	kind := "graph"
	if g.body {
		kind = "body"
	}
	pr.printf("\n%s %s(", kind, quote(pr.names[g]))
	for i, v := range g.Params {
		if i > 0 {
			pr.printf(", ")
		}
		pr.param(g, i, v)
	}
	pr.printf(") (")
	for i, t := range g.Out {
		if i > 0 {
			pr.printf(", ")
		}
		pr.printf("%v", t)
	}
	pr.printf(")")
	if g.Parent != nil {
		pr.printf(" in %s", quote(pr.names[g.Parent]))
	}
	pr.printf(" {\n")
	for _, n := range g.Nodes[len(g.Params):] {
		pr.node(n)
	}
	pr.printf("\treturn%s\n}\n", pr.list(g.Results))
}

// param prints parameter i of g: number, label, type and, if it is captured,
// which value of which graph it stands for.
func (pr *printer) param(g *Graph, i int, v Value) {
	pr.printf("%s", pr.ref(v))
	if label := v.node.Op.(Param).Label; label != "" {
		pr.printf(" %s", quote(label))
	}
	pr.printf(" %v", v.Type())
	if i >= len(g.In) {
		source := g.Captures[i-len(g.In)]
		pr.printf(" captured %s%s", quote(pr.names[source.Graph()]), pr.ref(source))
	}
}

func (pr *printer) node(n *Node) {
	pr.printf("\t")
	for i, t := range n.Out {
		if i > 0 {
			pr.printf(", ")
		}
		pr.printf("%s %v", pr.ref(n.Result(i)), t)
	}
	if len(n.Out) > 0 {
		pr.printf(" = ")
	}
	pr.printf("%s%s%s\n", n.Op.Name(), pr.attrs(n.Op), pr.list(n.In))
}

func (pr *printer) attrs(op Op) string {
	var parts []string
	if c, ok := op.(Invoker); ok {
		for _, g := range c.Callees() {
			parts = append(parts, "&"+quote(pr.names[g]))
		}
	}
	for _, a := range op.Attrs() {
		parts = append(parts, quote(a.Key)+"="+formatAttr(a.Value))
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, " ") + "}"
}

// formatAttr prints an attribute so that its type can be told from its text:
// 2, 2.0, true, "2", [2,3], ("2","3"), f32, <f32[2 3]>.
func formatAttr(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case []int:
		return strings.ReplaceAll(fmt.Sprint(v), " ", ",")
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = strconv.Quote(s)
		}
		return "(" + strings.Join(quoted, ",") + ")"
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".eIN") { // Inf and NaN are no integers either
			s += ".0"
		}
		return s
	case Type:
		return "<" + v.String() + ">"
	}
	return fmt.Sprint(v)
}

func (pr *printer) list(vs []Value) string {
	var b strings.Builder
	for i, v := range vs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
		b.WriteString(pr.ref(v))
	}
	return b.String()
}

// ref prints a use of a value.
func (pr *printer) ref(v Value) string {
	switch op := v.node.Op.(type) {
	case *Read:
		return "@" + quote(op.Var.Name)
	case *Const:
		return op.String()
	}
	if i, ok := pr.number[v]; ok {
		return "%" + strconv.Itoa(i)
	}
	return "%?"
}

// String prints the type and the elements: i32(0), f32[2](0.5 1).
func (c *Const) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v(", c.Type)
	for i := range max(len(c.F), len(c.I)) {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch c.Type.DType {
		case Float32:
			b.WriteString(strconv.FormatFloat(float64(c.F[i]), 'g', -1, 32))
		case Boolean:
			b.WriteString(strconv.FormatBool(c.I[i] != 0))
		default:
			b.WriteString(strconv.Itoa(int(c.I[i])))
		}
	}
	b.WriteByte(')')
	return b.String()
}

// adjoint prints the adjoint of g, whose values are numbered after g's.
func (pr *printer) adjoint(g *Graph) {
	pr.next = 0
	for _, n := range g.Nodes {
		pr.next += len(n.Out)
	}
	pr.printf("\nadjoint %s {\n", quote(pr.names[g]))
	for _, s := range g.Adjoint.Steps {
		if c, ok := s.Node.Op.(Invoker); ok {
			pr.reverse(s.Node, c)
			continue
		}
		for _, n := range s.Nodes {
			pr.define(n)
			pr.node(n)
		}
		for i, v := range s.Into {
			if !v.IsZero() {
				pr.printf("\taccumulate %s, %s\n", pr.ref(s.Node.In[i]), pr.ref(v))
			}
		}
	}
	pr.printf("}\n")
}

func (pr *printer) reverse(n *Node, c Invoker) {
	results := make([]Value, len(n.Out))
	for i := range results {
		results[i] = n.Result(i)
	}
	pr.printf("\treverse%s%s from%s\n", pr.attrs(c), pr.list(n.In), pr.list(results))
}
