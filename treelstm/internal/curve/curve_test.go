package curve

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// elements counts the elements of a document by name and returns all its texts. It
// fails when the document is not well-formed.
func elements(t *testing.T, svg string) (counts map[string]int, texts string) {
	t.Helper()
	counts = map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return counts, texts
		}
		require.NoError(t, err)
		switch x := token.(type) {
		case xml.StartElement:
			counts[x.Name.Local]++
		case xml.CharData:
			texts += string(x)
		}
	}
}

func TestTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		n         int
		want      string
	}{
		{0, 1, 5, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{0.413, 0.507, 6, "0.40 0.42 0.44 0.46 0.48 0.50 0.52"},
		{1, 10, 8, "0 2 4 6 8 10"},
		{-3, 12.5, 6, "-5 0 5 10 15"},
		{7, 7, 5, "6.0 6.5 7.0 7.5 8.0"},
		{0, 0, 2, "-0.5 0.0 0.5"},
		{1e9, 3e9, 2, "1e+09 2e+09 3e+09"},
		{0, 1e-9, 1, "0 1e-09"},
	} {
		a := newAxis(c.low, c.high, c.n)
		var got []string
		for _, tick := range a.ticks {
			got = append(got, a.label(tick))
		}
		assert.Equal(t, c.want, strings.Join(got, " "), "%v to %v", c.low, c.high)
		assert.LessOrEqual(t, a.min, c.low)
		assert.GreaterOrEqual(t, a.max, c.high)
	}
}

func TestPointsLieWhereTheyShould(t *testing.T) {
	c := Chart{Title: "accuracy", Lines: []Line{{"dev", []float64{0, 5, 10}, []float64{0, 1, 0.25}}}}
	svg := c.SVG()
	for _, p := range [][2]float64{{0, 0}, {0.5, 1}, {1, 0.25}} {
		assert.Contains(t, svg, fmt.Sprintf(`<circle cx="%.1f" cy="%.1f"`, left+p[0]*plotWidth, top+(1-p[1])*plotHeight))
	}
	assert.Contains(t, svg, fmt.Sprintf(`d="M%d.0 %d.0L`, left, top+plotHeight), "the line begins below left")
}

func TestSVG(t *testing.T) {
	c := Chart{
		Title: `<loss> & "more"`, X: "epoch", Y: "loss", WholeX: true,
		Lines: []Line{
			{"train", []float64{1, 2, 3}, []float64{300, 200, 100}},
			{"dev", []float64{1, 2, 3}, []float64{300, math.NaN(), math.Inf(1)}},
			{"none", nil, nil},
		},
	}
	svg := c.SVG()
	counts, texts := elements(t, svg)
	assert.Equal(t, 4, counts["circle"], "a point for every finite value")
	for _, want := range []string{`<loss> & "more"`, "epoch", "train", "dev", "none", "1", "2", "3"} {
		assert.Contains(t, texts, want)
	}
	assert.NotContains(t, texts, "1.5", "there is no half epoch")
	assert.NotContains(t, svg, "NaN")
	assert.NotContains(t, svg, "Inf")
}

func TestNothingToDraw(t *testing.T) {
	for _, c := range []Chart{{}, {Lines: []Line{{"dev", []float64{1}, []float64{math.NaN()}}}}} {
		_, texts := elements(t, c.SVG())
		assert.Contains(t, texts, "no data")
	}
	one := Chart{WholeX: true, Lines: []Line{{"dev", []float64{1}, []float64{0.5}}}}
	counts, texts := elements(t, one.SVG())
	assert.Equal(t, 1, counts["circle"])
	assert.Contains(t, texts, "0.5")
}

func TestStack(t *testing.T) {
	one := &Chart{Title: "one", Lines: []Line{{"dev", []float64{1}, []float64{2}}}}
	two := &Chart{Title: "two"}
	counts, texts := elements(t, Stack(one, two))
	assert.Equal(t, 5, counts["svg"])
	assert.Contains(t, texts, "one")
	assert.Contains(t, texts, "two")
}
