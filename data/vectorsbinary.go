package data

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// binaryVectors reads VectorBinary.
type binaryVectors struct {
	name   string
	r      *bufio.Reader
	want   int // elements, 0 when not known
	count  int // words by the header, noCount before it is read
	record int // words read
	word   []byte
	raw    []byte // the elements of the word
}

func newBinaryVectors(r io.Reader, name string, dim int) *binaryVectors {
	return &binaryVectors{name: name, r: bufio.NewReaderSize(r, 64<<10), want: dim, count: noCount}
}

func (b *binaryVectors) dim() int      { return b.want }
func (b *binaryVectors) declared() int { return b.count }

// end is the place of the word that comes next: the header has line 1.
func (b *binaryVectors) end() Position { return Position{b.name, b.record + 2, 1} }

func (b *binaryVectors) next() ([]byte, Position, error) {
	if b.count == noCount {
		if err := b.header(); err != nil {
			return nil, Position{}, err
		}
	}
	if b.record == b.count {
		return nil, Position{}, b.nothingMore()
	}
	place := b.end()
	if err := b.readWord(place); err != nil {
		return nil, Position{}, err
	}
	if n, err := io.ReadFull(b.r, b.raw); err != nil {
		return nil, Position{}, b.cut(err, place, "expected %d bytes, the %d elements of %s, found the end of the input after %d",
			len(b.raw), b.want, quote(b.word), n)
	}
	b.record++
	if len(b.word) == 0 {
		return nil, Position{}, syntaxError(place, nil, "expected a word before %d elements, found none", b.want)
	}
	return b.word, place, nil
}

// cut turns the end of the input in the middle of something into an error that says so.
func (b *binaryVectors) cut(err error, at Position, format string, args ...any) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return finalError{syntaxError(at, nil, format, args...)}
	}
	return inputError(b.name, err)
}

func (b *binaryVectors) header() error {
	const enough = 64
	at := Position{b.name, 1, 1}
	line, err := b.upTo('\n', nil, enough)
	if err != nil && err != io.EOF {
		return inputError(b.name, err)
	}
	words, dim, ok := vectorHeader(line)
	if err == io.EOF || !ok {
		return finalError{syntaxError(at, nil, "expected a line with the number of words and of elements, found %s", quote(line))}
	}
	if err := checkVectorDim(at, dim, b.want); err != nil {
		return err
	}
	b.want, b.count = dim, words
	b.raw = make([]byte, bytesOfFloat*dim)
	return nil
}

const bytesOfFloat = 4

// readWord reads up to the blank behind a word. Some programs end a vector with a
// newline and some do not.
func (b *binaryVectors) readWord(at Position) error {
	first, err := b.r.ReadByte()
	if err == nil && first != '\n' {
		err = b.r.UnreadByte()
	}
	if err == nil {
		b.word, err = b.upTo(' ', b.word[:0], MaxVectorWordBytes)
	}
	if err != nil {
		return b.cut(err, at, "expected word %d of %d, found the end of the input", b.record+1, b.count)
	}
	if len(b.word) > MaxVectorWordBytes {
		return finalError{syntaxError(at, ErrLimit, "expected a blank within %d bytes of the beginning of a word, found none", MaxVectorWordBytes)}
	}
	return nil
}

// upTo appends what stands before the delimiter to dst, and one byte too many when that
// is longer than the limit. It returns io.EOF when the input ends first.
func (b *binaryVectors) upTo(delimiter byte, dst []byte, limit int) ([]byte, error) {
	for len(dst) <= limit {
		c, err := b.r.ReadByte()
		if err != nil {
			return dst, err
		}
		if c == delimiter {
			break
		}
		dst = append(dst, c)
	}
	return dst, nil
}

// nothingMore returns io.EOF at the end of the input, which may be a newline away.
func (b *binaryVectors) nothingMore() error {
	c, err := b.r.ReadByte()
	if err == nil && c == '\n' {
		c, err = b.r.ReadByte()
	}
	switch {
	case err == io.EOF:
		return io.EOF
	case err != nil:
		return inputError(b.name, err)
	}
	return finalError{syntaxError(b.end(), nil, "expected the end of the input after %d words, as the header says, found byte 0x%02X", b.count, c)}
}

func (b *binaryVectors) vector() ([]float32, error) {
	v := make([]float32, b.want)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b.raw[bytesOfFloat*i:]))
		if x := float64(v[i]); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, syntaxError(Position{b.name, b.record + 1, 1}, nil,
				"expected a finite float32 as element %d of %d of %s, found %v", i+1, b.want, quote(b.word), x)
		}
	}
	return v, nil
}
