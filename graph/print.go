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
	next   int
}

func newPrinter(p *Program) *printer {
	pr := &printer{names: map[*Graph]string{}}
	taken := map[string]bool{}
	for _, g := range p.Graphs {
		name := g.Name
		for i := 2; taken[name]; i++ {
			name = g.Name + "." + strconv.Itoa(i)
		}
		taken[name] = true
		pr.names[g] = name
	}
	return pr
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
	pr.number, pr.next = map[Value]int{}, 0
	kind := "graph"
	if g.body {
		kind = "body"
	}
	pr.printf("\n%s %s(", kind, quote(pr.names[g]))
	for i, v := range g.Params {
		if i > 0 {
			pr.printf(", ")
		}
		p := v.node.Op.(Param)
		pr.printf("%s", pr.define(v))
		if p.Label != "" {
			pr.printf(" %s", quote(p.Label))
		}
		pr.printf(" %v", v.Type())
		if p.Captured {
			pr.printf(" captured")
		}
	}
	pr.printf(") (")
	for i, t := range g.Out {
		if i > 0 {
			pr.printf(", ")
		}
		pr.printf("%v", t)
	}
	pr.printf(") {\n")
	for _, n := range g.Nodes[len(g.Params):] {
		pr.node(n)
	}
	pr.printf("\treturn%s\n}\n", pr.list(g.Results))
}

func (pr *printer) define(v Value) string {
	pr.number[v] = pr.next
	pr.next++
	return "%" + strconv.Itoa(pr.next-1)
}

func (pr *printer) node(n *Node) {
	pr.printf("\t")
	for i, t := range n.Out {
		if i > 0 {
			pr.printf(", ")
		}
		pr.printf("%s %v", pr.define(n.Result(i)), t)
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
		parts = append(parts, a.Key+"="+formatAttr(a.Value))
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, " ") + "}"
}

func formatAttr(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case []int:
		return strings.ReplaceAll(fmt.Sprint(v), " ", ",")
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
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

// adjoint prints the adjoint of g after numbering g's values as graph does.
func (pr *printer) adjoint(g *Graph) {
	mark := pr.buf.Len()
	pr.graph(g)
	pr.buf.Truncate(mark)
	pr.printf("\nadjoint %s {\n", quote(pr.names[g]))
	for _, s := range g.Adjoint.Steps {
		if c, ok := s.Node.Op.(Invoker); ok {
			pr.reverse(s.Node, c)
			continue
		}
		for _, n := range s.Nodes {
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
