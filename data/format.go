package data

import "strconv"

// String returns the tree in bracket form on one line: "(3 (2 good) (2 film))".
//
// Round brackets in words are written by name (-LRB-, -RRB-); all else is written as
// it stands. Reading the result with the options the tree was read with gives an
// equal tree; a tree whose inner nodes have words needs PTBOptions.HeadWords. Index
// and Pos are not part of the text. Words that a program made with ASCII blanks in
// them, or labels with blanks or brackets, cannot be read back.
func (t *Tree) String() string { return string(t.Append(nil)) }

// Append appends the bracket form of the tree, as String returns it, to dst.
func (t *Tree) Append(dst []byte) []byte {
	return t.walk(dst,
		func(dst []byte, i int32) []byte {
			dst = append(dst, '(')
			dst = t.appendLabel(dst, i)
			if t.Word[i] != "" {
				dst = append(dst, ' ')
				dst = appendWord(dst, t.Word[i])
			}
			return dst
		},
		func(dst []byte, _ int32) []byte { return append(dst, ')') })
}

// AppendUnlabelled appends the form without labels, in which leaves are bare tokens:
// "( ( [MAX 2 ) 9 )". Words of inner nodes are left out.
func (t *Tree) AppendUnlabelled(dst []byte) []byte {
	return t.walk(dst,
		func(dst []byte, i int32) []byte {
			if t.IsLeaf(i) {
				return appendWord(dst, t.Word[i])
			}
			return append(dst, '(')
		},
		func(dst []byte, i int32) []byte {
			if t.IsLeaf(i) {
				return dst
			}
			return append(dst, " )"...)
		})
}

func (t *Tree) appendLabel(dst []byte, i int32) []byte {
	switch {
	case t.Tag != nil && t.Tag[i] != "":
		return append(dst, t.Tag[i]...)
	case t.Label[i] != NoLabel:
		return strconv.AppendInt(dst, int64(t.Label[i]), 10)
	}
	return dst
}

// walk visits the nodes from the root, left to right, and calls enter and leave
// around each subtree. A blank goes before every node but the root.
func (t *Tree) walk(dst []byte, enter, leave func([]byte, int32) []byte) []byte {
	if t.Len() == 0 {
		return dst
	}
	type visit struct{ node, next int32 } // next child, as an index into Child
	path := []visit{{t.Root(), t.ChildStart[t.Root()]}}
	dst = enter(dst, t.Root())
	for len(path) > 0 {
		top := &path[len(path)-1]
		if top.next == t.ChildStart[top.node+1] {
			dst = leave(dst, top.node)
			path = path[:len(path)-1]
			continue
		}
		c := t.Child[top.next]
		top.next++
		dst = append(dst, ' ')
		dst = enter(dst, c)
		path = append(path, visit{c, t.ChildStart[c]})
	}
	return dst
}
