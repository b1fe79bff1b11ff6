package layered

import (
	"cmp"
	"slices"
)

// sweeps is how often the layers are gone through, down and up; more change little.
const sweeps = 12

// order sorts the layers so that few arrows cross: each vertex goes to the mean place of
// those that it is joined with in the layer before, again and again, downwards and
// upwards. The best order met is kept.
func (n *network) order() {
	best, fewest := n.copyLayers(), n.crossings()
	for sweep := 0; sweep < sweeps && fewest > 0; sweep++ {
		for k := range n.layers {
			if sweep%2 == 0 {
				n.sort(k, func(v *vertex) []int { return v.up })
			} else {
				n.sort(len(n.layers)-1-k, func(v *vertex) []int { return v.down })
			}
		}
		if c := n.crossings(); c < fewest {
			best, fewest = n.copyLayers(), c
		}
	}
	n.layers = best
}

func (n *network) copyLayers() [][]int {
	layers := make([][]int, len(n.layers))
	for i, l := range n.layers {
		layers[i] = slices.Clone(l)
	}
	return layers
}

// places returns where in its layer each vertex is.
func (n *network) places() []int {
	places := make([]int, len(n.vertices))
	for _, layer := range n.layers {
		for k, i := range layer {
			places[i] = k
		}
	}
	return places
}

// sort sorts a layer by the mean places of the neighbours; who has none stays about
// where it is.
func (n *network) sort(layer int, neighbours func(*vertex) []int) {
	places := n.places()
	for k, i := range n.layers[layer] {
		v := &n.vertices[i]
		v.key = float64(k)
		if around := neighbours(v); len(around) > 0 {
			sum := 0
			for _, j := range around {
				sum += places[j]
			}
			v.key = float64(sum) / float64(len(around))
		}
	}
	slices.SortStableFunc(n.layers[layer], func(a, b int) int {
		return cmp.Compare(n.vertices[a].key, n.vertices[b].key)
	})
}

// crossings counts the pairs of arrows that cross between two layers.
func (n *network) crossings() int {
	places := n.places()
	count := 0
	for _, layer := range n.layers {
		var ends []int // lower ends of the arrows, in the order of their upper ends
		for _, i := range layer {
			from := len(ends)
			for _, j := range n.vertices[i].down {
				ends = append(ends, places[j])
			}
			slices.Sort(ends[from:])
		}
		count += inversions(ends)
	}
	return count
}

// inversions counts the pairs in the wrong order, by merging.
func inversions(x []int) int {
	if len(x) < 2 {
		return 0
	}
	a, b := slices.Clone(x[:len(x)/2]), slices.Clone(x[len(x)/2:])
	count := inversions(a) + inversions(b)
	for k := range x {
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			x[k], a = a[0], a[1:]
			continue
		}
		count += len(a)
		x[k], b = b[0], b[1:]
	}
	return count
}
