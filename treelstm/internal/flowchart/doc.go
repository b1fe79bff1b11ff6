// Package flowchart draws programs as SVG: a panel for each graph, a box for each node,
// arrows from where a value is computed to where it is used.
//
//	err := flowchart.Write(w, program, flowchart.Options{})
//
// A box says what the printed program (graph.Program.WriteTo) says on its line, with the
// same numbers. Variables and constants, which are used in many places, are named in the
// boxes and have no arrows. Every graph has a colour: a box that invokes it has the mark
// of that colour and leads to its panel when it is clicked.
//
// The drawing needs nothing but a viewer for SVG, such as a browser. A graph too large to
// be legible is an error that wraps layered.ErrTooLarge. Errors of the writer are
// returned as they are.
package flowchart
