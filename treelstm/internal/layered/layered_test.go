package layered

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// check reports what every drawing must keep: boxes do not overlap, all arrows lead
// down, from the edge of one box to the edge of the other, and all is inside.
func check(t *testing.T, boxes []Size, arrows [][2]int) *Drawing {
	t.Helper()
	d, err := Layout(boxes, arrows)
	require.NoError(t, err)
	require.Len(t, d.Centres, len(boxes))
	require.Len(t, d.Arrows, len(arrows))
	const tiny = 1e-6
	for i, a := range d.Centres {
		assert.GreaterOrEqual(t, a.X-boxes[i].W/2, -tiny)
		assert.LessOrEqual(t, a.X+boxes[i].W/2, d.W+tiny)
		assert.GreaterOrEqual(t, a.Y-boxes[i].H/2, -tiny)
		assert.LessOrEqual(t, a.Y+boxes[i].H/2, d.H+tiny)
		for j, b := range d.Centres[:i] {
			apart := math.Abs(a.X-b.X) > (boxes[i].W+boxes[j].W)/2 || math.Abs(a.Y-b.Y) > (boxes[i].H+boxes[j].H)/2
			require.True(t, apart, "boxes %d and %d overlap", i, j)
		}
	}
	for k, a := range arrows {
		points := d.Arrows[k]
		first, last := points[0], points[len(points)-1]
		assert.InDelta(t, d.Centres[a[0]].Y+boxes[a[0]].H/2, first.Y, tiny)
		assert.InDelta(t, d.Centres[a[1]].Y-boxes[a[1]].H/2, last.Y, tiny)
		for p := range points[1:] {
			assert.GreaterOrEqual(t, points[p+1].Y, points[p].Y, "arrow %d", k)
		}
		assert.Greater(t, last.Y, first.Y)
		passesBoxes(t, boxes, d, a, points)
	}
	return d
}

// passesBoxes checks that the upright parts of an arrow cross no box.
func passesBoxes(t *testing.T, boxes []Size, d *Drawing, arrow [2]int, points []Point) {
	t.Helper()
	for p := 1; p+1 < len(points); p += 2 {
		for i, c := range d.Centres {
			if i != arrow[0] && i != arrow[1] && c.Y-boxes[i].H/2 < points[p+1].Y && c.Y+boxes[i].H/2 > points[p].Y {
				assert.Greater(t, math.Abs(points[p].X-c.X), boxes[i].W/2, "arrow %v goes through box %d", arrow, i)
			}
		}
	}
}

func TestSmallDrawings(t *testing.T) {
	box := Size{40, 20}
	d := check(t, []Size{box}, nil)
	assert.Equal(t, box, d.Size)

	d = check(t, []Size{box, box}, [][2]int{{0, 1}})
	assert.Equal(t, d.Centres[0].X, d.Centres[1].X, "a straight arrow")
	assert.Equal(t, 20+between+20.0, d.H)

	// A parent of two stands between them.
	d = check(t, []Size{box, box, box}, [][2]int{{0, 1}, {0, 2}})
	assert.InDelta(t, (d.Centres[1].X+d.Centres[2].X)/2, d.Centres[0].X, 1e-6)

	// Who leads to a low box only stands right above it.
	d = check(t, []Size{box, box, box, box}, [][2]int{{0, 1}, {1, 2}, {3, 2}})
	assert.Equal(t, d.Centres[1].Y, d.Centres[3].Y)

	// An arrow over a layer goes around what is in it.
	check(t, []Size{box, {200, 20}, box}, [][2]int{{0, 1}, {1, 2}, {0, 2}})

	d, err := Layout(nil, nil)
	require.NoError(t, err)
	assert.Equal(t, Size{}, d.Size)
}

// Two arrows that need not cross do not.
func TestOrderRemovesCrossings(t *testing.T) {
	boxes := make([]Size, 8)
	for i := range boxes {
		boxes[i] = Size{20, 20}
	}
	n, err := newNetwork(boxes, [][2]int{{0, 7}, {1, 6}, {2, 5}, {3, 4}})
	require.NoError(t, err)
	assert.Equal(t, 6, n.crossings())
	n.order()
	assert.Zero(t, n.crossings())
}

func TestRandomDrawings(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 0))
		boxes := make([]Size, 1+rng.IntN(30))
		var arrows [][2]int
		for i := range boxes {
			boxes[i] = Size{10 + 100*rng.Float64(), 10 + 30*rng.Float64()}
			for range rng.IntN(4) {
				if i > 0 {
					arrows = append(arrows, [2]int{rng.IntN(i), i})
				}
			}
		}
		check(t, boxes, arrows)
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	_, err := Layout(make([]Size, 3), [][2]int{{0, 1}, {1, 2}, {2, 1}})
	assert.ErrorIs(t, err, ErrCycle)
	_, err = Layout(make([]Size, most+1), nil)
	assert.ErrorIs(t, err, ErrTooLarge)
	// A chain whose first box leads to all others has a bend in every layer.
	var arrows [][2]int
	const n = 200
	for i := 1; i < n; i++ {
		arrows = append(arrows, [2]int{i - 1, i}, [2]int{0, i})
	}
	_, err = Layout(make([]Size, n), arrows)
	assert.ErrorIs(t, err, ErrTooLarge)
}

func TestInversions(t *testing.T) {
	for want, x := range map[int][]int{0: {1, 1, 2}, 1: {2, 1}, 3: {3, 2, 1}, 4: {3, 1, 2, 1}} {
		assert.Equal(t, want, inversions(x))
	}
}
