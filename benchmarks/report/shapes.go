package report

import (
	"fmt"
	"slices"
	"strings"
)

// shapeNames are trees of equal size that differ in how many nodes can be done at
// the same time.
var shapeNames = []string{"balanced", "moderate", "linear"}

// Sensitivity is how fast contenders are with trees of different shapes, all else
// being equal.
type Sensitivity struct {
	Mode, Contender string
	Batch           int
	PerSecond       map[string]float64 // by the name of the shape
}

// Sensitivities returns those of the races with one worker in the given sizes, for
// the contenders that ran with all shapes.
func (r *Report) Sensitivities(embed, hidden int) []Sensitivity {
	var all []Sensitivity
	for i := range r.Races {
		c := &r.Races[i]
		if c.Field != "" || c.Workers != 1 || c.Embed != embed || c.Hidden != hidden || !slices.Contains(shapeNames, c.Trees) {
			continue
		}
		for _, q := range c.Results {
			at := slices.IndexFunc(all, func(s Sensitivity) bool {
				return s.Mode == c.Mode && s.Batch == c.Batch && s.Contender == q.Contender
			})
			if at < 0 {
				at = len(all)
				all = append(all, Sensitivity{c.Mode, q.Contender, c.Batch, map[string]float64{}})
			}
			all[at].PerSecond[c.Trees] = q.PerSecond.Median
		}
	}
	return slices.DeleteFunc(all, func(s Sensitivity) bool { return len(s.PerSecond) < len(shapeNames) })
}

func (r *Report) shapes(b *strings.Builder) {
	all := r.Sensitivities(300, 150)
	if len(all) == 0 {
		return
	}
	b.WriteString("## Shapes of trees\n\nSentences per second with trees of 32 leaves, one worker, sizes 300/150; in brackets the speed relative to linear trees.\n\n" +
		"| mode | batch | contender | balanced | moderate | linear |\n|---|---|---|---|---|---|\n")
	for _, s := range all {
		fmt.Fprintf(b, "| %s | %d | %s |", s.Mode, s.Batch, s.Contender)
		for _, name := range shapeNames {
			fmt.Fprintf(b, " %.0f (%.2f) |", s.PerSecond[name], s.PerSecond[name]/s.PerSecond["linear"])
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}
