package curve

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Line is a sequence of points.
type Line struct {
	Name string
	X, Y []float64 // as many of one as of the other
}

// Chart is a set of lines with common axes.
type Chart struct {
	Title string
	X, Y  string // what the axes measure
	Lines []Line // the legend has room for four
	// WholeX says that x counts something: ticks are whole numbers.
	WholeX bool
}

// Measures of a chart, in units of its view box.
const (
	width, height = 640, 360
	left, right   = 64, 16 // margins
	top, bottom   = 36, 72
	plotWidth     = width - left - right
	plotHeight    = height - top - bottom
	legendStep    = 150
	ticksX        = 8
	ticksY        = 6
)

// styles tell lines apart: colours that remain different to colour-blind eyes (Okabe and
// Ito), and dashes for print.
var styles = []struct{ colour, dash string }{
	{"#0072b2", ""}, {"#d55e00", "6 3"}, {"#009e73", "2 2"}, {"#cc79a7", "8 3 2 3"}, {"#56b4e9", "1 3"}, {"#e69f00", "10 4"},
}

// SVG returns the chart as an element that can stand in a page or in a file of its own.
func (c *Chart) SVG() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="sans-serif" font-size="12">`+"\n", width, height)
	title := html.EscapeString(c.Title)
	fmt.Fprintf(&b, "<title>%s</title>\n", title)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	text(&b, left, 20, `font-size="14" font-weight="bold"`, c.Title)
	if x, y, ok := c.axes(); ok {
		c.drawAxes(&b, x, y)
		for i, l := range c.Lines {
			drawLine(&b, i, l, x, y)
		}
	} else {
		text(&b, left+plotWidth/2, top+plotHeight/2, `text-anchor="middle"`, "no data")
	}
	c.drawLegend(&b)
	b.WriteString("</svg>\n")
	return b.String()
}

func text(b *strings.Builder, x, y float64, attributes, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="#222" %s>%s</text>`+"\n", x, y, attributes, html.EscapeString(s))
}

func finite(x, y float64) bool {
	return !math.IsNaN(x) && !math.IsInf(x, 0) && !math.IsNaN(y) && !math.IsInf(y, 0)
}

// axes returns axes that hold all points, and whether there is one.
func (c *Chart) axes() (x, y axis, ok bool) {
	lowX, highX, lowY, highY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, l := range c.Lines {
		for i := range l.X {
			if finite(l.X[i], l.Y[i]) {
				ok = true
				lowX, highX = min(lowX, l.X[i]), max(highX, l.X[i])
				lowY, highY = min(lowY, l.Y[i]), max(highY, l.Y[i])
			}
		}
	}
	if !ok {
		return x, y, false
	}
	n := ticksX
	if c.WholeX {
		n = max(1, min(n, int(highX-lowX)))
	}
	return newAxis(lowX, highX, n), newAxis(lowY, highY, ticksY), true
}

func plotX(a axis, x float64) float64 { return left + plotWidth*a.at(x) }
func plotY(a axis, y float64) float64 { return top + plotHeight*(1-a.at(y)) }

func (c *Chart) drawAxes(b *strings.Builder, x, y axis) {
	for _, tick := range y.ticks {
		at := plotY(y, tick)
		fmt.Fprintf(b, `<path d="M%d %.1fh%d" stroke="#ddd"/>`+"\n", left, at, plotWidth)
		text(b, left-6, at+4, `text-anchor="end"`, y.label(tick))
	}
	for _, tick := range x.ticks {
		if c.WholeX && tick != math.Trunc(tick) {
			continue
		}
		at := plotX(x, tick)
		fmt.Fprintf(b, `<path d="M%.1f %dv4" stroke="#222"/>`+"\n", at, top+plotHeight)
		text(b, at, top+plotHeight+18, `text-anchor="middle"`, x.label(tick))
	}
	fmt.Fprintf(b, `<path d="M%d %dv%dh%d" fill="none" stroke="#222"/>`+"\n", left, top, plotHeight, plotWidth)
	text(b, left+plotWidth, top+plotHeight+36, `text-anchor="end"`, c.X)
	text(b, 0, 0, fmt.Sprintf(`text-anchor="middle" transform="translate(14 %d) rotate(-90)"`, top+plotHeight/2), c.Y)
}

// drawLine draws line i: its points, and what connects those next to each other.
func drawLine(b *strings.Builder, i int, l Line, x, y axis) {
	style := styles[i%len(styles)]
	var path strings.Builder
	command := "M"
	for j := range l.X {
		if !finite(l.X[j], l.Y[j]) {
			command = "M"
			continue
		}
		px, py := plotX(x, l.X[j]), plotY(y, l.Y[j])
		fmt.Fprintf(&path, "%s%.1f %.1f", command, px, py)
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"><title>%s</title></circle>`+"\n",
			px, py, style.colour, html.EscapeString(fmt.Sprintf("%s: %.4g at %.6g", l.Name, l.Y[j], l.X[j])))
		command = "L"
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.5" stroke-dasharray="%s"/>`+"\n", path.String(), style.colour, style.dash)
}

func (c *Chart) drawLegend(b *strings.Builder) {
	for i, l := range c.Lines {
		style := styles[i%len(styles)]
		x := float64(left + legendStep*i)
		const y = height - 14
		fmt.Fprintf(b, `<path d="M%.1f %dh28" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`+"\n", x, y-4, style.colour, style.dash)
		text(b, x+34, y, "", l.Name)
	}
}

// Stack returns charts below each other, as one file.
func Stack(charts ...*Chart) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">`+"\n",
		width, height*len(charts), width, height*len(charts))
	for i, c := range charts {
		fmt.Fprintf(&b, `<svg y="%d" width="%d" height="%d">`+"\n%s</svg>\n", i*height, width, height, c.SVG())
	}
	b.WriteString("</svg>\n")
	return b.String()
}
