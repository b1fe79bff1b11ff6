package data

import (
	"bytes"
	"strings"
)

// The Penn Treebank writes brackets in tokens by name and puts a backslash before
// slash and star.
var (
	bracketNames = map[string]byte{
		"-LRB-": '(', "-RRB-": ')',
		"-LSB-": '[', "-RSB-": ']',
		"-LCB-": '{', "-RCB-": '}',
	}
	roundBrackets = strings.NewReplacer("(", "-LRB-", ")", "-RRB-")
)

// appendUnescaped appends token with its escapes undone. All backslashes before a
// slash or star go, not only one: what comes out holds no escape any more, so that
// undoing twice is undoing once and a written tree reads back the same.
func appendUnescaped(dst, token []byte) []byte {
	const nameLen = len("-LRB-")
	if bytes.IndexByte(token, '\\') < 0 && bytes.IndexByte(token, '-') < 0 {
		return append(dst, token...)
	}
	for i := 0; i < len(token); {
		switch c := token[i]; {
		case c == '-' && i+nameLen <= len(token):
			if b, ok := bracketNames[string(token[i:i+nameLen])]; ok {
				dst = append(dst, b)
				i += nameLen
				continue
			}
		case c == '\\':
			end := i
			for end < len(token) && token[end] == '\\' {
				end++
			}
			if end < len(token) && (token[end] == '/' || token[end] == '*') {
				dst = append(dst, token[end])
				i = end + 1
				continue
			}
			dst = append(dst, token[i:end]...)
			i = end
			continue
		}
		dst = append(dst, token[i])
		i++
	}
	return dst
}

// appendLatin1 appends token, which is ISO-8859-1, as UTF-8.
func appendLatin1(dst, token []byte) []byte {
	for _, c := range token {
		if c < 0x80 {
			dst = append(dst, c)
		} else {
			dst = append(dst, 0xC0|c>>6, 0x80|c&0x3F)
		}
	}
	return dst
}

// appendWord appends a token such that the bracket syntax holds.
func appendWord(dst []byte, word string) []byte {
	if strings.ContainsAny(word, "()") {
		word = roundBrackets.Replace(word)
	}
	return append(dst, word...)
}
