package graph_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/recursion"
)

func TestParseReadsWhatIsPrinted(t *testing.T) {
	for name, add := range programs {
		t.Run(name, func(t *testing.T) {
			p := build(t, add)
			text := p.String()
			again, err := graph.Parse(strings.NewReader(text), recursion.Registry())
			require.NoError(t, err)
			assert.Equal(t, text, again.String())
			assert.Equal(t, p.GradientString(), again.GradientString())
			assert.Equal(t, len(p.Entries()), len(again.Entries()))
			for i, v := range again.Variables {
				assert.Equal(t, p.Variables[i].Frozen, v.Frozen)
				for _, x := range v.InitialValue(1) {
					require.Zero(t, x)
				}
			}
			for i, g := range again.Graphs {
				assert.Equal(t, p.Graphs[i].IsBody(), g.IsBody())
				assert.Len(t, g.Captures, len(p.Graphs[i].Captures))
			}
		})
	}
}

func TestParseIgnoresBlanks(t *testing.T) {
	p := power()
	loose := strings.NewReplacer("\n", " \r\n\n\t", ",", " , ", "{&", "{ & ", " = ", "=", "(", "( ").Replace(p.String())
	again, err := graph.Parse(strings.NewReader(loose), recursion.Registry())
	require.NoError(t, err)
	assert.Equal(t, p.String(), again.String())
}

// program puts the lines of a body into a graph with a float, a list and an integer.
func program(body string) string {
	return "module m\nvar @w f32[2]\ngraph g(%0 f32[2], %1 xs f32[? 2], %2 i32) (f32[2]) {\n" + body + "}\n"
}

