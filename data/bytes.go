package data

// byteClass says what a byte means to the bracket syntax.
type byteClass uint8

const (
	inToken byteClass = iota // part of a label or token, as is all that is not ASCII
	blank
	newline // also a blank
	opens
	closes
)

var classOf = [256]byteClass{
	' ': blank, '\t': blank, '\v': blank, '\f': blank, '\r': blank,
	'\n': newline, '(': opens, ')': closes,
}

// isBlank reports whether c is an ASCII blank. Others, such as U+00A0, belong to tokens.
func isBlank(c byte) bool { return classOf[c] == blank || classOf[c] == newline }

// tokenEnd returns the end of the label or token that begins at i.
func tokenEnd(src []byte, i int) int {
	for i < len(src) && classOf[src[i]] == inToken {
		i++
	}
	return i
}
