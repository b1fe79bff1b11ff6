package layered

// place gives the vertices their x, again and again as near as possible to the mean of
// their neighbours, downwards and upwards.
func (n *network) place() {
	for _, layer := range n.layers {
		x := 0.0
		for k, i := range layer {
			if k > 0 {
				x += n.distance(layer[k-1], i)
			}
			n.vertices[i].x = x
		}
	}
	for sweep := range sweeps {
		for k := range n.layers {
			if sweep%2 == 0 {
				n.pull(n.layers[k], func(v *vertex) []int { return v.up })
			} else {
				n.pull(n.layers[len(n.layers)-1-k], func(v *vertex) []int { return v.down })
			}
		}
	}
	for _, layer := range n.layers {
		n.pull(layer, func(v *vertex) []int { return append(v.up[:len(v.up):len(v.up)], v.down...) })
	}
}

// distance is the least one of the centres of neighbours in a layer.
func (n *network) distance(i, j int) float64 {
	a, b := &n.vertices[i], &n.vertices[j]
	return (a.W+b.W)/2 + (a.gap+b.gap)/2
}

// pull moves the vertices of a layer so that the sum of their squared distances from
// where they want to be is the least one that the distances between them allow. Without
// these distances, the wishes must only not decrease: neighbours whose wishes do are
// pooled, and all get the mean.
func (n *network) pull(layer []int, neighbours func(*vertex) []int) {
	type pool struct {
		sum   float64
		count int
	}
	mean := func(p pool) float64 { return p.sum / float64(p.count) }
	var pools []pool
	offsets := make([]float64, len(layer)) // of the centres when all stand as near as allowed
	for k, i := range layer {
		v := &n.vertices[i]
		if k > 0 {
			offsets[k] = offsets[k-1] + n.distance(layer[k-1], i)
		}
		wish := v.x
		if around := neighbours(v); len(around) > 0 {
			wish = 0
			for _, j := range around {
				wish += n.vertices[j].x / float64(len(around))
			}
		}
		last := pool{wish - offsets[k], 1}
		for len(pools) > 0 && mean(pools[len(pools)-1]) > mean(last) {
			before := pools[len(pools)-1]
			pools, last = pools[:len(pools)-1], pool{before.sum + last.sum, before.count + last.count}
		}
		pools = append(pools, last)
	}
	k := 0
	for _, p := range pools {
		for range p.count {
			n.vertices[layer[k]].x = mean(p) + offsets[k]
			k++
		}
	}
}