func TestParseTellsWhereAMistakeIs(t *testing.T) {
	const ret = "\treturn %0\n"
	for name, c := range map[string]struct {
		text, want string
		is         error
	}{
		"empty":               {"", "1:1: syntax error: want module, found the end of the text", graph.ErrSyntax},
		"no module":           {"\n\n var @w f32\n", `3:2: syntax error: want module, found "var"`, graph.ErrSyntax},
		"words after":         {"module a b\n", `1:10: syntax error: want the end of the line, found "b"`, graph.ErrSyntax},
		"bad quotes":          {"module \"a\n", `1:8: syntax error: want a quoted string, found "\""`, graph.ErrSyntax},
		"declaration":         {"module m\nwhat\n", `2:1: syntax error: want var, graph or body, found "what"`, graph.ErrSyntax},
		"variable":            {"module m\nvar w f32\n", `2:5: syntax error: want @, found "w"`, graph.ErrSyntax},
		"variable's type":     {"module m\nvar @w f33\n", `2:8: syntax error: type "f33"`, graph.ErrSyntax},
		"integer variable":    {"module m\nvar @w i32\n", `2:6: element type error: got i32`, graph.ErrDType},
		"variable twice":      {"module m\nvar @w f32\nvar @w f32\n", `3:6: defined twice`, graph.ErrRedefined},
		"huge type":           {"module m\nvar @w f32[99999 99999 99999]\n", "2:8: syntax error: shape error: f32[99999 99999 99999] has too many elements", graph.ErrShape},
		"overflow":            {"module m\nvar @w f32[4294967296 4294967296 4294967296 4294967296]\n", "has too many elements", graph.ErrShape},
		"graph twice":         {program(ret) + "graph g() () {\n\treturn\n}\n", "6:7: defined twice: graph g, first on line 3", graph.ErrRedefined},
		"body at the top":     {"module m\nbody b() () {\n", "2:13: syntax error: want in and the graph", graph.ErrSyntax},
		"unknown parent":      {"module m\nbody b() () in a {\n", "2:16: undefined: graph a", graph.ErrUndefined},
		"own parent":          {"module m\nbody b() () in b {\n", "2:16: undefined: graph b", graph.ErrUndefined},
		"parameters":          {"module m\ngraph g(%1 f32) () {\n", "2:9: syntax error: want %0, found %1: values are numbered in order", graph.ErrSyntax},
		"unclosed":            {"module m\ngraph g() () {\n\treturn\n", "3:1: syntax error: want }, found the end of the text", graph.ErrSyntax},
		"no return":           {"module m\ngraph g() () {\n}\n", "3:1: syntax error: want return before }", graph.ErrSyntax},
		"after return":        {program(ret + ret), `5:2: syntax error: want } after return, found "return"`, graph.ErrSyntax},
		"numbering":           {program("\t%4 f32[2] = tanh %0\n" + ret), "4:2: syntax error: want %3, found %4", graph.ErrSyntax},
		"huge number":         {program("\t%99999999999999999999 f32[2] = tanh %0\n" + ret), "4:3: syntax error: want a number", graph.ErrSyntax},
		"later value":         {program("\t%3 f32[2] = tanh %3\n" + ret), "4:19: undefined: %3 is not computed before", graph.ErrUndefined},
		"unknown variable":    {program("\t%3 f32[2] = tanh @v\n" + ret), "4:19: undefined: variable v", graph.ErrUndefined},
		"operand":             {program("\t%3 f32[2] = tanh &w\n" + ret), `4:19: syntax error: want a value, a variable or a constant, found "&"`, graph.ErrSyntax},
		"unknown operator":    {program("\t%3 f32[2] = shine %0\n" + ret), "4:14: undefined: operator shine", graph.ErrUndefined},
		"unknown graph":       {program("\t%3 f32[2] = invoke{&h} %0\n" + ret), "4:22: undefined: graph h", graph.ErrUndefined},
		"no graph":            {program("\t%3 f32[2] = invoke %0\n" + ret), "4:14: invalid program: invoke of 0 graphs", graph.ErrInvalid},
		"graph for tanh":      {program("\t%3 f32[2] = tanh{&g} %0\n" + ret), "4:14: invalid program: tanh invokes no graph", graph.ErrInvalid},
		"attribute":           {program("\t%3 f32[2] = tanh{a=1} %0\n" + ret), `4:14: invalid program: tanh has no attribute "a"`, graph.ErrInvalid},
		"attribute's value":   {program("\t%3 f32[2] = tanh{a=x} %0\n" + ret), `4:21: syntax error: want the value of an attribute, found "x"`, graph.ErrSyntax},
		"attribute list":      {program("\t%3 f32[2] = sum{axes=[0,x] keep=false} %0\n" + ret), `4:26: syntax error: want an integer, found "x"`, graph.ErrSyntax},
		"unclosed braces":     {program("\t%3 f32[2] = tanh{\n" + ret), "4:19: syntax error: want a name, found the end of the line", graph.ErrSyntax},
		"shapes":              {program("\t%3 f32[2] = add %0, f32[3](1 2 3)\n" + ret), "4:14: shape error", graph.ErrShape},
		"result type":         {program("\t%3 f32[3] = tanh %0\n" + ret), "4:14: shape error: the results of tanh are [f32[2]], not [f32[3]]", graph.ErrShape},
		"no result":           {program("\ttanh %0\n" + ret), "4:2: shape error: the results of tanh are [f32[2]], not []", graph.ErrShape},
		"result of a sink":    {program("\t%3 f32 = loss f32(1)\n" + ret), "4:11: shape error: the results of loss are [], not [f32]", graph.ErrShape},
		"no operand":          {program("\t%3 f32[2] = tanh\n" + ret), "4:14: ", nil},
		"no selector":         {program("\t%3 f32[2] = select{&g}\n" + ret), "4:14: ", nil},
		"constant":            {program("\t%3 f32[2] = tanh f32[2](1)\n" + ret), "4:19: shape error: 1 elements for f32[2]", graph.ErrShape},
		"constant's elements": {program("\t%3 i32 = neg i32(1.5)\n" + ret), `4:15: syntax error: element "1.5" is no i32`, graph.ErrSyntax},
		"big integer":         {program("\t%3 i32 = neg i32(2147483648)\n" + ret), `element "2147483648" is no i32`, graph.ErrSyntax},
		"truth value":         {program("\t%3 bool = not bool(1)\n" + ret), `element "1" is no bool`, graph.ErrSyntax},
		"f64 constant":        {program("\t%3 f64 = neg f64(1)\n" + ret), "4:15: element type error: a constant of type f64", graph.ErrDType},
		"endless constant":    {program("\t%3 f32 = neg f32(1\n" + ret), "want the elements of a constant in parentheses", graph.ErrSyntax},
		"returned type":       {program("\treturn %2\n"), "invalid program: result 0 of g is i32, declared f32[2]", graph.ErrInvalid},
		"returned number":     {program("\treturn\n"), "g returns 0 results for 1 declared", graph.ErrInvalid},
		"map over too much":   {program("\t%3 f32[? 2] = map{&g lists=4} %1, %0, %0\n" + ret), "map over 4 lists, g has 3 inputs", graph.ErrInvalid},
		"map over nothing":    {program("\t%3 f32[? 2] = map{&g lists=0} %0, %1, %2\n" + ret), "map over 0 lists", graph.ErrInvalid},
		"arguments":           {program("\t%3 f32[2] = invoke{&g} %0\n" + ret), "g takes 3 inputs, got 1", graph.ErrShape},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := graph.Parse(strings.NewReader(c.text), recursion.Registry())
			require.ErrorContains(t, err, c.want)
			assert.Nil(t, p)
			if c.is != nil {
				assert.ErrorIs(t, err, c.is)
			}
		})
	}
}

