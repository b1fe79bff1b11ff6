package data

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	_ io.WriterTo              = (*Vocabulary)(nil)
	_ encoding.TextMarshaler   = (*Vocabulary)(nil)
	_ encoding.TextUnmarshaler = (*Vocabulary)(nil)
)

// vocabularyHeader is the first line of the text format. The number of words shows
// whether a file is complete.
const vocabularyHeader = "frond-vocabulary 1 unknown=%t lower=%t words=%d"

// WriteTo writes the vocabulary as text: a header line, then one word per line in the
// order of the ids. Words with control characters, those that are not UTF-8, and
// those that begin with a quotation mark, stand in Go quotes.
func (v *Vocabulary) WriteTo(w io.Writer) (int64, error) {
	text, _ := v.MarshalText()
	n, err := w.Write(text)
	return int64(n), err
}

// MarshalText returns what WriteTo writes. The error is always nil.
func (v *Vocabulary) MarshalText() ([]byte, error) {
	text := fmt.Appendf(nil, vocabularyHeader+"\n", v.unknown, v.lower, len(v.words))
	return v.appendWords(text), nil
}

func (v *Vocabulary) appendWords(dst []byte) []byte {
	for _, word := range v.words {
		if needsQuotes(word) {
			dst = strconv.AppendQuote(dst, word)
		} else {
			dst = append(dst, word...)
		}
		dst = append(dst, '\n')
	}
	return dst
}

func needsQuotes(word string) bool {
	return word[0] == '"' || !utf8.ValidString(word) || strings.ContainsFunc(word, unicode.IsControl)
}

// UnmarshalText replaces the vocabulary by the one that text describes. After an error
// it is unchanged.
func (v *Vocabulary) UnmarshalText(text []byte) error {
	read, err := ReadVocabulary(bytes.NewReader(text), "")
	if err == nil {
		*v = *read
	}
	return err
}

// ReadVocabulary reads what WriteTo wrote, up to the end of r. The name stands for the
// input in positions. The error is a *SyntaxError, or one of r.
func ReadVocabulary(r io.Reader, name string) (*Vocabulary, error) {
	lines := newLineReader(Source{name, r})
	v, count, err := readVocabularyHeader(&lines)
	if err != nil {
		return nil, err
	}
	for {
		line, err := lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(v.words) == count {
			return nil, lines.errorf(0, nil, "expected the end of the input after %d words, found %s", count, quote(line))
		}
		if err := v.readWord(&lines, line); err != nil {
			return nil, err
		}
	}
	if len(v.words) < count {
		return nil, lines.errorf(0, nil, "expected %d words, found the end of the input after %d", count, len(v.words))
	}
	return v, nil
}

func readVocabularyHeader(lines *lineReader) (*Vocabulary, int, error) {
	line, err := lines.next()
	if err == io.EOF {
		return nil, 0, syntaxError(Position{lines.name, 1, 1}, nil, "expected a vocabulary, found the end of the input")
	}
	if err != nil {
		return nil, 0, err
	}
	v := &Vocabulary{ids: make(map[string]int32)}
	var count int
	_, err = fmt.Sscanf(string(line), vocabularyHeader, &v.unknown, &v.lower, &count)
	// Scanning is lenient about blanks and signs; only what WriteTo writes is right.
	if err != nil || string(line) != fmt.Sprintf(vocabularyHeader, v.unknown, v.lower, count) || count < 0 {
		return nil, 0, lines.errorf(0, nil, "expected the header \"frond-vocabulary 1 unknown=... lower=... words=...\", found %s", quote(line))
	}
	if v.unknown && count == 0 {
		return nil, 0, lines.errorf(0, nil, "expected the word %s with unknown=true, found words=0", quote(Unknown))
	}
	return v, count, nil
}

// readWord adds the word of a line.
func (v *Vocabulary) readWord(lines *lineReader, line []byte) error {
	word, err := parseWord(line)
	id := int32(len(v.words))
	switch {
	case err != nil:
		return lines.errorf(0, nil, "expected a word, found %s: %v", quote(line), err)
	case v.unknown && id == 0 && word != Unknown:
		return lines.errorf(0, nil, "expected %s as the first word, found %s", quote(Unknown), quote(word))
	case v.normal(word) != word:
		return lines.errorf(0, nil, "expected a word in lower case, found %s", quote(word))
	}
	if first, ok := v.ids[word]; ok {
		const headerLines = 1
		return lines.errorf(0, nil, "expected a new word, found %s, which is in line %d", quote(word), int(first)+headerLines+1)
	}
	v.ids[word] = id
	v.words = append(v.words, word)
	return nil
}

func parseWord(line []byte) (string, error) {
	switch {
	case len(line) == 0:
		return "", errors.New("the line is empty")
	case line[0] == '"':
		word, err := strconv.Unquote(string(line))
		if err != nil {
			return "", errors.New("the quotes are not those of a Go string")
		}
		if word == "" {
			return "", errors.New("the word is empty")
		}
		return word, nil
	}
	if needsQuotes(string(line)) {
		return "", errors.New("it needs quotes")
	}
	return string(line), nil
}
