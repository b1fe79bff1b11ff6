package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/models"
)

var small = config{examples: 1500, test: 100, maxDepth: 2, maxLength: 10, hidden: 32, track: 16, epochs: 3, rate: 0.005, seed: 1}

// figures reads the shares of a line that the program prints.
func figures(t *testing.T, line string) (transitions, trees, values float64) {
	t.Helper()
	_, rest, ok := strings.Cut(line, "transitions")
	require.True(t, ok, line)
	_, err := fmt.Sscanf(rest, "%f %%, trees %f %%, values %f %%", &transitions, &trees, &values)
	require.NoError(t, err, line)
	return transitions, trees, values
}

func TestItLearnsToParse(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), &out, small))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, small.epochs+3, out.String())
	_, treesBefore, valuesBefore := figures(t, lines[0])
	transitions, trees, values := figures(t, lines[small.epochs])
	assert.Less(t, treesBefore, 30.0, out.String())
	assert.Greater(t, transitions, 99.0, out.String())
	assert.Greater(t, trees, 95.0, out.String())
	assert.Greater(t, values, valuesBefore+20, out.String())
	_, trees, _ = figures(t, lines[small.epochs+1])
	assert.Greater(t, trees, 50.0, "longer than those to train with\n%s", out.String())
	assert.Regexp(t, `^\(\(.*\[[A-Z]+.* \]\) = \d$`, lines[len(lines)-1])

	again := out.String()
	out.Reset()
	require.NoError(t, run(context.Background(), &out, small))
	assert.Equal(t, again, out.String(), "a seed gives one result")
}

// The transitions of a tree build it again.
func TestTransitionsAreTheTree(t *testing.T) {
	trees, err := data.GenerateListOps(3, 20, data.ListOpsOptions{MaxLength: 20})
	require.NoError(t, err)
	v := data.BuildVocabulary(data.Tokens(trees), data.VocabularyOptions{})
	for _, tree := range trees {
		s := newSentence(tree, v)
		assert.Len(t, s.Transition, 2*len(s.Word)-1)
		var words []string
		for _, id := range s.Word {
			words = append(words, v.Word(id))
		}
		want := strings.NewReplacer("( ", "(", " )", ")").Replace(string(tree.AppendUnlabelled(nil)))
		assert.Equal(t, want, bracket(words, s.Transition))
	}
}

func TestBracket(t *testing.T) {
	transitions := []int32{models.Shift, models.Shift, models.Shift, models.Reduce, models.Reduce}
	assert.Equal(t, "(a (b c))", bracket([]string{"a", "b", "c"}, transitions))
}