// Build makes sure of what captured parameters mean; text may claim anything.
func TestParseChecksCaptures(t *testing.T) {
	text := func(captured, body, invocation string) string {
		return "module m\ngraph g(%0 f32, %1 f32, %2 bool) (f32) {\n" + invocation + "\treturn %3\n}\n" +
			"body b(%0 f32 captured " + captured + ") (f32) in " + body + " {\n\treturn %0\n}\n" +
			"graph other(%0 bool, %1 f32) (f32) {\n\treturn %1\n}\n"
	}
	good := text("g%0", "g", "\t%3 f32 = select{&b &b} %2, %0\n")
	_, err := graph.Parse(strings.NewReader(good), recursion.Registry())
	require.NoError(t, err)
	for name, c := range map[string]struct {
		text, want string
		is         error
	}{
		"other argument":  {text("g%0", "g", "\t%3 f32 = select{&b &b} %2, %1\n"), "3:1: value out of scope: argument 0 of b is not the captured value", graph.ErrScope},
		"no such value":   {text("g%9", "g", "\t%3 f32 = select{&b &b} %2, %0\n"), "6:15: undefined: g has no value %9", graph.ErrUndefined},
		"other type":      {text("g%2", "g", "\t%3 f32 = select{&b &b} %2, %0\n"), "6:15: shape error: the parameter is f32, the captured value bool", graph.ErrShape},
		"itself":          {"module m\ngraph g() () {\n\treturn\n}\ngraph b(%0 f32 captured b%0) () in g {\n\treturn\n}\n", "5:25: undefined: graph b", graph.ErrUndefined},
		"not enclosing":   {"module m\ngraph g(%0 f32) () {\n\treturn\n}\ngraph b(%0 f32 captured g%0) () {\n\treturn\n}\n", "5:16: value out of scope: b is not written inside g", graph.ErrScope},
		"twice":           {"module m\ngraph g(%0 f32) () {\n\treturn\n}\ngraph b(%0 f32 captured g%0, %1 f32 captured g%0) () in g {\n\treturn\n}\n", "5:37: defined twice: the value is captured twice", graph.ErrRedefined},
		"before others":   {"module m\ngraph g(%0 f32) () {\n\treturn\n}\ngraph b(%0 f32 captured g%0, %1 f32) () in g {\n\treturn\n}\n", "5:30: syntax error: a parameter that is not captured follows one that is", graph.ErrSyntax},
		"captured again":  {"module m\ngraph g(%0 f32) () {\n\treturn\n}\ngraph b(%0 f32 captured g%0) () in g {\n\treturn\n}\ngraph c(%0 f32 captured b%0) () in b {\n\treturn\n}\n", "8:16: value out of scope: the value is itself captured", graph.ErrScope},
		"without it":      {"module m\ngraph g(%0 f32) () {\n\tinvoke{&b}\n\treturn\n}\ngraph b(%0 f32 captured g%0) () in g {\n\treturn\n}\n", "3:1: shape error: b takes 1 arguments with captured values, got 0", graph.ErrShape},
		"body of another": {"module m\ngraph g() () {\n\treturn\n}\nbody b() () in g {\n\treturn\n}\ngraph h() () {\n\tinvoke{&b}\n\treturn\n}\n", "9:1: value out of scope: body b is invoked in h, not where it is written", graph.ErrScope},
		"body of itself":  {"module m\ngraph g() () {\n\tinvoke{&b}\n\treturn\n}\nbody b() () in g {\n\tinvoke{&b}\n\treturn\n}\n", "7:1: value out of scope: body b is invoked in b", graph.ErrScope},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := graph.Parse(strings.NewReader(c.text), recursion.Registry())
			require.ErrorContains(t, err, c.want)
			assert.ErrorIs(t, err, c.is)
			var mistake *graph.ParseError
			require.ErrorAs(t, err, &mistake)
			assert.Positive(t, mistake.Line)
		})
	}
}

