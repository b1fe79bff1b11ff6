package layered

import (
	"errors"
	"fmt"
)

var (
	// ErrTooLarge reports more boxes and arrows than anyone could look at.
	ErrTooLarge = errors.New("too large to be drawn")
	// ErrCycle reports arrows that lead in a circle.
	ErrCycle = errors.New("arrows lead in a circle")
)

// most is the largest number of boxes, with the bends of arrows that pass a layer.
const most = 5000

// Distances between boxes: beside each other, around the bends of arrows, and between
// layers.
const (
	beside  = 18
	around  = 10
	between = 30
)

// Size is that of a box.
type Size struct{ W, H float64 }

// Point is a place; y grows downwards.
type Point struct{ X, Y float64 }

// Drawing is where everything is.
type Drawing struct {
	Size
	Boxes   []Size
	Centres []Point   // of the boxes
	Arrows  [][]Point // from the lower edge of a box, by way of bends, to the upper edge of another
}

// Layout places boxes. An arrow leads from one box to another, by their numbers.
func Layout(boxes []Size, arrows [][2]int) (*Drawing, error) {
	n, err := newNetwork(boxes, arrows)
	if err != nil {
		return nil, err
	}
	n.order()
	n.place()
	return n.drawing(boxes, arrows), nil
}

// vertex is a box, or the bend of an arrow in a layer that it passes.
type vertex struct {
	Size
	layer    int
	up, down []int // the vertices that it is joined with in the layers above and below
	x        float64
	gap      float64 // at either side
	key      float64 // what order sorts by
}

// network is boxes and bends, in which every arrow leads to the next layer.
type network struct {
	vertices []vertex
	layers   [][]int // from left to right
	chains   [][]int // the vertices of each arrow
}

func newNetwork(boxes []Size, arrows [][2]int) (*network, error) {
	if len(boxes) > most {
		return nil, fmt.Errorf("%w: %d boxes, the limit is %d", ErrTooLarge, len(boxes), most)
	}
	layers, err := assign(len(boxes), arrows)
	if err != nil {
		return nil, err
	}
	n := &network{}
	add := func(v vertex) int {
		for len(n.layers) <= v.layer {
			n.layers = append(n.layers, nil)
		}
		i := len(n.vertices)
		n.vertices = append(n.vertices, v)
		n.layers[v.layer] = append(n.layers[v.layer], i)
		return i
	}
	for i, b := range boxes {
		add(vertex{Size: b, layer: layers[i], gap: beside})
	}
	for _, a := range arrows {
		chain := []int{a[0]}
		for layer := layers[a[0]] + 1; layer < layers[a[1]]; layer++ {
			if len(n.vertices) >= most {
				return nil, fmt.Errorf("%w: %d boxes and more than %d bends of arrows", ErrTooLarge, len(boxes), most-len(boxes))
			}
			chain = append(chain, add(vertex{layer: layer, gap: around}))
		}
		chain = append(chain, a[1])
		for k := range chain[1:] {
			from, to := chain[k], chain[k+1]
			n.vertices[from].down = append(n.vertices[from].down, to)
			n.vertices[to].up = append(n.vertices[to].up, from)
		}
		n.chains = append(n.chains, chain)
	}
	return n, nil
}

// assign gives each box a layer below those of all boxes with arrows to it. A box without
// such is put right above the first that it leads to.
func assign(boxes int, arrows [][2]int) ([]int, error) {
	next, waiting := make([][]int, boxes), make([]int, boxes)
	for _, a := range arrows {
		next[a[0]] = append(next[a[0]], a[1])
		waiting[a[1]]++
	}
	layers := make([]int, boxes)
	var ready, sources []int
	for i, w := range waiting {
		if w == 0 {
			ready = append(ready, i)
		}
	}
	sources = append(sources, ready...)
	done := 0
	for ; done < len(ready); done++ {
		for _, k := range next[ready[done]] {
			layers[k] = max(layers[k], layers[ready[done]]+1)
			if waiting[k]--; waiting[k] == 0 {
				ready = append(ready, k)
			}
		}
	}
	if done < boxes {
		return nil, fmt.Errorf("%w: %d of %d boxes are in one or behind it", ErrCycle, boxes-done, boxes)
	}
	for _, i := range sources {
		for k, to := range next[i] {
			if k == 0 || layers[to]-1 < layers[i] {
				layers[i] = layers[to] - 1
			}
		}
	}
	return layers, nil
}

// drawing collects the results.
func (n *network) drawing(boxes []Size, arrows [][2]int) *Drawing {
	d := &Drawing{Boxes: boxes}
	tops, heights := make([]float64, len(n.layers)), make([]float64, len(n.layers))
	left := 0.0
	for l, layer := range n.layers {
		for _, i := range layer {
			v := &n.vertices[i]
			heights[l] = max(heights[l], v.H)
			left = min(left, v.x-v.W/2)
		}
		if l > 0 {
			tops[l] = tops[l-1] + heights[l-1] + between
		}
		d.H = tops[l] + heights[l]
	}
	centre := func(i int) Point {
		v := &n.vertices[i]
		return Point{v.x - left, tops[v.layer] + heights[v.layer]/2}
	}
	for i := range n.vertices {
		d.W = max(d.W, centre(i).X+n.vertices[i].W/2)
	}
	for i := range boxes {
		d.Centres = append(d.Centres, centre(i))
	}
	for k := range arrows {
		d.Arrows = append(d.Arrows, n.arrow(n.chains[k], centre, heights))
	}
	return d
}

// arrow returns the points of an arrow: straight through the layers that it passes,
// between their boxes.
func (n *network) arrow(chain []int, centre func(int) Point, heights []float64) []Point {
	first, last := chain[0], chain[len(chain)-1]
	from := centre(first)
	points := []Point{{from.X, from.Y + n.vertices[first].H/2}}
	for _, i := range chain[1 : len(chain)-1] {
		p, half := centre(i), heights[n.vertices[i].layer]/2
		points = append(points, Point{p.X, p.Y - half}, Point{p.X, p.Y + half})
	}
	to := centre(last)
	return append(points, Point{to.X, to.Y - n.vertices[last].H/2})
}
