package treepage

import (
	"fmt"
	"math"
)

// Class is how the page shows a class.
type Class struct {
	Name   string `json:"name"` // "" when the number says it all
	Colour string `json:"colour"`
	Ink    string `json:"ink"` // of text on the colour
}

// Numbered returns n classes without names. Neighbours have similar colours, from dark
// to light.
func Numbered(n int) []Class {
	classes := make([]Class, n)
	for i := range classes {
		classes[i] = newClass("", between(sequential, fraction(i, n)))
	}
	return classes
}

// Graded returns classes from one extreme to another, with one colour at each end and
// grey between.
func Graded(names ...string) []Class {
	classes := make([]Class, len(names))
	for i, name := range names {
		classes[i] = newClass(name, between(diverging, fraction(i, len(names))))
	}
	return classes
}

// fraction is where class i of n lies between 0 and 1.
func fraction(i, n int) float64 {
	if n == 1 {
		return 0
	}
	return float64(i) / float64(n-1)
}

// rgb is a colour of the sRGB space, components from 0 to 255.
type rgb [3]float64

// Scales of colours that keep their order for all kinds of colour vision: lightness
// grows along the first; orange and blue, the ends of the second, are not confused.
var (
	sequential = []rgb{{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}
	diverging  = []rgb{{166, 74, 0}, {244, 165, 80}, {222, 222, 222}, {110, 174, 220}, {17, 84, 154}}
)

// between is the colour at x, 0 to 1, of a scale.
func between(scale []rgb, x float64) rgb {
	at := x * float64(len(scale)-1)
	i := min(int(at), len(scale)-2)
	var c rgb
	for k := range c {
		c[k] = scale[i][k] + (at-float64(i))*(scale[i+1][k]-scale[i][k])
	}
	return c
}

func newClass(name string, c rgb) Class {
	ink := "#ffffff"
	if black, white := contrast(c, rgb{}), contrast(c, rgb{255, 255, 255}); black > white {
		ink = "#000000"
	}
	return Class{name, fmt.Sprintf("#%02x%02x%02x", int(c[0]), int(c[1]), int(c[2])), ink}
}

// contrast is the contrast ratio of two colours, 1 to 21, as the Web Content
// Accessibility Guidelines 2 define it.
func contrast(a, b rgb) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

// luminance is the relative luminance, 0 to 1.
func luminance(c rgb) float64 {
	linear := func(x float64) float64 {
		if x /= 255; x > 0.04045 {
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return x / 12.92
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}