func TestParseReturnsReadErrors(t *testing.T) {
	broken := errors.New("broken")
	_, err := graph.Parse(iotest.ErrReader(broken), recursion.Registry())
	assert.ErrorIs(t, err, broken)
}

// blanks is a text without end.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestParseRefusesTextWithoutEnd(t *testing.T) {
	_, err := graph.Parse(blanks{}, recursion.Registry())
	require.ErrorIs(t, err, graph.ErrSyntax)
	assert.ErrorContains(t, err, "longer than")
}

// Shape rules of operators that others add may trust the functions that apply
// them; texts do not go through those.
type trusting struct{}

func (trusting) Name() string                                { return "trusting" }
func (trusting) Attrs() []graph.Attr                         { return nil }
func (trusting) Infer(in []graph.Type) ([]graph.Type, error) { return in[1:2], nil }

func TestParseSurvivesTrustingOperators(t *testing.T) {
	registry := graph.Registry{"trusting": func([]graph.Attr, []*graph.Graph) (graph.Op, error) { return trusting{}, nil }}
	_, err := graph.Parse(strings.NewReader("module m\ngraph g(%0 f32) () {\n\t%1 f32 = trusting %0\n\treturn\n}\n"), registry)
	require.ErrorIs(t, err, graph.ErrInvalid)
	assert.ErrorContains(t, err, "3:11: invalid program: trusting cannot be applied to [f32]")
}

// Whatever is accepted is well formed and prints as a text that means the same.
func FuzzParse(f *testing.F) {
	for _, add := range programs {
		f.Add(build(f, add).String())
	}
	f.Add(program("\t%3 f32[2] = add %0, f32[2](0.5 NaN)\n\treturn %3\n"))
	f.Add("module m\ngraph g() () {\n\treturn\nend")
	f.Add("module m\ngraph g(%0 f32 f32 captured g%0) () in g {\n\treturn\n}\n")
	registry := recursion.Registry()
	f.Fuzz(func(t *testing.T, text string) {
		p, err := graph.Parse(strings.NewReader(text), registry)
		if err != nil {
			require.Nil(t, p)
			var mistake *graph.ParseError
			if errors.As(err, &mistake) {
				lines := strings.Split(text, "\n")
				require.Positive(t, mistake.Line)
				require.LessOrEqual(t, mistake.Line, len(lines))
				require.Positive(t, mistake.Column)
				require.LessOrEqual(t, mistake.Column, len(lines[mistake.Line-1])+1)
			}
			return
		}
		require.NoError(t, p.Verify())
		printed := p.String()
		again, err := graph.Parse(strings.NewReader(printed), registry)
		require.NoError(t, err, "%s", printed)
		require.Equal(t, printed, again.String())
		require.Equal(t, p.GradientString(), again.GradientString())
	})
}
