package graph_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func ExampleProgram_WriteDOT() {
	power().WriteDOT(os.Stdout)
	// Output:
	// digraph "power" {
	//	compound=true
	//	node [shape=box, fontname=monospace]
	//	v0 [shape=cylinder, label="@scale\nf32"]
	//	subgraph cluster0 {
	//		label="main"
	//		g0 [shape=point]
	//		g0n0 [label="param X\n%0 f32[3]"]
	//		g0n1 [label="param N\n%1 i32"]
	//		g0n2 [label="invoke\n%2 f32[3]"]
	//		g0n3 [label="mul\n%3 f32[3]"]
	//		g0r [shape=ellipse, label=return]
	//	}
	//	g0n1 -> g0n2 [headlabel=0]
	//	g0n0 -> g0n2 [headlabel=1]
	//	g0n2 -> g0n3 [headlabel=0]
	//	v0 -> g0n3 [headlabel=1]
	//	g0n3 -> g0r
	//	subgraph cluster1 {
	//		label="pow"
	//		g1 [shape=point]
	//		g1n0 [label="param\n%0 i32"]
	//		g1n1 [label="param X\n%1 f32[3]"]
	//		g1n2 [label="equal\n%2 bool"]
	//		g1n2c1 [shape=plaintext, label="i32(0)"]
	//		g1n3 [label="select\n%3 f32[3]"]
	//		g1r [shape=ellipse, label=return]
	//	}
	//	g1n0 -> g1n2 [headlabel=0]
	//	g1n2c1 -> g1n2 [headlabel=1]
	//	g1n2 -> g1n3 [headlabel=0]
	//	g1n0 -> g1n3 [headlabel=1]
	//	g1n1 -> g1n3 [headlabel=2]
	//	g1n3 -> g1r
	//	subgraph cluster2 {
	//		label="pow.then"
	//		style=dotted
	//		g2 [shape=point]
	//		g2n0 [label="param\n%0 i32"]
	//		g2n1 [label="param X\n%1 f32[3]"]
	//		g2r [shape=ellipse, label=return]
	//		g2rc0 [shape=plaintext, label="f32[3](1 1 1)"]
	//	}
	//	g2rc0 -> g2r
	//	subgraph cluster3 {
	//		label="pow.else"
	//		style=dotted
	//		g3 [shape=point]
	//		g3n0 [label="param\n%0 i32"]
	//		g3n1 [label="param X\n%1 f32[3]"]
	//		g3n2 [label="sub\n%2 i32"]
	//		g3n2c1 [shape=plaintext, label="i32(1)"]
	//		g3n3 [label="invoke\n%3 f32[3]"]
	//		g3n4 [label="mul\n%4 f32[3]"]
	//		g3r [shape=ellipse, label=return]
	//	}
	//	g3n0 -> g3n2 [headlabel=0]
	//	g3n2c1 -> g3n2 [headlabel=1]
	//	g3n2 -> g3n3 [headlabel=0]
	//	g3n1 -> g3n3 [headlabel=1]
	//	g3n1 -> g3n4 [headlabel=0]
	//	g3n3 -> g3n4 [headlabel=1]
	//	g3n4 -> g3r
	//	g0n2 -> g1 [style=dashed, lhead=cluster1]
	//	g1n3 -> g2 [style=dashed, lhead=cluster2]
	//	g1n3 -> g3 [style=dashed, lhead=cluster3]
	//	g3n3 -> g1 [style=dashed, lhead=cluster1]
	// }
}

// Every node that an arrow mentions is drawn, inside balanced braces, and every
// string ends on its line.
func TestDOTIsWellFormed(t *testing.T) {
	node := regexp.MustCompile(`^\t*(\w+) \[(?:shape=|label=)`)
	edge := regexp.MustCompile(`^\t(\w+) -> (\w+)(?: \[.*\])?$`)
	cluster := regexp.MustCompile(`lhead=(cluster\d+)`)
	for name, add := range programs {
		t.Run(name, func(t *testing.T) {
			p := build(t, add)
			var b strings.Builder
			require.NoError(t, p.WriteDOT(&b))
			drawn := map[string]bool{}
			edges, depth := 0, 0
			for line := range strings.Lines(b.String()) {
				line = strings.TrimSuffix(line, "\n")
				if m := node.FindStringSubmatch(line); m != nil {
					assert.False(t, drawn[m[1]], "%s is drawn twice", m[1])
					drawn[m[1]] = true
				}
				plain := strings.ReplaceAll(line, `\\`, "")
				assert.Zero(t, strings.Count(strings.ReplaceAll(plain, `\"`, ""), `"`)%2, line)
				if strings.HasSuffix(line, "{") {
					depth++
				}
				if strings.HasSuffix(line, "}") {
					depth--
				}
			}
			assert.Zero(t, depth)
			for line := range strings.Lines(b.String()) {
				if m := edge.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
					edges++
					assert.True(t, drawn[m[1]] && drawn[m[2]], line)
				}
				if m := cluster.FindStringSubmatch(line); m != nil {
					assert.Contains(t, b.String(), "subgraph "+m[1]+" {")
				}
			}
			operands := 0
			for _, g := range p.Graphs {
				operands += len(g.Results)
				for _, n := range g.Nodes {
					operands += len(n.In)
				}
			}
			assert.Equal(t, operands+strings.Count(b.String(), "style=dashed"), edges)
		})
	}
}
