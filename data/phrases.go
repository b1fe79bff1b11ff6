package data

import "fmt"

// PhraseTree makes a tree of the words of a sentence and of parent pointers: nodes are
// numbered from 1, the words first and in order, then the phrases; parents[i] is the
// number of the parent of node i+1, 0 for the root. Children are ordered by their words.
// labels holds the class of each node, or is nil. The error wraps ErrTree.
func PhraseTree(words []string, parents, labels []int32) (*Tree, error) {
	if labels != nil && len(labels) != len(parents) {
		return nil, fmt.Errorf("%w: got %d parents and %d labels, want as many", ErrTree, len(parents), len(labels))
	}
	for i, l := range labels {
		if l < NoLabel {
			return nil, fmt.Errorf("%w: node %d: got label %d, want a class or NoLabel", ErrTree, i+1, l)
		}
	}
	t, f := phraseTree(words, parents, labels)
	if f != nil {
		return nil, fmt.Errorf("%w: node %d: "+f.format, append([]any{ErrTree, f.offset + 1}, f.args...)...)
	}
	return t, nil
}

// phraseTree makes the tree, or returns a fault whose offset is an index of parents.
func phraseTree(words []string, parents, labels []int32) (*Tree, *fault) {
	if len(words) == 0 || len(parents) < len(words) {
		return nil, &fault{0, nil, "expected a parent for each of %d words, found %d", []any{len(words), len(parents)}}
	}
	root, f := findRoot(parents, "parent")
	if f != nil {
		return nil, f
	}
	start, children, f := orderByWords(parents, len(words))
	if f != nil {
		return nil, f
	}
	order := postOrder(root, start, children)
	if len(order) < len(parents) {
		return nil, findCycle(parents, order, "parent")
	}
	t := &Tree{Label: make([]int32, len(order)), Word: make([]string, len(order))}
	arity := make([]int32, len(order))
	next := int32(0) // the word that comes next
	for i, node := range order {
		arity[i] = start[node+1] - start[node]
		t.Label[i] = NoLabel
		if labels != nil {
			t.Label[i] = labels[node]
		}
		if int(node) >= len(words) {
			continue
		}
		if node != next {
			return nil, &fault{int(next), nil, "expected phrases of adjacent words, found word %d between others", []any{next + 1}}
		}
		t.Word[i] = words[node]
		next++
	}
	if err := t.link(arity, make([]int32, len(order))); err != nil {
		return nil, &fault{0, nil, "%v", []any{err}} // a post-order it is
	}
	return t, nil
}

// orderByWords inverts parents like listDependents, with the children of a node in the
// order of the first word below each.
func orderByWords(parents []int32, words int) (start, children []int32, f *fault) {
	n := len(parents)
	start, children = make([]int32, n+1), make([]int32, n)
	for i, p := range parents {
		if 0 < p && int(p) <= words {
			return nil, nil, &fault{i, nil, "expected the number of a phrase, %d..%d, as a parent, found the word %d", []any{words + 1, n, p}}
		}
		if p > 0 {
			start[p]++
		}
	}
	for i := range n {
		start[i+1] += start[i]
	}
	next := append([]int32(nil), start...)
	seen := make([]bool, n)
	for word := range int32(words) {
		// Going up from the words in their order meets every node by its first word.
		for node := word; !seen[node]; node = parents[node] - 1 {
			seen[node] = true
			p := parents[node]
			if p == 0 {
				break
			}
			children[next[p-1]] = node
			next[p-1]++
		}
	}
	for node, ok := range seen {
		if !ok {
			return nil, nil, &fault{node, nil, "expected a phrase with words below it, found none", nil}
		}
	}
	return start, children, nil
}

// postOrder returns the nodes that hang from the root, children before their parents.
func postOrder(root int32, start, children []int32) []int32 {
	type visit struct{ node, next int32 }
	order := make([]int32, 0, len(start)-1)
	path := []visit{{root, start[root]}}
	for len(path) > 0 {
		top := &path[len(path)-1]
		if top.next < start[top.node+1] {
			c := children[top.next]
			top.next++
			path = append(path, visit{c, start[c]})
			continue
		}
		order = append(order, top.node)
		path = path[:len(path)-1]
	}
	return order
}
