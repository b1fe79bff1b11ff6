package data

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ErrWord is wrapped when a word cannot be written in a format.
var ErrWord = errors.New("data: word does not fit the format")

// Write writes the words of the vocabulary and their vectors in the given format, text
// with a header, such that reading gives the same words and the same bits. The error
// wraps ErrWord where a word would not be read back: one that holds a blank or a line
// break, is not UTF-8, or is longer than MaxVectorWordBytes.
func (e *Embedding) Write(w io.Writer, format VectorFormat) error {
	if o := (VectorOptions{Format: format}); o.check() != nil {
		return o.check()
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%d %d\n", e.Vocabulary.Len(), e.Dim)
	var record []byte
	for id := range int32(e.Vocabulary.Len()) {
		word := e.Vocabulary.Word(id)
		if strings.ContainsAny(word, " \t\r\n\v\f") || encodingFault([]byte(word)) != nil || len(word) > MaxVectorWordBytes {
			return fmt.Errorf("%w: id %d is %s, want one without blanks and line breaks", ErrWord, id, quote(word))
		}
		record = appendVector(append(record[:0], word...), e.Row(id), format)
		if _, err := out.Write(append(record, '\n')); err != nil {
			return fmt.Errorf("data: writing word vectors: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("data: writing word vectors: %w", err)
	}
	return nil
}

func appendVector(dst []byte, vector []float32, format VectorFormat) []byte {
	if format == VectorBinary {
		dst = append(dst, ' ')
		for _, x := range vector {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
		}
		return dst
	}
	for _, x := range vector {
		dst = strconv.AppendFloat(append(dst, ' '), float64(x), 'g', -1, 32)
	}
	return dst
}
