package data

import "iter"

// GoTerms iterates over the terms of all nodes: the Tag, and behind a blank the Word if
// there is one, as in "Ident" or "BinaryExpr +". A vocabulary of terms gives ids to the
// nodes of Go trees, with one for unknown terms, as of operators that no example has.
func GoTerms(trees ...*GoTree) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range trees {
			for i := range t.Len() {
				if !yield(goTerm(t.Tag[i], t.Word[i])) {
					return
				}
			}
		}
	}
}

func goTerm(tag, word string) string {
	if word == "" {
		return tag
	}
	return tag + " " + word
}

// IDs returns the id of each node's term [n] in a vocabulary of GoTerms. With the ids
// as words, a tree is what the models for trees of any arity take: Start is
// Tree.ChildStart and Child is Tree.Child.
func (t *GoTree) IDs(terms *Vocabulary) []int32 {
	ids := make([]int32, t.Len())
	for i := range ids {
		ids[i] = terms.ID(goTerm(t.Tag[i], t.Word[i]))
	}
	return ids
}
