// Package layered places boxes that are joined by arrows so that all arrows point
// downwards: in layers, with few crossings, without overlaps. It is the method of
// Sugiyama, Tagawa and Toda (1981) in a simple form.
//
//	d, err := layered.Layout([]layered.Size{{80, 30}, {80, 30}}, [][2]int{{0, 1}})
//
// It knows nothing of what is in the boxes, and draws nothing. Time and memory are
// bounded: what is too large to be legible is an error that wraps [ErrTooLarge].
package layered
